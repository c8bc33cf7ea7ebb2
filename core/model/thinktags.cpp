// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/thinktags.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr QLatin1StringView Open = "<think>"_L1;
constexpr QLatin1StringView Close = "</think>"_L1;

qsizetype leadingSpace(const QString &text)
{
    qsizetype at = 0;
    while (at < text.size() && text[at].isSpace())
        ++at;
    return at;
}

// Length of the longest end of `text` that a tag may begin with.
qsizetype tagStartAtEnd(const QString &text, QLatin1StringView tag)
{
    for (qsizetype size = qMin(text.size(), tag.size() - 1); size > 0; --size) {
        if (text.endsWith(tag.first(size)))
            return size;
    }
    return 0;
}

} // namespace

QString ThinkTags::answer(const QString &text)
{
    if (m_state == State::Text)
        return text;
    const QString rest = text.mid(leadingSpace(text));
    if (!rest.isEmpty())
        m_state = State::Text;
    return rest;
}

ThinkTags::Piece ThinkTags::feed(const QString &text)
{
    if (m_state == State::Space || m_state == State::Text)
        return {{}, answer(text)};
    m_held += text;
    if (m_state == State::Start) {
        const QString start = m_held.mid(leadingSpace(m_held), Open.size());
        if (start.size() < Open.size() && Open.startsWith(start))
            return {}; // Not certain yet; blank texts too.
        if (start != Open) {
            m_state = State::Text;
            return {{}, std::exchange(m_held, QString())};
        }
        m_state = State::Thinking;
        m_held.remove(0, leadingSpace(m_held) + Open.size());
    }
    const qsizetype end = m_held.indexOf(Close);
    if (end >= 0) {
        m_state = State::Space;
        const QString all = std::exchange(m_held, QString());
        return {all.left(end), answer(all.mid(end + Close.size()))};
    }
    const qsizetype held = tagStartAtEnd(m_held, Close);
    Piece piece{m_held.chopped(held), {}};
    m_held = m_held.right(held);
    return piece;
}

ThinkTags::Piece ThinkTags::finish()
{
    const QString held = std::exchange(m_held, QString());
    return m_state == State::Thinking ? Piece{held, {}} : Piece{{}, held};
}

} // namespace Pilothouse
