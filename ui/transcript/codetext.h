// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/codelexer.h"
#include "text/markdownblocks.h"

#include <vector>

namespace Pilothouse {

/// The lines of one block of code, shared by the segments that show it: knows how each line begins for the
/// lexer. Lines are only added; the last one may change.
class CodeText {
public:
    explicit CodeText(const QString &language)
        : m_lexer(language)
        , m_language(language)
    { }
    /// Takes over the lines of the block that are new or may have changed.
    void update(const MarkdownBlock &block);

    [[nodiscard]] const QString &language() const { return m_language; }
    [[nodiscard]] size_t size() const { return m_lines.size(); }
    [[nodiscard]] const MarkdownBlock::Line &line(size_t index) const { return m_lines[index]; }
    [[nodiscard]] QString lineText(QStringView source, size_t index) const;
    /// Stretches to colour, counted in lineText().
    void spans(QStringView source, size_t index, std::vector<CodeSpan> *spans);
    /// All of it, for the clipboard.
    [[nodiscard]] QString whole(QStringView source) const;

private:
    CodeLexer m_lexer;
    QString m_language;
    std::vector<MarkdownBlock::Line> m_lines;
    std::vector<CodeLexer::State> m_states; ///< Before each line, as far as it was asked for.
};

} // namespace Pilothouse
