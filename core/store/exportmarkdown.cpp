// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/exportmarkdown.h"

#include "store/exportreport.h"
#include "store/exportwriter.h"
#include "text/inerttext.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaxLine = 200;

// Text outside fences: one line, nothing that Markdown reads as markup. A backslash is allowed before any of
// these.
QString escapedLine(const QString &text)
{
    QString out;
    for (const QChar c : inertLine(text, MaxLine)) {
        if (c.unicode() < 0x80 && !c.isLetterOrNumber() && c != u' ')
            out += u'\\';
        out += c;
    }
    return out;
}

// A fence of more back quotes than the longest run inside.
QByteArray fenced(const QString &text)
{
    const QString shown = inertText(text);
    qsizetype longest = 2;
    qsizetype run = 0;
    for (const QChar c : shown) {
        run = c == u'`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const QByteArray fence(longest + 1, '`');
    QByteArray out = fence + "text\n" + shown.toUtf8();
    if (!out.endsWith('\n'))
        out += '\n';
    return out + fence + "\n\n";
}

class MarkdownFormat final : public ReportFormat {
public:
    explicit MarkdownFormat(ExportWriter &out)
        : m_out(out)
    { }

    void begin(const QString &title, const QString &about) override
    {
        m_out.write("# " + escapedLine(title).toUtf8() + "\n\n");
        note(about);
    }
    void beginSection(const QString &heading) override
    {
        m_out.write("## " + escapedLine(heading).toUtf8() + "\n\n");
    }
    void prose(const QString &text) override { m_out.write(fenced(text)); }
    void code(const QString &text) override { m_out.write(fenced(text)); }
    void note(const QString &text) override { m_out.write(escapedLine(text).toUtf8() + "\n\n"); }

private:
    ExportWriter &m_out;
};

} // namespace

Result<Done, Error> exportMarkdown(LogReader &reader, const QString &conversation, QIODevice &device)
{
    ExportWriter out(device);
    MarkdownFormat format(out);
    return writeReport(reader, conversation, format, out);
}

} // namespace Pilothouse
