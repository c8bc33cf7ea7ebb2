// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Lengths of the design grid, in pixels at 96 dpi and the default text size; Theme::px() scales them.
namespace Pilothouse::Metrics {

// Space: only multiples of 4 between boxes; outlines are painted inside their box.
inline constexpr int SpaceXs = 4;
inline constexpr int SpaceS = 8;
inline constexpr int SpaceM = 12;
inline constexpr int SpaceL = 16;
inline constexpr int SpaceXl = 24;
inline constexpr int SpaceXxl = 32;

inline constexpr int RadiusTag = 3;
inline constexpr int RadiusKeyCap = 3;
inline constexpr int RadiusToolButton = 4;
inline constexpr int RadiusControlSmall = 5;
inline constexpr int RadiusControl = 6;
inline constexpr int RadiusCard = 6;
inline constexpr int RadiusComposer = 8;
inline constexpr int RadiusChip = 10;

inline constexpr int StrokeHair = 1;
inline constexpr int StrokeOutline = 1;
inline constexpr int StrokeFocusRing = 2;
inline constexpr int StrokeFocusOffset = 1;
inline constexpr int StrokeSelectionBar = 3;
inline constexpr int StrokeChosen = 2; ///< Frame of what is chosen, in high contrast.
inline constexpr int StrokeApprovalEdge = 4;
inline constexpr int StrokeTabBar = 2;

inline constexpr int IconInline = 12;
inline constexpr int IconSmall = 14;
inline constexpr int IconNormal = 16;
inline constexpr int IconLarge = 20;

inline constexpr int ButtonHeight = 28;
inline constexpr int ButtonSmall = 24;
inline constexpr int Input = 28;
inline constexpr int InputSmall = 24;
inline constexpr int ToolButton = 28;
inline constexpr int ToolButtonSmall = 24;
inline constexpr int Segmented = 24;
inline constexpr int Chip = 20;
inline constexpr int Tag = 16;
inline constexpr int KeyCap = 16;
inline constexpr int Row = 24;
inline constexpr int MinimumHitTarget = 24;

inline constexpr int TopBar = 36;
inline constexpr int StatusBar = 24;
inline constexpr int ColumnHeader = 40;
inline constexpr int SecondHeader = 32;
inline constexpr int SidebarDefault = 264;
inline constexpr int SidebarMin = 208;
inline constexpr int SidebarMax = 400;
inline constexpr int Rail = 48;
inline constexpr int PaneRail = 56;
inline constexpr int PaneDefault = 540;
inline constexpr int PaneMin = 360;
inline constexpr int ConversationMin = 420;
inline constexpr int TranscriptGutter = 52;
inline constexpr int TranscriptRight = 20;
inline constexpr int TranscriptMaxText = 760;
inline constexpr int SplitterVisible = 1;
inline constexpr int SplitterHit = 5;
inline constexpr int SidebarRowFull = 64;
inline constexpr int SidebarRowCompact = 44;
inline constexpr int SidebarGroupHeader = 28;
inline constexpr int ToolCardRow = 32;
inline constexpr int ToolCardRowWithSecondLine = 28;
inline constexpr int ToolCardTail = 24;
inline constexpr int ToolCardConsequence = 32;
inline constexpr int StepSeparator = 28;
inline constexpr int QueueRow = 28;
inline constexpr int ComposerMin = 64;
inline constexpr int ComposerMaxLines = 12;
inline constexpr int ComposerMargin = 12;
inline constexpr int TreeRow = 24;
inline constexpr int TableRow = 24;
inline constexpr int TableHeader = 24;
inline constexpr int OutputLine = 16;
inline constexpr int OutputGutter = 40;
inline constexpr int StreamMark = 12;
inline constexpr int SettingsRow = 40;

// Widths at which something gives way.
inline constexpr int SidebarBecomesRail = 1200;
inline constexpr int PanesBecomeRail = 1080;
inline constexpr int DropTokensFromHeader = 620;
inline constexpr int DropCapFromHeader = 560;
inline constexpr int DropContextWordFromHeader = 480;

inline constexpr int MotionFastMs = 80;
inline constexpr int MotionNormalMs = 120;

} // namespace Pilothouse::Metrics
