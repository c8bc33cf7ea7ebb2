// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace Pilothouse {

struct CodeLanguage;

/// A stretch of a line of code; what is between stretches is plain.
struct CodeSpan {
    enum class Token { Keyword = 1, String, Number, Comment, Function, Added, Removed };
    qsizetype at = 0;
    qsizetype length = 0;
    Token token = Token::Keyword;
    bool operator==(const CodeSpan &) const = default;
};

/// Colours code a line at a time, by tables. It does not parse: it knows comments, strings, numbers, words
/// and names that are called, well enough to read by. Pure; a line's cost is linear and bounded.
class CodeLexer {
public:
    /// What a line hands to the next one: 0 at the begin of a text; otherwise opaque.
    using State = int;
    /// The rest of a longer line stays plain.
    static constexpr qsizetype LongestLine = 4000;

    /// `language`: name, alias or file name ending ("py", "c++", "Dockerfile"), in any case; an unknown one
    /// colours nothing.
    explicit CodeLexer(QStringView language);
    [[nodiscard]] bool isKnown() const { return m_language != nullptr; }
    /// Spans of `line` in order, without overlap, and the state after it.
    State line(QStringView line, State state, std::vector<CodeSpan> *spans) const;

    /// Names of all known languages.
    [[nodiscard]] static QStringList languages();
    /// The language of a file by its name; empty if unknown.
    [[nodiscard]] static QString languageOfFile(QStringView fileName);

private:
    const CodeLanguage *m_language;
};

} // namespace Pilothouse
