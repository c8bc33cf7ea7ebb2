// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QtGlobal>

namespace Pilothouse {

/// How a program asked for its text to look (SGR). A plain value; what it means on screen is up to a theme.
struct AnsiStyle {
    enum Flag : quint16 {
        Bold = 1,
        Dim = 2,
        Italic = 4,
        Underline = 8,
        Blink = 16,
        Reverse = 32,
        Conceal = 64, ///< For show it is ignored: nothing that was printed is hidden from a person.
        Strike = 128,
        Escaped = 256, ///< Ours: stands for a byte or a control that has no look of its own.
    };
    static constexpr qint32 Default = -1;
    static constexpr qint32 TrueColor = 0x1000000; ///< With 0xRRGGBB below it.

    qint32 foreground = Default; ///< Default, 0 to 255, or TrueColor | 0xRRGGBB.
    qint32 background = Default;
    quint16 flags = 0;

    bool operator==(const AnsiStyle &other) const = default;
};

} // namespace Pilothouse
