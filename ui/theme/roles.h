// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace Pilothouse {

/// What a colour is for. The values stand in resources/theme/tokens.json, in this order.
enum class Role {
    Window = 1,
    Canvas,
    Sunken,
    Raised,
    Hover,
    Selected,
    SelectedInactive,
    User,
    Hair,
    Line,
    Control,
    Button,
    Text,
    Text2,
    Text3,
    Disabled,
    Accent,
    AccentSolid,
    AccentSolidHover,
    OnAccent,
    AccentSoft,
    Focus,
    Waiting,
    WaitingSolid,
    WaitingSoft,
    WaitingLine,
    Failed,
    FailedSolid,
    FailedSoft,
    FailedLine,
    Finished,
    FinishedSoft,
    Frozen,
    FrozenSoft,
    FrozenLine,
    Interrupted,
    InterruptedSoft,
    InterruptedLine,
    DiffAdd,
    DiffAddWord,
    DiffDel,
    DiffDelWord,
    Find,
    FindCurrent,
    SynKeyword,
    SynString,
    SynNumber,
    SynComment,
    SynFunc,
    MeterTrack,
    MeterFill,
    Scroll,
    Tool,
    SelectionBack,
    SelectionText,
};
inline constexpr int RoleCount = static_cast<int>(Role::SelectionText);

/// What a text is for: size, weight, family and line height.
enum class TextStyle {
    Title = 1,
    Body,
    BodyStrong,
    Small,
    State,
    Meta,
    Section,
    PageTitle,
    WelcomeTitle,
    Mono,
    MonoCard,
    ToolName,
    LineNumber,
};
inline constexpr int TextStyleCount = static_cast<int>(TextStyle::LineNumber);

enum class Scheme { Light = 1, Dark, HighContrast };

} // namespace Pilothouse
