// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/exportreport.h"

#include "store/exportwriter.h"
#include "store/logreader.h"

#include <QDateTime>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int RowsPerPage = 200;
constexpr qint64 MaxOutputHead = 32 * 1024; // Bytes of a channel; a report is read by people.
constexpr qint64 MaxOutputTail = 32 * 1024;

class ReportWalk {
public:
    ReportWalk(LogReader &reader, const QString &conversation, ReportFormat &format, const ExportWriter &out)
        : m_reader(reader)
        , m_conversation(conversation)
        , m_format(format)
        , m_out(out)
    { }

    Result<Done, Error> run()
    {
        const auto summary = m_reader.conversation(m_conversation);
        if (!summary)
            return fail(summary.error());
        m_format.begin(summary->title,
                       u"Conversation "_s + m_conversation + u", "_s
                           + QDateTime::fromMSecsSinceEpoch(summary->createdMs, Qt::UTC).toString(Qt::ISODate)
                           + u", "_s + summary->provider + u'/' + summary->model);
        if (const auto done = writeRows(); !done)
            return done;
        m_format.end();
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

    void section(const QString &heading, const QString &text, bool isModel)
    {
        m_format.beginSection(heading);
        if (isModel)
            m_format.answer(text);
        else
            m_format.prose(text);
        m_format.endSection();
    }

    void writeRow(const TranscriptRow &row)
    {
        if (row.withdrawn)
            return;
        switch (row.kind) {
        case TranscriptRow::Kind::User:
            section(u"You"_s, row.text, false);
            break;
        case TranscriptRow::Kind::Text:
            section(u"Answer"_s, row.text, true);
            break;
        case TranscriptRow::Kind::Reasoning:
            section(u"Reasoning"_s, row.text, true);
            break;
        case TranscriptRow::Kind::Call:
            writeCall(row.data);
            break;
        case TranscriptRow::Kind::Step:
            break;
        case TranscriptRow::Kind::Notice:
            m_format.note(u"Note: "_s + row.text);
            break;
        case TranscriptRow::Kind::Error:
            m_format.note(u"Error: "_s + row.text);
            break;
        case TranscriptRow::Kind::TurnEnd:
            m_format.note(u"Turn "_s + QString::number(row.turn) + u" ended: "_s + row.text);
            break;
        }
        if (row.data[u"cut"].toBool())
            m_format.note(u"(cut; the JSON export has the rest)"_s);
    }

    void writeCall(const Json &data)
    {
        m_format.beginSection(u"Call "_s + data[u"toolName"].toString());
        m_format.code(QString::fromUtf8(data[u"args"].toPrettyJson()));
        QString state = u"State: "_s + data[u"state"].toString();
        if (const auto exitCode = data[u"exitCode"].toInteger())
            state += u", exit code "_s + QString::number(*exitCode);
        if (const auto duration = data[u"durationMs"].toInteger())
            state += u", "_s + QString::number(*duration) + u" ms"_s;
        m_format.note(state);
        if (data[u"error"].isString())
            m_format.prose(data[u"error"].toString());
        for (const QString &channel : {u"stdout"_s, u"stderr"_s})
            writeOutput(data[u"callId"].toString(), channel, data[QString(channel + u"Bytes")].toInteger(0));
        m_format.endSection();
    }

    void writeOutput(const QString &callId, const QString &channel, qint64 size)
    {
        if (size <= 0)
            return;
        m_format.note(channel + u", "_s + QString::number(size) + u" bytes"_s);
        const auto part = [&](qint64 offset, qint64 length) {
            const auto bytes = m_reader.output(m_conversation, callId, channel, offset, length);
            if (bytes)
                m_format.code(QString::fromUtf8(*bytes));
            else
                m_format.note(bytes.error().message);
            return bytes.has_value();
        };
        if (size <= MaxOutputHead + MaxOutputTail) {
            part(0, size);
            return;
        }
        if (!part(0, MaxOutputHead))
            return; // It was said once why there is nothing.
        m_format.note(u"… "_s + QString::number(size - MaxOutputHead - MaxOutputTail)
                      + u" bytes left out …"_s);
        part(size - MaxOutputTail, MaxOutputTail);
    }

    LogReader &m_reader;
    QString m_conversation;
    ReportFormat &m_format;
    const ExportWriter &m_out;
};

} // namespace

Result<Done, Error> writeReport(LogReader &reader, const QString &conversation, ReportFormat &format,
                                const ExportWriter &out)
{
    return ReportWalk(reader, conversation, format, out).run();
}

} // namespace Pilothouse
