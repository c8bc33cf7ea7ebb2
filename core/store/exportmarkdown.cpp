// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/exportmarkdown.h"

#include "store/exportwriter.h"
#include "store/logreader.h"
#include "text/inerttext.h"

#include <QDateTime>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int RowsPerPage = 200;
constexpr qint64 MaxOutputHead = 32 * 1024; // Bytes of a channel; a report is read by people.
constexpr qint64 MaxOutputTail = 32 * 1024;
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

class MarkdownExport {
public:
    MarkdownExport(LogReader &reader, const QString &conversation, QIODevice &device)
        : m_reader(reader)
        , m_conversation(conversation)
        , m_out(device)
    { }

    Result<Done, Error> run()
    {
        const auto summary = m_reader.conversation(m_conversation);
        if (!summary)
            return fail(summary.error());
        m_out.write("# " + escapedLine(summary->title).toUtf8() + "\n\n");
        m_out.write(
            "Conversation " + m_conversation.toUtf8() + ", "
            + QDateTime::fromMSecsSinceEpoch(summary->createdMs, Qt::UTC).toString(Qt::ISODate).toUtf8()
            + ", " + escapedLine(QString(summary->provider + u'/' + summary->model)).toUtf8() + "\n\n");
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
        return m_out.result();
    }

private:
    void heading(const QString &text) { m_out.write("## " + escapedLine(text).toUtf8() + "\n\n"); }
    void line(const QString &text) { m_out.write(escapedLine(text).toUtf8() + "\n\n"); }

    void writeRow(const TranscriptRow &row)
    {
        if (row.withdrawn)
            return;
        switch (row.kind) {
        case TranscriptRow::Kind::User:
            heading(u"You"_s);
            m_out.write(fenced(row.text));
            break;
        case TranscriptRow::Kind::Text:
            heading(u"Answer"_s);
            m_out.write(fenced(row.text));
            break;
        case TranscriptRow::Kind::Reasoning:
            heading(u"Reasoning"_s);
            m_out.write(fenced(row.text));
            break;
        case TranscriptRow::Kind::Call:
            writeCall(row);
            break;
        case TranscriptRow::Kind::Step:
            break;
        case TranscriptRow::Kind::Notice:
            line(u"Note: "_s + row.text);
            break;
        case TranscriptRow::Kind::Error:
            line(u"Error: "_s + row.text);
            break;
        case TranscriptRow::Kind::TurnEnd:
            line(u"Turn "_s + QString::number(row.turn) + u" ended: "_s + row.text);
            break;
        }
        if (row.data[u"cut"].toBool())
            line(u"(cut; the JSON export has the rest)"_s);
    }

    void writeCall(const TranscriptRow &row)
    {
        const Json &data = row.data;
        heading(u"Call "_s + data[u"toolName"].toString());
        m_out.write(fenced(QString::fromUtf8(data[u"args"].toPrettyJson())));
        QString state = u"State: "_s + data[u"state"].toString();
        if (const auto exitCode = data[u"exitCode"].toInteger())
            state += u", exit code "_s + QString::number(*exitCode);
        if (const auto duration = data[u"durationMs"].toInteger())
            state += u", "_s + QString::number(*duration) + u" ms"_s;
        line(state);
        if (data[u"error"].isString())
            m_out.write(fenced(data[u"error"].toString()));
        for (const QString &channel : {u"stdout"_s, u"stderr"_s})
            writeOutput(data[u"callId"].toString(), channel, data[QString(channel + u"Bytes")].toInteger(0));
    }

    void writeOutput(const QString &callId, const QString &channel, qint64 size)
    {
        if (size <= 0)
            return;
        line(channel + u", "_s + QString::number(size) + u" bytes"_s);
        const bool isWhole = size <= MaxOutputHead + MaxOutputTail;
        const auto head = m_reader.output(m_conversation, callId, channel, 0, isWhole ? size : MaxOutputHead);
        if (!head) {
            line(head.error().message);
            return;
        }
        m_out.write(fenced(QString::fromUtf8(*head)));
        if (isWhole)
            return;
        line(u"… "_s + QString::number(size - MaxOutputHead - MaxOutputTail) + u" bytes left out …"_s);
        const auto tail =
            m_reader.output(m_conversation, callId, channel, size - MaxOutputTail, MaxOutputTail);
        m_out.write(fenced(QString::fromUtf8(tail.value_or({}))));
    }

    LogReader &m_reader;
    QString m_conversation;
    ExportWriter m_out;
};

} // namespace

Result<Done, Error> exportMarkdown(LogReader &reader, const QString &conversation, QIODevice &out)
{
    return MarkdownExport(reader, conversation, out).run();
}

} // namespace Pilothouse
