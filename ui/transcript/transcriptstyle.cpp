// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/transcriptstyle.h"

#include "theme/theme.h"

namespace Pilothouse {

TranscriptStyle::Face::Face(TextStyle style)
    : font(Theme::instance().font(style))
    , metrics(font)
    , line(Theme::instance().lineHeight(style))
{ }

TranscriptStyle::TranscriptStyle()
    : body(TextStyle::Body)
    , strong(TextStyle::BodyStrong)
    , title(TextStyle::Title)
    , pageTitle(TextStyle::PageTitle)
    , small(TextStyle::Small)
    , state(TextStyle::State)
    , meta(TextStyle::Meta)
    , mono(TextStyle::Mono)
    , card(TextStyle::MonoCard)
    , tool(TextStyle::ToolName)
    , number(TextStyle::LineNumber)
    , codeInText(TextStyle::Mono)
{ }

QColor TranscriptStyle::color(Role role) { return Theme::instance().color(role); }

int TranscriptStyle::px(int designPixels) { return Theme::instance().px(designPixels); }

} // namespace Pilothouse
