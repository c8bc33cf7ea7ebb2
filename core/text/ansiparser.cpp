// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/ansiparser.h"

#include <algorithm>

namespace Pilothouse {

namespace {

constexpr uchar Escape = 0x1B;
constexpr uchar Delete = 0x7F;

bool isPrintable(char c) { return c >= 0x20 && c < 0x7F; }

bool isContinuation(uchar byte) { return (byte & 0xC0) == 0x80; }

// Length of the character that begins with this byte; 0: no character does.
quint8 lengthOf(uchar lead)
{
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    if (lead >= 0xF0 && lead <= 0xF4)
        return 4;
    return 0;
}

// Whether `second` may follow `lead`: leaves out overlong forms, surrogates and what is above U+10FFFF.
bool isSecond(uchar lead, uchar second)
{
    switch (lead) {
    case 0xE0:
        return second >= 0xA0 && second <= 0xBF;
    case 0xED:
        return second >= 0x80 && second <= 0x9F;
    case 0xF0:
        return second >= 0x90 && second <= 0xBF;
    case 0xF4:
        return second >= 0x80 && second <= 0x8F;
    default:
        return isContinuation(second);
    }
}

AnsiParser::Token simple(AnsiParser::Token::Kind kind, char32_t value = 0)
{
    AnsiParser::Token token;
    token.kind = kind;
    token.value = value;
    return token;
}

} // namespace

AnsiParser::Token AnsiParser::next(QByteArrayView &bytes)
{
    using Kind = Token::Kind;
    while (!bytes.isEmpty()) {
        const auto byte = static_cast<uchar>(bytes.front());
        if (m_state != State::Ground) {
            Token token;
            if (sequenceByte(byte, &token))
                bytes = bytes.sliced(1);
            if (token.kind != Kind::End)
                return token;
            continue;
        }
        if (m_have > 0 || byte >= 0x80)
            return utf8Byte(bytes);
        if (isPrintable(bytes.front())) {
            const char *end = std::find_if_not(bytes.begin(), bytes.end(), isPrintable);
            Token token = simple(Kind::Ascii);
            token.text = bytes.first(end - bytes.begin());
            bytes = bytes.sliced(token.text.size());
            return token;
        }
        bytes = bytes.sliced(1);
        switch (byte) {
        case Escape:
            beginSequence();
            continue;
        case '\n':
            return simple(Kind::LineFeed);
        case '\r':
            return simple(Kind::Return);
        case '\b':
            return simple(Kind::Backspace);
        case '\t':
            return simple(Kind::Tab);
        default:
            return simple(Kind::Control, byte);
        }
    }
    return {};
}

AnsiParser::Token AnsiParser::finish()
{
    m_state = State::Ground;
    return m_have > 0 ? takeInvalid() : Token();
}

AnsiParser::Token AnsiParser::takeInvalid()
{
    Token token = simple(Token::Kind::Invalid);
    m_invalid = m_character;
    token.text = QByteArrayView(m_invalid.data(), m_have);
    m_have = 0;
    return token;
}

AnsiParser::Token AnsiParser::utf8Byte(QByteArrayView &bytes)
{
    while (!bytes.isEmpty()) {
        const auto byte = static_cast<uchar>(bytes.front());
        if (m_have == 0) {
            m_need = lengthOf(byte);
            m_character[0] = bytes.front();
            m_have = 1;
            bytes = bytes.sliced(1);
            if (m_need == 0)
                return takeInvalid();
            continue;
        }
        const bool fits =
            m_have == 1 ? isSecond(static_cast<uchar>(m_character[0]), byte) : isContinuation(byte);
        if (!fits)
            return takeInvalid(); // This byte begins something of its own.
        m_character[m_have++] = bytes.front();
        bytes = bytes.sliced(1);
        if (m_have < m_need)
            continue;
        char32_t value = static_cast<uchar>(m_character[0]) & (0xFFU >> (m_need + 1));
        for (size_t i = 1; i < m_need; ++i)
            value = (value << 6) | (static_cast<uchar>(m_character[i]) & 0x3FU);
        m_have = 0;
        return simple(Token::Kind::Character, value);
    }
    return {};
}

void AnsiParser::beginSequence()
{
    m_state = State::Escape;
    m_length = 0;
}

qsizetype AnsiParser::skipSequence(QByteArrayView bytes)
{
    qsizetype done = 0;
    Token ignored;
    while (done < bytes.size() && m_state != State::Ground) {
        if (sequenceByte(static_cast<uchar>(bytes[done]), &ignored))
            ++done;
    }
    return done;
}

bool AnsiParser::sequenceByte(uchar byte, Token *token)
{
    // Control characters end a sequence and keep their own meaning; inside a string only a line feed does.
    const bool isString = m_state == State::String;
    if (byte == '\n' || (byte < 0x20 && byte != Escape && !isString)) {
        m_state = State::Ground;
        return false;
    }
    switch (m_state) {
    case State::Ground:
        return false;
    case State::Escape:
        m_length = 0;
        if (byte == '[') {
            m_state = State::Csi;
            m_isPrivate = false;
            m_count = 0;
            m_subs = 0;
        } else if (byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_') {
            m_state = State::String;
        } else if (byte >= 0x20 && byte <= 0x2F) {
            m_state = State::Intermediate;
        } else if (byte != Escape) {
            m_state = State::Ground;
            return byte < Delete; // A two-byte sequence; others are no part of it.
        }
        return true;
    case State::Intermediate:
        if (byte == Escape) {
            m_state = State::Escape;
            return true;
        }
        if (byte >= 0x20 && byte <= 0x2F && ++m_length < LongestSequence)
            return true;
        m_state = State::Ground;
        return byte < Delete;
    case State::Csi:
        return csiByte(byte, token);
    case State::String:
        if (byte == 0x07 || ++m_length > LongestString)
            m_state = State::Ground;
        else if (byte == Escape)
            m_state = State::StringEscape;
        return true;
    case State::StringEscape:
        if (byte == '\\') {
            m_state = State::Ground;
            return true;
        }
        // ESC ends a string whatever follows; what follows is a sequence of its own.
        m_state = State::Escape;
        return sequenceByte(byte, token);
    }
    return false;
}

bool AnsiParser::csiByte(uchar byte, Token *token)
{
    if (byte == Escape) {
        m_state = State::Escape;
        return true;
    }
    if (byte >= 0x80 || ++m_length > LongestSequence) {
        m_state = State::Ground;
        return false;
    }
    if (byte >= '0' && byte <= '9') {
        if (m_count == 0)
            m_parameters[size_t(m_count++)] = 0;
        quint16 &value = m_parameters[size_t(m_count - 1)];
        if (m_count <= MostParameters)
            value = static_cast<quint16>(std::min(LargestParameter, value * 10 + (byte - '0')));
        return true;
    }
    if (byte == ';' || byte == ':') {
        if (m_count == 0)
            m_parameters[size_t(m_count++)] = 0;
        if (m_count < MostParameters) {
            if (byte == ':')
                m_subs |= 1U << m_count;
            m_parameters[size_t(m_count++)] = 0;
        } else {
            m_isPrivate = true; // More than any known sequence has: it is dropped as a whole.
        }
        return true;
    }
    if (byte >= 0x40 && byte < Delete) {
        m_state = State::Ground;
        if (!m_isPrivate)
            endCsi(byte, token);
        return true;
    }
    m_isPrivate = true;
    return true;
}

void AnsiParser::endCsi(uchar final, Token *token)
{
    const auto distance = static_cast<char32_t>(std::max(1, parameter(0)));
    switch (final) {
    case 'm':
        selectGraphics();
        return;
    case 'K':
        *token = simple(Token::Kind::EraseLine, static_cast<char32_t>(parameter(0)));
        return;
    case 'G':
        *token = simple(Token::Kind::Column, distance - 1);
        return;
    case 'C':
        *token = simple(Token::Kind::Forward, distance);
        return;
    case 'D':
        *token = simple(Token::Kind::Back, distance);
        return;
    default:
        return;
    }
}

int AnsiParser::extendedColor(int at, qint32 *color) const
{
    const bool isColon = isSub(at + 1);
    const int kind = parameter(at + 1);
    int last = at + 1;
    int group = at; // Last parameter that colons tie to this one.
    while (isSub(group + 1))
        ++group;
    int values = last + 1;
    if (kind == 5) {
        last = isColon ? group : at + 2;
        if (values < m_count && values <= last && parameter(values) <= 255)
            *color = parameter(values);
    } else if (kind == 2) {
        // With colons there may be a colour space before the three values.
        if (isColon && group - at >= 5)
            ++values;
        last = isColon ? group : at + 4;
        if (values + 2 < m_count && values + 2 <= last && parameter(values) <= 255
            && parameter(values + 1) <= 255 && parameter(values + 2) <= 255)
            *color = AnsiStyle::TrueColor | (parameter(values) << 16) | (parameter(values + 1) << 8)
                | parameter(values + 2);
    } else if (isColon) {
        last = group;
    }
    return last;
}

void AnsiParser::selectGraphics()
{
    if (m_count == 0)
        m_style = {};
    const auto set = [this](quint16 flag) { m_style.flags = static_cast<quint16>(m_style.flags | flag); };
    const auto clear = [this](quint16 flag) { m_style.flags = static_cast<quint16>(m_style.flags & ~flag); };
    for (int i = 0; i < m_count; ++i) {
        const int code = parameter(i);
        const bool hasSub = isSub(i + 1);
        if (code == 38 || code == 48 || code == 58) {
            qint32 ignored = AnsiStyle::Default;
            i = extendedColor(i,
                              code == 38       ? &m_style.foreground
                                  : code == 48 ? &m_style.background
                                               : &ignored);
            continue;
        }
        if (code == 0)
            m_style = {};
        else if (code == 1)
            set(AnsiStyle::Bold);
        else if (code == 2)
            set(AnsiStyle::Dim);
        else if (code == 3)
            set(AnsiStyle::Italic);
        else if (code == 4 && hasSub && parameter(i + 1) == 0)
            clear(AnsiStyle::Underline);
        else if (code == 4 || code == 21)
            set(AnsiStyle::Underline);
        else if (code == 5 || code == 6)
            set(AnsiStyle::Blink);
        else if (code == 7)
            set(AnsiStyle::Reverse);
        else if (code == 8)
            set(AnsiStyle::Conceal);
        else if (code == 9)
            set(AnsiStyle::Strike);
        else if (code == 22)
            clear(AnsiStyle::Bold | AnsiStyle::Dim);
        else if (code == 23)
            clear(AnsiStyle::Italic);
        else if (code == 24)
            clear(AnsiStyle::Underline);
        else if (code == 25)
            clear(AnsiStyle::Blink);
        else if (code == 27)
            clear(AnsiStyle::Reverse);
        else if (code == 28)
            clear(AnsiStyle::Conceal);
        else if (code == 29)
            clear(AnsiStyle::Strike);
        else if (code >= 30 && code <= 37)
            m_style.foreground = code - 30;
        else if (code == 39)
            m_style.foreground = AnsiStyle::Default;
        else if (code >= 40 && code <= 47)
            m_style.background = code - 40;
        else if (code == 49)
            m_style.background = AnsiStyle::Default;
        else if (code >= 90 && code <= 97)
            m_style.foreground = code - 90 + 8;
        else if (code >= 100 && code <= 107)
            m_style.background = code - 100 + 8;
        while (isSub(i + 1))
            ++i; // What colons tie to a code is no code of its own.
    }
}

} // namespace Pilothouse
