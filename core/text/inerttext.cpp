// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/inerttext.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Walks over characters; a lone surrogate comes as itself, so that it can be named.
class Characters {
public:
    explicit Characters(QStringView text)
        : m_text(text)
    { }
    [[nodiscard]] bool hasNext() const { return m_index < m_text.size(); }
    [[nodiscard]] qsizetype index() const { return m_index; }
    char32_t next()
    {
        const QChar first = m_text[m_index++];
        if (first.isHighSurrogate() && m_index < m_text.size() && m_text[m_index].isLowSurrogate())
            return QChar::surrogateToUcs4(first, m_text[m_index++]);
        return first.unicode();
    }

private:
    QStringView m_text;
    qsizetype m_index = 0;
};

} // namespace

bool isUnsafeToShow(char32_t c)
{
    if (c < 0x20)
        return c != U'\n' && c != U'\t';
    if (c >= 0x7F && c <= 0x9F)
        return true;
    return c == 0x061C || c == 0x200E || c == 0x200F // Direction marks.
        || (c >= 0x2028 && c <= 0x202E) // Separators, embeddings, overrides.
        || (c >= 0x2066 && c <= 0x206F) // Isolates and deprecated format characters.
        || (c >= 0xD800 && c <= 0xDFFF) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB)
        || (c >= 0xE0000 && c <= 0xE007F);
}

QString inertText(QStringView text)
{
    QString out;
    out.reserve(text.size());
    Characters it(text);
    qsizetype run = 0; // Begin of what is safe and not yet copied.
    while (it.hasNext()) {
        const qsizetype from = it.index();
        const char32_t c = it.next();
        if (!isUnsafeToShow(c))
            continue;
        out += text.mid(run, from - run);
        out += u"\\u{"_s + QString::number(static_cast<uint>(c), 16) + u'}';
        run = it.index();
    }
    out += text.mid(run);
    return out;
}

QString inertLine(QStringView text, qsizetype maxLength)
{
    QString out;
    bool space = false;
    Characters it(text);
    while (it.hasNext()) {
        const qsizetype from = it.index();
        const char32_t c = it.next();
        if (c == U'\n' || c == U'\r' || c == 0x2028 || c == 0x2029) {
            if (!out.isEmpty())
                break;
            continue;
        }
        if (c == U'\t' || QChar::isSpace(c)) {
            space = !out.isEmpty();
            continue;
        }
        if (isUnsafeToShow(c))
            continue;
        const qsizetype length = it.index() - from;
        if (out.size() + length + (space ? 1 : 0) > maxLength - 1 && maxLength > 0) {
            // Room for the mark was kept; the character itself fits only if it is the last one of the line.
            const QStringView rest = text.mid(it.index());
            const bool last = rest.isEmpty() || rest.front() == u'\n' || rest.front() == u'\r';
            if (last && out.size() + length + (space ? 1 : 0) <= maxLength) {
                if (space)
                    out += u' ';
                out += text.mid(from, length);
            } else {
                out += u'…';
            }
            return out;
        }
        if (space)
            out += u' ';
        space = false;
        out += text.mid(from, length);
    }
    return out;
}

} // namespace Pilothouse
