// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/exporthtml.h"

#include "store/exportwriter.h"
#include "store/logreader.h"
#include "text/inerttext.h"

#include <QDateTime>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int RowsPerPage = 200;
constexpr qint64 MaxOutputHead = 32 * 1024; // Bytes of a channel; a report is read by people.
constexpr qint64 MaxOutputTail = 32 * 1024;
constexpr qsizetype MaxLine = 200;

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

QByteArray escapedText(const QString &text) { return inertText(text).toHtmlEscaped().toUtf8(); }

QByteArray escapedLine(const QString &text) { return inertLine(text, MaxLine).toHtmlEscaped().toUtf8(); }

class HtmlExport {
public:
    HtmlExport(LogReader &reader, const QString &conversation, QIODevice &device)
        : m_reader(reader)
        , m_conversation(conversation)
        , m_out(device)
    { }

    Result<Done, Error> run()
    {
        const auto summary = m_reader.conversation(m_conversation);
        if (!summary)
            return fail(summary.error());
        const QByteArray title = escapedLine(summary->title);
        m_out.write(PageHead);
        m_out.write("<title>" + title + "</title>\n</head>\n<body>\n<header>\n<h1>" + title + "</h1>\n");
        const QString about = u"Conversation "_s + m_conversation + u", "_s
            + QDateTime::fromMSecsSinceEpoch(summary->createdMs, Qt::UTC).toString(Qt::ISODate) + u", "_s
            + summary->provider + u'/' + summary->model;
        note(about);
        m_out.write("</header>\n<main>\n");
        if (const auto done = writeRows(); !done)
            return done;
        m_out.write("</main>\n</body>\n</html>\n");
        return m_out.result();
    }

private:
    Result<Done, Error> writeRows()
    {
        qint64 next = 1;
        while (m_out.isGood()) {
            const auto rows = m_reader.rowsBefore(m_conversation, next + RowsPerPage, RowsPerPage);
            if (!rows)
                return fail(rows.error());
            const qint64 first = next;
            for (const TranscriptRow &row : *rows) {
                if (row.row < next)
                    continue;
                // A page of long texts starts later than asked for; the rows before it come on their own.
                for (; next < row.row; ++next) {
                    const auto skipped = m_reader.rowsBefore(m_conversation, next + 1, 1);
                    if (!skipped)
                        return fail(skipped.error());
                    if (!skipped->isEmpty() && skipped->last().row == next)
                        writeRow(skipped->last());
                }
                writeRow(row);
                next = row.row + 1;
            }
            if (next == first)
                break;
        }
        return Done();
    }

    void note(const QString &text) { m_out.write("<p class=\"note\">" + escapedLine(text) + "</p>\n"); }
    void prose(const QString &text) { m_out.write("<pre>" + escapedText(text) + "</pre>\n"); }
    void code(const QString &text) { m_out.write("<pre class=\"code\">" + escapedText(text) + "</pre>\n"); }
    void section(const QString &heading, const QString &text)
    {
        m_out.write("<section>\n<h2>" + escapedLine(heading) + "</h2>\n");
        prose(text);
        m_out.write("</section>\n");
    }

    void writeRow(const TranscriptRow &row)
    {
        if (row.withdrawn)
            return;
        switch (row.kind) {
        case TranscriptRow::Kind::User:
            section(u"You"_s, row.text);
            break;
        case TranscriptRow::Kind::Text:
            section(u"Answer"_s, row.text);
            break;
        case TranscriptRow::Kind::Reasoning:
            section(u"Reasoning"_s, row.text);
            break;
        case TranscriptRow::Kind::Call:
            writeCall(row.data);
            break;
        case TranscriptRow::Kind::Step:
            break;
        case TranscriptRow::Kind::Notice:
            note(u"Note: "_s + row.text);
            break;
        case TranscriptRow::Kind::Error:
            note(u"Error: "_s + row.text);
            break;
        case TranscriptRow::Kind::TurnEnd:
            note(u"Turn "_s + QString::number(row.turn) + u" ended: "_s + row.text);
            break;
        }
        if (row.data[u"cut"].toBool())
            note(u"(cut; the JSON export has the rest)"_s);
    }

    void writeCall(const Json &data)
    {
        m_out.write("<section>\n<h2>Call " + escapedLine(data[u"toolName"].toString()) + "</h2>\n");
        code(QString::fromUtf8(data[u"args"].toPrettyJson()));
        QString state = u"State: "_s + data[u"state"].toString();
        if (const auto exitCode = data[u"exitCode"].toInteger())
            state += u", exit code "_s + QString::number(*exitCode);
        if (const auto duration = data[u"durationMs"].toInteger())
            state += u", "_s + QString::number(*duration) + u" ms"_s;
        note(state);
        if (data[u"error"].isString())
            prose(data[u"error"].toString());
        for (const QString &channel : {u"stdout"_s, u"stderr"_s})
            writeOutput(data[u"callId"].toString(), channel, data[QString(channel + u"Bytes")].toInteger(0));
        m_out.write("</section>\n");
    }

    void writeOutput(const QString &callId, const QString &channel, qint64 size)
    {
        if (size <= 0)
            return;
        note(channel + u", "_s + QString::number(size) + u" bytes"_s);
        const bool isWhole = size <= MaxOutputHead + MaxOutputTail;
        const auto head = m_reader.output(m_conversation, callId, channel, 0, isWhole ? size : MaxOutputHead);
        if (!head) {
            note(head.error().message);
            return;
        }
        code(QString::fromUtf8(*head));
        if (isWhole)
            return;
        note(u"… "_s + QString::number(size - MaxOutputHead - MaxOutputTail) + u" bytes left out …"_s);
        const auto tail =
            m_reader.output(m_conversation, callId, channel, size - MaxOutputTail, MaxOutputTail);
        if (tail)
            code(QString::fromUtf8(*tail));
        else
            note(tail.error().message);
    }

    LogReader &m_reader;
    QString m_conversation;
    ExportWriter m_out;
};

} // namespace

Result<Done, Error> exportHtml(LogReader &reader, const QString &conversation, QIODevice &out)
{
    return HtmlExport(reader, conversation, out).run();
}

} // namespace Pilothouse
