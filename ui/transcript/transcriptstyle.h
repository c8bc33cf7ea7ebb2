// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QColor>
#include <QFont>
#include <QFontMetrics>

namespace Pilothouse {

/// Fonts and lengths of the transcript, taken from the theme once per change of it: a segment is laid out
/// thousands of times.
struct TranscriptStyle {
    struct Face {
        explicit Face(TextStyle style);
        QFont font;
        QFontMetrics metrics;
        int line; ///< Height of a line in pixels.
    };
    TranscriptStyle();

    Face body;
    Face strong;
    Face title; ///< Headings of the second level.
    Face pageTitle; ///< Headings of the first level.
    Face small;
    Face state;
    Face meta;
    Face mono;
    Face card; ///< A call's argument.
    Face tool; ///< A call's tool.
    Face number; ///< Step numbers.
    Face codeInText; ///< Code inside of a paragraph.

    [[nodiscard]] static QColor color(Role role);
    [[nodiscard]] static int px(int designPixels);
};

} // namespace Pilothouse
