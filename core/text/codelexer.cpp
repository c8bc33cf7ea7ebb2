// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/codelexer.h"

#include "text/codelanguages.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Token = CodeSpan::Token;
using Form = CodeLanguage::Form;

namespace {

constexpr qsizetype LongestWord = 40; // No word of a table is longer.

// States between lines: in a block comment, in a quote that goes on, inside a tag.
constexpr int InComment = 1; // Plus its index.
constexpr int InQuote = 8; // Plus its index.
constexpr int InTag = 16; // May be added to the others.

bool isDigit(QChar c) { return c >= u'0' && c <= u'9'; }

bool hasWord(QStringView table, QStringView word, bool anyCase)
{
    if (word.isEmpty() || word.size() > LongestWord)
        return false;
    QString padded = u' ' + word.toString() + u' ';
    if (anyCase)
        padded = padded.toLower();
    return table.contains(padded);
}

class Line {
public:
    Line(const CodeLanguage &language, QStringView text, int state, std::vector<CodeSpan> *spans)
        : m_language(language)
        , m_text(text)
        , m_state(state)
        , m_spans(spans)
    { }
    int run();

private:
    void add(qsizetype from, qsizetype to, Token token)
    {
        if (to > from)
            m_spans->push_back({from, to - from, token});
    }
    [[nodiscard]] bool isWordPart(QChar c) const
    {
        return c.isLetterOrNumber() || c == u'_' || m_language.wordCharacters.contains(c);
    }
    [[nodiscard]] bool isHere(QStringView mark) const
    {
        return !mark.isEmpty() && m_text.mid(m_at).startsWith(mark);
    }
    void diff();
    bool goOn();
    bool comment();
    bool quote();
    bool number();
    bool word();
    bool tag();
    void finishComment(size_t index, qsizetype from, qsizetype searchFrom);
    void finishQuote(size_t index, qsizetype from, qsizetype searchFrom);

    const CodeLanguage &m_language;
    QStringView m_text;
    int m_state;
    std::vector<CodeSpan> *m_spans;
    qsizetype m_at = 0;
    bool m_inTag = false;
};

void Line::diff()
{
    if (m_text.startsWith(u"@@"))
        add(0, m_text.size(), Token::Function);
    else if (m_text.startsWith(u"+++") || m_text.startsWith(u"---") || m_text.startsWith(u"diff ")
             || m_text.startsWith(u"index "))
        add(0, m_text.size(), Token::Comment);
    else if (m_text.startsWith(u'+'))
        add(0, m_text.size(), Token::Added);
    else if (m_text.startsWith(u'-'))
        add(0, m_text.size(), Token::Removed);
}

void Line::finishComment(size_t index, qsizetype from, qsizetype searchFrom)
{
    const QStringView end = m_language.blockComments[index].end;
    const qsizetype found = m_text.indexOf(end, searchFrom);
    m_at = found < 0 ? m_text.size() : found + end.size();
    m_state = found < 0 ? InComment + static_cast<int>(index) : 0;
    add(from, m_at, Token::Comment);
}

void Line::finishQuote(size_t index, qsizetype from, qsizetype searchFrom)
{
    const CodeLanguage::Quote &quote = m_language.quotes[index];
    qsizetype i = searchFrom;
    m_state = quote.lines ? InQuote + static_cast<int>(index) : 0;
    while (i < m_text.size()) {
        if (quote.escapes && m_text[i] == u'\\') {
            i += 2;
        } else if (m_text.mid(i).startsWith(quote.mark)) {
            i += quote.mark.size();
            m_state = 0;
            break;
        } else {
            ++i;
        }
    }
    m_at = std::min(i, m_text.size());
    Token token = Token::String;
    // A quoted text before a colon is a key.
    if (m_language.name == u"json") {
        qsizetype next = m_at;
        while (next < m_text.size() && m_text[next].isSpace())
            ++next;
        if (next < m_text.size() && m_text[next] == u':')
            token = Token::Keyword;
    }
    add(from, m_at, token);
}

// What the line before left open.
bool Line::goOn()
{
    const int open = m_state % InTag;
    m_inTag = m_state >= InTag;
    m_state = 0;
    if (open >= InQuote && static_cast<size_t>(open - InQuote) < m_language.quotes.size()) {
        finishQuote(static_cast<size_t>(open - InQuote), 0, 0);
        return true;
    }
    if (open >= InComment && static_cast<size_t>(open - InComment) < m_language.blockComments.size()) {
        finishComment(static_cast<size_t>(open - InComment), 0, 0);
        return true;
    }
    return false;
}

bool Line::comment()
{
    for (size_t i = 0; i < m_language.blockComments.size(); ++i) {
        if (isHere(m_language.blockComments[i].begin)) {
            finishComment(i, m_at, m_at + m_language.blockComments[i].begin.size());
            return true;
        }
    }
    for (const QStringView mark : m_language.lineComments) {
        if (isHere(mark)
            && (!m_language.commentsAfterSpace || m_at == 0 || m_text[m_at - 1].isSpace()
                || m_text[m_at - 1] == u';')) {
            add(m_at, m_text.size(), Token::Comment);
            m_at = m_text.size();
            return true;
        }
    }
    return false;
}

bool Line::quote()
{
    for (size_t i = 0; i < m_language.quotes.size(); ++i) {
        const QStringView mark = m_language.quotes[i].mark;
        if (isHere(mark)) {
            finishQuote(i, m_at, m_at + mark.size());
            return true;
        }
    }
    return false;
}

bool Line::number()
{
    if (!isDigit(m_text[m_at]))
        return false;
    const qsizetype from = m_at;
    while (m_at < m_text.size()
           && (m_text[m_at].isLetterOrNumber() || m_text[m_at] == u'_'
               || (m_text[m_at] == u'.' && m_at + 1 < m_text.size() && isDigit(m_text[m_at + 1]))
               || ((m_text[m_at] == u'+' || m_text[m_at] == u'-') && m_at > from
                   && (m_text[m_at - 1] == u'e' || m_text[m_at - 1] == u'E'))))
        ++m_at;
    add(from, m_at, Token::Number);
    return true;
}

bool Line::word()
{
    const qsizetype from = m_at;
    const QChar first = m_text[m_at];
    const auto end = [this](qsizetype i) {
        while (i < m_text.size() && isWordPart(m_text[i]))
            ++i;
        return i;
    };
    if (m_language.variables && first == u'$') {
        const bool isBraced =
            m_at + 1 < m_text.size() && (m_text[m_at + 1] == u'{' || m_text[m_at + 1] == u'(');
        if (isBraced) {
            const QChar close = m_text[m_at + 1] == u'{' ? u'}' : u')';
            const qsizetype found = m_text.indexOf(close, m_at);
            m_at = found < 0 ? m_at + 2 : (m_text[m_at + 1] == u'(' ? m_at + 2 : found + 1);
        } else {
            ++m_at;
            while (m_at < m_text.size() && (m_text[m_at].isLetterOrNumber() || m_text[m_at] == u'_'))
                ++m_at;
        }
        add(from, m_at, Token::Function);
        return true;
    }
    if (m_language.decorators && first == u'@') {
        m_at = end(m_at + 1);
        add(from, m_at, Token::Function);
        return true;
    }
    if (m_language.directives && first == u'#' && m_text.left(m_at).trimmed().isEmpty()) {
        m_at = end(m_at + 1);
        add(from, m_at, Token::Keyword);
        return true;
    }
    if (!first.isLetter() && first != u'_')
        return false;
    m_at = end(m_at);
    const QStringView name = m_text.mid(from, m_at - from);
    if (m_language.form == Form::Keys) {
        qsizetype next = m_at;
        while (next < m_text.size() && m_text[next] == u' ')
            ++next;
        const bool isFirst = m_text.left(from).trimmed().isEmpty() || m_text.left(from).trimmed() == u"-";
        if (isFirst && next < m_text.size() && (m_text[next] == u':' || m_text[next] == u'=')) {
            add(from, m_at, Token::Keyword);
            return true;
        }
        if (hasWord(m_language.words, name, true))
            add(from, m_at, Token::Number);
        return true;
    }
    if (hasWord(m_language.words, name, m_language.anyCase))
        add(from, m_at, Token::Keyword);
    else if (m_at < m_text.size() && m_text[m_at] == u'(')
        add(from, m_at, Token::Function);
    return true;
}

// Markup: names of tags, attributes and their values; text between tags is plain.
bool Line::tag()
{
    const QChar c = m_text[m_at];
    if (!m_inTag) {
        const qsizetype next = m_text.indexOf(u'<', m_at);
        if (next != m_at) {
            m_at = next < 0 ? m_text.size() : next;
            return true;
        }
        qsizetype end = m_at + 1;
        while (end < m_text.size() && (m_text[end].isLetterOrNumber() || u"/!?:-_."_s.contains(m_text[end])))
            ++end;
        add(m_at, end, Token::Keyword);
        m_at = end;
        m_inTag = true;
        return true;
    }
    if (c == u'>') {
        add(m_at, m_at + 1, Token::Keyword);
        ++m_at;
        m_inTag = false;
        return true;
    }
    if (quote())
        return true;
    if (c.isLetter()) {
        const qsizetype from = m_at;
        while (m_at < m_text.size() && (m_text[m_at].isLetterOrNumber() || u":-_."_s.contains(m_text[m_at])))
            ++m_at;
        add(from, m_at, Token::Function);
        return true;
    }
    ++m_at;
    return true;
}

int Line::run()
{
    if (m_language.form == Form::Diff) {
        diff();
        return 0;
    }
    goOn();
    while (m_at < m_text.size()) {
        if ((!m_inTag && comment()))
            continue;
        if (m_language.form == Form::Markup) {
            tag();
            continue;
        }
        if (!quote() && !number() && !word())
            ++m_at;
    }
    return m_state + (m_inTag ? InTag : 0);
}

const CodeLanguage *languageOf(QStringView name)
{
    const QString lower = name.toString().toLower();
    if (lower.isEmpty() || lower.contains(u' '))
        return nullptr;
    const QString padded = u' ' + lower + u' ';
    for (const CodeLanguage &language : codeLanguages()) {
        if (language.name == lower || language.aliases.contains(padded))
            return &language;
    }
    return nullptr;
}

} // namespace

CodeLexer::CodeLexer(QStringView language)
    : m_language(languageOf(language))
{ }

CodeLexer::State CodeLexer::line(QStringView line, State state, std::vector<CodeSpan> *spans) const
{
    spans->clear();
    if (!m_language)
        return 0;
    return Line(*m_language, line.left(LongestLine), state, spans).run();
}

QStringList CodeLexer::languages()
{
    QStringList names;
    for (const CodeLanguage &language : codeLanguages())
        names.append(language.name.toString());
    return names;
}

QString CodeLexer::languageOfFile(QStringView fileName)
{
    const QStringView name = fileName.mid(fileName.lastIndexOf(u'/') + 1);
    const CodeLanguage *language = languageOf(name);
    if (!language && name.contains(u'.'))
        language = languageOf(name.mid(name.lastIndexOf(u'.') + 1));
    return language ? language->name.toString() : QString();
}

} // namespace Pilothouse
