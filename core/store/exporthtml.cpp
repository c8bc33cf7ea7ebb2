// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/exporthtml.h"

#include "store/exportreport.h"
#include "store/exportwriter.h"
#include "text/inerttext.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaxHtmlLine = 200;

// The policy comes before anything from outside. Colours are the reader's own.
constexpr auto PageHead = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                          "style-src 'unsafe-inline'\">\n"
                          "<meta name=\"referrer\" content=\"no-referrer\">\n"
                          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                          "<style>\n:root { color-scheme: light dark; }\n"
                          "body { font-family: sans-serif; line-height: 1.5; max-width: 50rem; margin: 2rem "
                          "auto; padding: 0 1rem; }\n"
                          "section { border-top: 1px solid GrayText; padding: 0.5rem 0; }\n"
                          "h2 { font-size: 1rem; margin: 0.5rem 0; }\n"
                          "pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.5rem 0; }\n"
                          ".code { font-family: monospace; border: 1px solid GrayText; padding: 0.5rem; }\n"
                          ".note { color: GrayText; }\n</style>\n";

QByteArray htmlText(const QString &text) { return inertText(text).toHtmlEscaped().toUtf8(); }

QByteArray htmlLine(const QString &text) { return inertLine(text, MaxHtmlLine).toHtmlEscaped().toUtf8(); }

class HtmlFormat final : public ReportFormat {
public:
    explicit HtmlFormat(ExportWriter &out)
        : m_out(out)
    { }

    void begin(const QString &title, const QString &about) override
    {
        const QByteArray shown = htmlLine(title);
        m_out.write(PageHead);
        m_out.write("<title>" + shown + "</title>\n</head>\n<body>\n<header>\n<h1>" + shown + "</h1>\n");
        note(about);
        m_out.write("</header>\n<main>\n");
    }
    void beginSection(const QString &heading) override
    {
        m_out.write("<section>\n<h2>" + htmlLine(heading) + "</h2>\n");
    }
    void endSection() override { m_out.write("</section>\n"); }
    void prose(const QString &text) override { m_out.write("<pre>" + htmlText(text) + "</pre>\n"); }
    void code(const QString &text) override
    {
        m_out.write("<pre class=\"code\">" + htmlText(text) + "</pre>\n");
    }
    void note(const QString &text) override { m_out.write("<p class=\"note\">" + htmlLine(text) + "</p>\n"); }
    void end() override { m_out.write("</main>\n</body>\n</html>\n"); }

private:
    ExportWriter &m_out;
};

} // namespace

Result<Done, Error> exportHtml(LogReader &reader, const QString &conversation, QIODevice &device)
{
    ExportWriter out(device);
    HtmlFormat format(out);
    return writeReport(reader, conversation, format, out);
}

} // namespace Pilothouse
