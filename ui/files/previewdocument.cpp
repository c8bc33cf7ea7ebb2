// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/previewdocument.h"

#include "text/codelexer.h"
#include "text/inerttext.h"

#include <algorithm>
#include <cstring>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype BytesPerLine = 16;
constexpr qsizetype HexColumns = BytesPerLine * 3 + 1; // A wider gap in the middle.
constexpr qsizetype TabWidth = 8;
constexpr double MostControls = 0.01; // Of text; some files hold escape sequences.

bool isPrintable(char c) { return c >= ' ' && c < 0x7f; }

/// Tabs as spaces to the next stop, everything else inert.
QString shownLine(const QString &text)
{
    const QString inert = inertText(text);
    if (!inert.contains(u'\t'))
        return inert;
    QString out;
    out.reserve(inert.size() + TabWidth * 4);
    for (const QChar c : inert) {
        if (c != u'\t') {
            out += c;
            continue;
        }
        out += QString(TabWidth - out.size() % TabWidth, u' ');
    }
    return out;
}

} // namespace

QList<PreviewDocument::Color> PreviewDocument::colors(qsizetype) const { return {}; }

/// The language of the file, and its state at the begin of each line, so that any line can be coloured alone.
class TextDocument::Colors {
public:
    explicit Colors(const QByteArray &fileName)
        : m_lexer(CodeLexer::languageOfFile(QString::fromUtf8(fileName)))
    { }

    [[nodiscard]] bool isKnown() const { return m_lexer.isKnown(); }
    void addLine(const QString &line)
    {
        m_states.push_back(m_state);
        m_spans.clear();
        m_state = m_lexer.line(line, m_state, &m_spans);
    }
    [[nodiscard]] QList<Color> of(qsizetype index, const QString &line) const
    {
        QList<Color> colors;
        if (std::size_t(index) >= m_states.size())
            return colors;
        std::vector<CodeSpan> spans;
        m_lexer.line(line, m_states[std::size_t(index)], &spans);
        for (const CodeSpan &span : spans)
            colors.append({span.at, span.length, roleOf(span.token)});
        return colors;
    }

private:
    [[nodiscard]] static Role roleOf(CodeSpan::Token token)
    {
        switch (token) {
        case CodeSpan::Token::Keyword:
            return Role::SynKeyword;
        case CodeSpan::Token::String:
            return Role::SynString;
        case CodeSpan::Token::Number:
            return Role::SynNumber;
        case CodeSpan::Token::Comment:
            return Role::SynComment;
        case CodeSpan::Token::Function:
            return Role::SynFunc;
        case CodeSpan::Token::Added:
            return Role::Finished;
        case CodeSpan::Token::Removed:
            return Role::Failed;
        }
        return Role::Text;
    }

    CodeLexer m_lexer;
    CodeLexer::State m_state = 0;
    std::vector<CodeLexer::State> m_states;
    std::vector<CodeSpan> m_spans;
};

TextDocument::TextDocument(QByteArray bytes, const QByteArray &fileName)
    : m_bytes(std::move(bytes))
    , m_colors(std::make_unique<Colors>(fileName))
{
    if (m_bytes.startsWith("\xEF\xBB\xBF"))
        m_bytes.remove(0, 3);
    const char *const data = m_bytes.constData();
    const qsizetype size = m_bytes.size();
    for (qsizetype at = 0; at < size;) {
        m_starts.push_back(quint32(at));
        const void *end = std::memchr(data + at, '\n', std::size_t(size - at));
        const qsizetype next = end ? static_cast<const char *>(end) - data + 1 : size;
        m_widest = std::max(m_widest, std::min(next - at, LongestLine));
        at = next;
    }
    if (m_colors->isKnown()) {
        for (qsizetype i = 0; i < lineCount(); ++i)
            m_colors->addLine(line(i));
    }
}

TextDocument::~TextDocument() = default;

QByteArrayView TextDocument::bytesOf(qsizetype index) const
{
    const qsizetype from = m_starts[std::size_t(index)];
    qsizetype to =
        std::size_t(index) + 1 < m_starts.size() ? m_starts[std::size_t(index) + 1] : m_bytes.size();
    if (to > from && m_bytes[to - 1] == '\n')
        --to;
    if (to > from && m_bytes[to - 1] == '\r')
        --to;
    return QByteArrayView(m_bytes).sliced(from, to - from);
}

QString TextDocument::line(qsizetype index) const
{
    const QByteArrayView bytes = bytesOf(index);
    // Four bytes make a character at most; what is cut is cut again below, at a character.
    const bool isLong = bytes.size() > LongestLine;
    QString text = shownLine(QString::fromUtf8(isLong ? bytes.first(LongestLine) : bytes));
    if (isLong) {
        text.truncate(LongestLine);
        text += u" … %1 more bytes in this line"_s.arg(bytes.size() - LongestLine);
    }
    return text;
}

QString TextDocument::gutter(qsizetype index) const { return QString::number(index + 1); }

QList<PreviewDocument::Color> TextDocument::colors(qsizetype index) const
{
    return m_colors->isKnown() ? m_colors->of(index, line(index)) : QList<Color>();
}

QString TextDocument::text(qsizetype firstLine, qsizetype lastLine) const
{
    QStringList lines;
    for (qsizetype i = firstLine; i <= lastLine && i < lineCount(); ++i)
        lines.append(inertText(QString::fromUtf8(bytesOf(i))));
    return lines.join(u'\n');
}

qsizetype HexDocument::lineCount() const { return (m_bytes.size() + BytesPerLine - 1) / BytesPerLine; }

QString HexDocument::line(qsizetype index) const
{
    static constexpr char Digits[] = "0123456789abcdef";
    const qsizetype from = index * BytesPerLine;
    const qsizetype count = std::min(BytesPerLine, m_bytes.size() - from);
    QString hex;
    QString characters;
    for (qsizetype i = 0; i < BytesPerLine; ++i) {
        if (i == BytesPerLine / 2)
            hex += u' ';
        if (i >= count) {
            hex += u"   "_s;
            continue;
        }
        const char c = m_bytes[from + i];
        hex += QLatin1Char(Digits[(uchar(c) >> 4) & 0xF]);
        hex += QLatin1Char(Digits[uchar(c) & 0xF]);
        hex += u' ';
        characters += isPrintable(c) ? QLatin1Char(c) : QLatin1Char('.');
    }
    return QString(hex + u' ' + characters);
}

QString HexDocument::gutter(qsizetype index) const
{
    return u"%1"_s.arg(index * BytesPerLine, 8, 16, QLatin1Char('0'));
}

qsizetype HexDocument::widest() const { return HexColumns + 1 + BytesPerLine; }

QList<PreviewDocument::Color> HexDocument::colors(qsizetype index) const
{
    const qsizetype count = std::min(BytesPerLine, m_bytes.size() - index * BytesPerLine);
    return {{HexColumns + 1, count, Role::Text2}};
}

QString HexDocument::text(qsizetype firstLine, qsizetype lastLine) const
{
    QStringList lines;
    for (qsizetype i = firstLine; i <= lastLine && i < lineCount(); ++i)
        lines.append(QString(gutter(i) + u"  "_s + line(i)));
    return lines.join(u'\n');
}

bool looksLikeText(const QByteArray &head)
{
    if (head.contains('\0'))
        return false;
    qsizetype bad = 0;
    for (qsizetype at = 0; at < head.size();) {
        const uchar c = uchar(head[at]);
        if (c < 0x80) {
            bad += (c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b) || c == 0x7f
                ? 1
                : 0;
            ++at;
            continue;
        }
        const int length = c >= 0xC2 && c < 0xE0 ? 2
            : c >= 0xE0 && c < 0xF0              ? 3
            : c >= 0xF0 && c < 0xF5              ? 4
                                                 : 0;
        if (length == 0) {
            bad += 4; // Other encodings show here.
            ++at;
            continue;
        }
        if (at + length > head.size())
            break; // Cut.
        const bool isWhole = std::all_of(head.begin() + at + 1, head.begin() + at + length,
                                         [](char next) { return (uchar(next) & 0xC0) == 0x80; });
        bad += isWhole ? 0 : 4;
        at += isWhole ? length : 1;
    }
    return double(bad) <= MostControls * double(head.size());
}

QByteArray imageFormat(const QByteArray &head)
{
    if (head.startsWith("\x89PNG\r\n\x1a\n"))
        return "PNG";
    if (head.startsWith("\xFF\xD8\xFF"))
        return "JPEG";
    if (head.startsWith("GIF87a") || head.startsWith("GIF89a"))
        return "GIF";
    if (head.startsWith("BM") && head.size() > 26 && head.mid(6, 4) == QByteArray(4, '\0'))
        return "BMP";
    if (head.startsWith("RIFF") && head.mid(8, 4) == "WEBP")
        return "WEBP";
    return {};
}

} // namespace Pilothouse
