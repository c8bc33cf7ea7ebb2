// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/exportmarkdown.h"

#include "store/exportreport.h"
#include "store/exportwriter.h"
#include "text/inerttext.h"
#include "text/markdownwriter.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaxMarkdownLine = 200;
constexpr int HeadingsBelow = 2; // Of an answer: below the section that it stands in.

// Text outside fences: one line, nothing that Markdown reads as markup.
QString markdownLine(const QString &text) { return writeMarkdownLine(text, MaxMarkdownLine); }

class MarkdownFormat final : public ReportFormat {
public:
    explicit MarkdownFormat(ExportWriter &out)
        : m_out(out)
    { }

    void begin(const QString &title, const QString &about) override
    {
        m_out.write("# " + markdownLine(title).toUtf8() + "\n\n");
        note(about);
    }
    void beginSection(const QString &heading) override
    {
        m_out.write("## " + markdownLine(heading).toUtf8() + "\n\n");
    }
    void prose(const QString &text) override { words(text, MarkdownBlocks::Dialect::Plain); }
    void answer(const QString &text) override { words(text, MarkdownBlocks::Dialect::Markdown); }
    void code(const QString &text) override
    {
        m_out.write(writeFence(inertText(text), u"text").toUtf8() + '\n');
    }
    void note(const QString &text) override { m_out.write(markdownLine(text).toUtf8() + "\n\n"); }

private:
    void words(const QString &text, MarkdownBlocks::Dialect dialect)
    {
        if (const QString written = writeMarkdown(text, dialect, HeadingsBelow); !written.isEmpty())
            m_out.write(written.toUtf8() + '\n');
    }

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
