// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/projectedcalls.h"

#include "store/calltext.h"
#include "text/inerttext.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 MaxOutputFed = 64 * 1024; // Only the last line is wanted.
constexpr qsizetype MaxReceipt = 300; // One line.
constexpr size_t MaxRuns = 24; // Of output: a card shows the last twelve lines.

qint64 lineCount(const QString &text)
{
    return text.isEmpty() ? 0 : text.count(u'\n') + (text.endsWith(u'\n') ? 0 : 1);
}

QString failureState(const QString &reason)
{
    for (const QLatin1StringView state : {"denied"_L1, "not-run"_L1, "stopped"_L1}) {
        if (reason == state)
            return reason;
    }
    return u"failed"_s;
}

QString resultState(const Json &payload)
{
    if (payload[u"outcome"].toString() == "unknown"_L1)
        return u"unknown"_s;
    if (payload[u"stopped"].toBool())
        return u"stopped"_s; // Whatever it said while it was told to end.
    const Json &exitCode = payload[u"exitCode"];
    const bool failed = (exitCode.isNumber() && exitCode.toInteger(1) != 0) || payload[u"isError"].toBool()
        || payload[u"result"][u"error"].toBool();
    return failed ? u"failed"_s : u"done"_s;
}

// The arguments as they stand now: as proposed, or as a person edited them.
void setArgs(TranscriptRow &row, const QString &toolName, const Json &args)
{
    bool isCut = false;
    row.text = callLine(toolName, args);
    row.data.set(u"args"_s, boundedArgs(args, &isCut));
    row.data.set(u"argsCut"_s, Json::boolean(isCut));
}

// In which order the two channels spoke last: lengths of what came without the other one between, those of
// stderr negative, the newest last.
void addRun(Json &data, bool isError, qint64 length)
{
    if (length <= 0)
        return;
    Json::Elements runs = data[u"outputRuns"].elements();
    const qint64 last = runs.empty() ? 0 : runs.back().toInteger(0);
    if (last != 0 && (last < 0) == isError)
        runs.back() = Json::number(last + (isError ? -length : length));
    else
        runs.push_back(Json::number(isError ? -length : length));
    if (runs.size() > MaxRuns)
        runs.erase(runs.begin());
    data.set(u"outputRuns"_s, Json::array(std::move(runs)));
}

} // namespace

void ProjectedCalls::index(const TranscriptRow &row)
{
    m_calls.insert(ProjectedRows::word(row.data[u"callId"]), row.row);
}

void ProjectedCalls::forget(const TranscriptRow &row)
{
    m_calls.remove(ProjectedRows::word(row.data[u"callId"]));
    m_outputs.erase({row.row, false});
    m_outputs.erase({row.row, true});
}

void ProjectedCalls::close(TranscriptRow &row, const Event &event)
{
    row.closed = true;
    forget(row);
    m_rows.touch(row, event);
}

TranscriptRow *ProjectedCalls::call(const Json &payload)
{
    return m_rows.find(m_calls.value(ProjectedRows::word(payload[u"callId"])));
}

void ProjectedCalls::toolCall(const Event &event, const Json &payload)
{
    const QString callId = ProjectedRows::word(payload[u"callId"]);
    if (callId.isEmpty() || m_calls.contains(callId))
        return;
    TranscriptRow &row = m_rows.add(event, payload, TranscriptRow::Kind::Call, false);
    const QString toolName = ProjectedRows::word(payload[u"toolName"]);
    row.data.set(u"callId"_s, Json::string(callId));
    row.data.set(u"toolName"_s, Json::string(toolName));
    setArgs(row, toolName, payload[u"args"]);
    ProjectedRows::setState(row, u"proposed"_s);
    for (const QStringView key :
         {QStringView(u"exitCode"), QStringView(u"durationMs"), QStringView(u"outcome")})
        row.data.set(key.toString(), Json());
    row.data.set(u"stdoutBytes"_s, Json::number(qint64(0)));
    row.data.set(u"stderrBytes"_s, Json::number(qint64(0)));
    row.data.set(u"lastLine"_s, Json::string({}));
    row.data.set(u"error"_s, Json());
    row.data.set(u"attempt"_s, Json::number(qint64(ProjectedRows::smallInteger(payload[u"attempt"]))));
    m_calls.insert(callId, row.row);
}

void ProjectedCalls::toolApproval(const Event &event, const Json &payload)
{
    TranscriptRow *row = call(payload);
    if (!row)
        return;
    const QString state = payload[u"state"].toString();
    if (state == "asked"_L1) {
        ProjectedRows::setState(*row, u"waiting"_s);
        row->data.set(u"askedMs"_s, Json::number(event.atMs));
    } else if (state == "approved"_L1 || state == "edited"_L1)
        ProjectedRows::setState(*row, u"approved"_s);
    else if (state == "denied"_L1)
        ProjectedRows::setState(*row, u"denied"_s);
    else
        return;
    if (payload[u"args"].isObject())
        setArgs(*row, row->data[u"toolName"].toString(), payload[u"args"]);
    row->data.set(u"approval"_s,
                  ProjectedRows::boundedMembers(payload, {u"state", u"by", u"rule", u"reason"}));
    m_rows.touch(*row, event);
}

void ProjectedCalls::toolStart(const Event &event, const Json &payload)
{
    TranscriptRow *row = call(payload);
    if (!row)
        return;
    if (payload[u"args"].isObject())
        setArgs(*row, row->data[u"toolName"].toString(), payload[u"args"]);
    ProjectedRows::setState(*row, u"running"_s);
    row->data.set(u"startedMs"_s, Json::number(event.atMs));
    m_rows.touch(*row, event);
}

void ProjectedCalls::toolOutput(const Event &event, const Json &payload, const QByteArray &bytes)
{
    TranscriptRow *row = call(payload);
    const qint64 offset = payload[u"offset"].toInteger(-1);
    const qint64 length = payload[u"length"].toInteger(-1);
    qint64 end = 0;
    if (!row || offset < 0 || length < 0 || qAddOverflow(offset, length, &end))
        return;
    const bool isError = payload[u"channel"].toString() == "stderr"_L1;
    const QString bytesKey = isError ? u"stderrBytes"_s : u"stdoutBytes"_s;
    addRun(row->data, isError, end - row->data[bytesKey].toInteger(0));
    row->data.set(bytesKey, Json::number(end));
    LastLine &line = m_outputs[{row->row, isError}];
    // Decided by the event, so that a replay that reads only the end of the bytes comes to the same line.
    if (length > MaxOutputFed)
        line.reset();
    line.feed(QByteArrayView(bytes).last(qMin<qsizetype>(bytes.size(), MaxOutputFed)));
    const QString text = line.text();
    if (!text.isEmpty())
        row->data.set(u"lastLine"_s, Json::string(text));
    m_rows.touch(*row, event);
}

void ProjectedCalls::toolResult(const Event &event, const Json &payload)
{
    TranscriptRow *row = call(payload);
    if (!row)
        return;
    ProjectedRows::setState(*row, resultState(payload));
    const Json members =
        ProjectedRows::boundedMembers(payload, {u"exitCode", u"durationMs", u"outcome", u"truncated"});
    for (const Json::Member &member : members.members())
        row->data.set(member.key, member.value);
    if (payload[u"timedOut"].toBool())
        row->data.set(u"timedOut"_s, Json::boolean(true));
    // What a file held is the model's; how long it is tells a person enough.
    const Json &content = payload[u"result"][u"content"];
    if (content.isString())
        row->data.set(u"resultLines"_s, Json::number(lineCount(content.toString())));
    for (const QStringView key :
         {QStringView(u"stdoutBytes"), QStringView(u"stderrBytes"), QStringView(u"leftOutBytes")}) {
        if (payload[key].isNumber())
            row->data.set(key.toString(), payload[key]);
    }
    if (payload[u"stopped"].toBool())
        row->data.set(u"stopped"_s, Json::boolean(true));
    if (payload[u"isError"].toBool() && payload[u"result"].isString())
        row->data.set(u"error"_s,
                      Json::string(payload[u"result"].toString().left(ProjectedRows::MaxErrorText)));
    close(*row, event);
}

bool ProjectedCalls::receipt(const Event &event, const Json &payload)
{
    TranscriptRow *row = payload[u"callId"].isString() ? call(payload) : nullptr;
    if (!row)
        return false;
    row->data.set(u"receipt"_s, Json::string(inertLine(payload[u"text"].toString(), MaxReceipt)));
    m_rows.touch(*row, event);
    return true;
}

void ProjectedCalls::toolError(const Event &event, const Json &payload)
{
    TranscriptRow *row = call(payload);
    if (!row)
        return;
    const QString reason = ProjectedRows::word(payload[u"reason"]);
    ProjectedRows::setState(*row, failureState(reason));
    row->data.set(u"error"_s, Json::string(payload[u"error"].toString().left(ProjectedRows::MaxErrorText)));
    row->data.set(u"reason"_s, Json::string(reason));
    close(*row, event);
}

} // namespace Pilothouse
