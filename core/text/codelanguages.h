// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QStringView>

#include <array>
#include <span>

namespace Pilothouse {

/// One language of the lexer. Every text has static lifetime.
struct CodeLanguage {
    enum class Form {
        Words = 1, ///< Comments, strings, numbers and words.
        Markup, ///< Tags and attributes.
        Keys, ///< "key: value" or "key = value".
        Diff, ///< The first character of a line decides.
    };
    struct Pair {
        QStringView begin = {}; ///< Empty: none.
        QStringView end = {};
    };
    struct Quote {
        QStringView mark = {}; ///< Empty: none.
        bool escapes = true; ///< A backslash takes the next character.
        bool lines = false; ///< Goes on over line ends.
    };
    QStringView name = {};
    QStringView aliases = {}; ///< With a space before and after each.
    Form form = Form::Words;
    std::array<QStringView, 2> lineComments = {}; ///< Empty: none.
    std::array<Pair, 2> blockComments = {};
    std::array<Quote, 5> quotes = {}; ///< Longer marks first.
    QStringView words = {}; ///< Keywords, with a space before and after each.
    bool anyCase = false; ///< Words in any case; the table has them in lower case.
    QStringView wordCharacters = {}; ///< Besides letters, digits and "_".
    bool commentsAfterSpace = false; ///< A comment begins only at the begin or after white space.
    bool directives = false; ///< "#word" at the begin of a line is a keyword.
    bool variables = false; ///< "$name" and "${name}".
    bool decorators = false; ///< "@name".
};

[[nodiscard]] std::span<const CodeLanguage> codeLanguages();

} // namespace Pilothouse
