// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/codetext.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Lines that are lexed only to know how a later one begins. Beyond that it begins as a text does: wrong
// colours after a jump over thousands of lines inside a comment are better than a wait.
constexpr size_t MostSkipped = 2000;
constexpr qsizetype MostCodeCopied = 4 * 1024 * 1024;

} // namespace

void CodeText::update(const MarkdownBlock &block)
{
    size_t same = std::min(m_lines.size(), block.lines.size());
    if (same > 0)
        --same;
    m_lines.resize(same);
    m_lines.insert(m_lines.end(), block.lines.cbegin() + static_cast<std::ptrdiff_t>(same),
                   block.lines.cend());
    m_states.resize(std::min(m_states.size(), same + 1));
}

QString CodeText::lineText(QStringView source, size_t index) const
{
    const MarkdownBlock::Line &line = m_lines[index];
    return QString(line.pad, u' ') + source.mid(line.begin, line.end - line.begin);
}

void CodeText::spans(QStringView source, size_t index, std::vector<CodeSpan> *spans)
{
    spans->clear();
    if (!m_lexer.isKnown())
        return;
    if (m_states.empty())
        m_states.push_back(0);
    if (index >= m_states.size() + MostSkipped)
        m_states.resize(index + 1, 0);
    while (m_states.size() <= index) {
        const size_t at = m_states.size() - 1;
        m_states.push_back(m_lexer.line(lineText(source, at), m_states[at], spans));
    }
    m_lexer.line(lineText(source, index), m_states[index], spans);
}

QString CodeText::whole(QStringView source) const
{
    QString out;
    for (size_t i = 0; i < m_lines.size() && out.size() < MostCodeCopied; ++i) {
        out += lineText(source, i);
        if (i + 1 < m_lines.size())
            out += u'\n';
    }
    return out;
}

} // namespace Pilothouse
