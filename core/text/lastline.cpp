// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/lastline.h"

#include "text/inerttext.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// A sequence that does not end is given up after this, or one stray ESC would swallow the rest of the stream.
constexpr qsizetype MaxCsi = 64;
constexpr qsizetype MaxString = 4096;

} // namespace

void LastLine::feed(QByteArrayView bytes)
{
    const QString text = m_decoder.decode(bytes);
    for (const QChar c : text)
        character(c.unicode());
}

void LastLine::reset() { *this = LastLine(); }

QString LastLine::text() const
{
    const QString &line = m_current.trimmed().isEmpty() ? m_last : m_current;
    QString out = line.trimmed();
    if (!out.isEmpty() && out.back().isHighSurrogate())
        out.chop(1);
    return out;
}

void LastLine::character(char16_t c)
{
    switch (m_state) {
    case State::Ground:
        if (c == 0x1B)
            m_state = State::Escape;
        else if (c == 0x9B)
            m_state = State::Csi;
        else if (c == 0x90 || c == 0x98 || (c >= 0x9D && c <= 0x9F))
            m_state = State::String;
        else
            put(c);
        m_sequenceLength = 0;
        m_eraseWhole = false;
        return;
    case State::Escape:
        if (c == u'[')
            m_state = State::Csi;
        else if (c == u']' || c == u'P' || c == u'X' || c == u'^' || c == u'_')
            m_state = State::String;
        else if (c >= 0x20 && c <= 0x2F)
            m_state = State::Intermediate;
        else if (c != 0x1B)
            m_state = State::Ground;
        return;
    case State::Intermediate:
        if (c < 0x20 || c > 0x2F)
            m_state = State::Ground;
        return;
    case State::Csi:
        if (c == 0x1B) {
            m_state = State::Escape;
        } else if (c >= 0x40 && c <= 0x7E) {
            m_state = State::Ground;
            endCsi(c);
        } else if (c < 0x20 || ++m_sequenceLength > MaxCsi) {
            m_state = State::Ground;
            put(c);
        } else {
            m_eraseWhole = m_sequenceLength == 1 && c == u'2';
        }
        return;
    case State::String:
        if (c == 0x07 || c == 0x9C || ++m_sequenceLength > MaxString)
            m_state = State::Ground;
        else if (c == 0x1B)
            m_state = State::StringEscape;
        return;
    case State::StringEscape:
        m_state = State::Ground;
        if (c != u'\\') {
            // ESC ends a string whatever follows; what follows is a sequence of its own.
            m_state = State::Escape;
            character(c);
        }
        return;
    }
}

void LastLine::put(char16_t c)
{
    if (c == u'\n') {
        endLine();
        return;
    }
    if (c == u'\r') {
        m_restart = true;
        return;
    }
    if (c == u'\b') {
        if (!m_current.isEmpty())
            m_current.chop(1);
        return;
    }
    if (c == u'\t')
        c = u' ';
    // Halves of a pair are judged together only by length; the unsafe characters above the BMP are invisible
    // anyway.
    if (!QChar::isSurrogate(c) && isUnsafeToShow(c))
        return;
    if (m_restart) {
        m_restart = false;
        if (!m_current.trimmed().isEmpty())
            m_last = m_current;
        m_current.clear();
    }
    if (m_current.size() < MaxLength)
        m_current += QChar(c);
}

void LastLine::endLine()
{
    m_restart = false;
    if (!m_current.trimmed().isEmpty())
        m_last = m_current;
    m_current.clear();
}

void LastLine::endCsi(char16_t final)
{
    // "Erase line" after a carriage return is how progress bars begin again.
    if (final == u'K' && (m_eraseWhole || m_restart)) {
        if (!m_current.trimmed().isEmpty())
            m_last = m_current;
        m_current.clear();
    }
}

} // namespace Pilothouse
