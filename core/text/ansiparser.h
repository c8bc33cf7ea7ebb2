// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/ansistyle.h"

#include <QByteArrayView>

#include <array>

namespace Pilothouse {

/// Reads what a program printed: UTF-8 with escape sequences, split anywhere. One object per stream; it may
/// be copied to go on from the same place twice. Sequences are read, never obeyed, except for colours and for
/// moves within the line. Strings (OSC, DCS, APC, PM, SOS) are dropped. A line feed ends every sequence, so
/// that the lines of a stream are its line feeds, whatever is between them.
class AnsiParser {
public:
    /// A sequence that does not end is given up after this, or one stray ESC would swallow the stream.
    static constexpr int LongestSequence = 256;
    static constexpr int LongestString = 4096;
    static constexpr int MostParameters = 32;
    static constexpr int LargestParameter = 0xFFFF;

    struct Token {
        enum class Kind {
            End = 1, ///< Nothing is left of the bytes; a cut sequence or character stays in the parser.
            Ascii, ///< `text`: printable ASCII.
            Character, ///< `value`: a code point from U+0080 on.
            Invalid, ///< `text`: bytes that are not UTF-8 (1 to 3).
            Control, ///< `value`: a control character that has no meaning here.
            LineFeed,
            Return,
            Backspace,
            Tab,
            EraseLine, ///< `value`: 0 to the end, 1 to the begin, 2 all.
            Column, ///< `value`: from 0.
            Forward, ///< `value`: columns.
            Back,
        };
        Kind kind = Kind::End;
        char32_t value = 0;
        QByteArrayView text; ///< Into the bytes that were given, or into the parser.
    };

    explicit AnsiParser(const AnsiStyle &style = {})
        : m_style(style)
    { }

    /// The next token of `bytes`, which is shortened by what was read.
    [[nodiscard]] Token next(QByteArrayView &bytes);
    /// The bytes of a character that was cut at the end of the stream, as a token Invalid; End if none was.
    [[nodiscard]] Token finish();
    /// For those who want styles only: reads a sequence that began (isGround() is false) up to its end; how
    /// many of `bytes` belong to it.
    [[nodiscard]] qsizetype skipSequence(QByteArrayView bytes);
    /// For the same: begins a sequence, as if ESC had been read.
    void beginSequence();

    [[nodiscard]] const AnsiStyle &style() const { return m_style; }
    /// Neither inside a sequence nor inside a character.
    [[nodiscard]] bool isGround() const { return m_state == State::Ground && m_have == 0; }

private:
    enum class State : quint8 { Ground = 1, Escape, Intermediate, Csi, String, StringEscape };
    /// False: the byte ended the sequence and does not belong to it.
    bool sequenceByte(uchar byte, Token *token);
    bool csiByte(uchar byte, Token *token);
    void endCsi(uchar final, Token *token);
    void selectGraphics();
    /// 38 and 48: reads the colour after parameter `at`; returns the index of the last parameter read.
    int extendedColor(int at, qint32 *color) const;
    [[nodiscard]] int parameter(int index) const { return index < m_count ? m_parameters[size_t(index)] : 0; }
    [[nodiscard]] bool isSub(int index) const { return index < m_count && ((m_subs >> index) & 1U) != 0; }
    Token utf8Byte(QByteArrayView &bytes);
    Token takeInvalid();

    AnsiStyle m_style;
    State m_state = State::Ground;
    bool m_isPrivate = false; ///< A sequence with a prefix or an intermediate: none that we know.
    quint8 m_have = 0; ///< Bytes of a character so far.
    quint8 m_need = 0;
    qint16 m_count = 0;
    int m_length = 0;
    quint32 m_subs = 0; ///< Bit i: parameter i came after a colon.
    std::array<char, 4> m_character = {};
    std::array<char, 4> m_invalid = {};
    std::array<quint16, MostParameters> m_parameters = {};
};

} // namespace Pilothouse
