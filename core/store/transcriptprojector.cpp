// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/transcriptprojector.h"

#include "store/calltext.h"
#include "text/inerttext.h"
#include "text/lastline.h"

#include <QHash>

#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaxLineText = 500; // Notices and errors are one line; members of the event hold the rest.
constexpr qsizetype MaxErrorText = 2000;
constexpr qsizetype MaxWord = 200;
constexpr qint64 MaxOutputFed = 64 * 1024; // Only the last line is wanted.
constexpr size_t MaxOpenTexts = 1000; // Of one attempt; more parts are joined to the newest.

int smallInteger(const Json &value)
{
    return static_cast<int>(qBound(qint64(0), value.toInteger(0), qint64(std::numeric_limits<int>::max())));
}

QString word(const Json &value) { return value.toString().left(MaxWord); }

// Members of an event in a row's data, each bounded: they are for a card, and the event has them whole.
Json boundedMembers(const Json &payload, std::initializer_list<QStringView> keys)
{
    Json out = Json::object();
    for (const QStringView key : keys) {
        const Json &value = payload[key];
        if (value.isString())
            out.set(key.toString(), Json::string(value.toString().left(MaxErrorText)));
        else if (value.toJson().size() <= MaxErrorText)
            out.set(key.toString(), value);
    }
    return out;
}

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
    const Json &exitCode = payload[u"exitCode"];
    const bool failed = (exitCode.isNumber() && exitCode.toInteger(1) != 0) || payload[u"isError"].toBool()
        || payload[u"result"][u"error"].toBool();
    return failed ? u"failed"_s : u"done"_s;
}

void setState(TranscriptRow &row, const QString &state) { row.data.set(u"state"_s, Json::string(state)); }

// The arguments as they stand now: as proposed, or as a person edited them.
void setArgs(TranscriptRow &row, const QString &toolName, const Json &args)
{
    bool isCut = false;
    row.text = callLine(toolName, args);
    row.data.set(u"args"_s, boundedArgs(args, &isCut));
    row.data.set(u"argsCut"_s, Json::boolean(isCut));
}

} // namespace

class TranscriptProjector::Private {
public:
    using TextKey = std::tuple<int, int, int, int, qint64>; // kind, turn, step, attempt, part

    QString conversation;
    qint64 lastRow = 0;
    std::map<qint64, TranscriptRow> rows; // Open, or changed by the last apply().
    QHash<QString, qint64> calls;
    QHash<QString, qint64> messages;
    std::map<TextKey, qint64> texts;
    std::map<std::pair<qint64, bool>, LastLine> outputs; // Row and whether it is stderr.
    qint64 stepRow = 0;
    QList<qint64> changed;

    void index(const TranscriptRow &row);
    TranscriptRow &add(const Event &event, const Json &payload, TranscriptRow::Kind kind, bool closed);
    void touch(TranscriptRow &row, const Event &event);
    void close(TranscriptRow &row, const Event &event);
    void closeTexts(const Event &event);
    TranscriptRow *find(qint64 number);
    TranscriptRow *call(const Json &payload);

    void userMessage(const Event &event, const Json &payload);
    void deliver(const Event &event, const Json &payload, const QString &messageId);
    void queueChanged(const Event &event, const Json &payload);
    void stepStart(const Event &event, const Json &payload);
    void stepAbandoned(const Event &event, const Json &payload);
    void stepFinish(const Event &event, const Json &payload);
    void turnFinish(const Event &event, const Json &payload);
    void delta(const Event &event, const Json &payload, TranscriptRow::Kind kind);
    void toolCall(const Event &event, const Json &payload);
    void toolApproval(const Event &event, const Json &payload);
    void toolStart(const Event &event, const Json &payload);
    void toolOutput(const Event &event, const Json &payload, const QByteArray &bytes);
    void toolResult(const Event &event, const Json &payload);
    void toolError(const Event &event, const Json &payload);
    void notice(const Event &event, const Json &payload, const QString &text,
                std::initializer_list<QStringView> keys);
    void dispatch(const Event &event, const Json &payload, const QByteArray &bytes);
};

TranscriptRow *TranscriptProjector::Private::find(qint64 number)
{
    const auto it = rows.find(number);
    return it == rows.end() ? nullptr : &it->second;
}

TranscriptRow *TranscriptProjector::Private::call(const Json &payload)
{
    return find(calls.value(word(payload[u"callId"])));
}

// So that a projector made from stored open rows goes on where the other one ended.
void TranscriptProjector::Private::index(const TranscriptRow &row)
{
    switch (row.kind) {
    case TranscriptRow::Kind::User:
        messages.insert(word(row.data[u"messageId"]), row.row);
        break;
    case TranscriptRow::Kind::Text:
    case TranscriptRow::Kind::Reasoning:
        texts[{static_cast<int>(row.kind), row.turn, row.step, smallInteger(row.data[u"attempt"]),
               row.data[u"part"].toInteger(0)}] = row.row;
        break;
    case TranscriptRow::Kind::Call:
        calls.insert(word(row.data[u"callId"]), row.row);
        break;
    case TranscriptRow::Kind::Step:
        stepRow = row.row;
        break;
    case TranscriptRow::Kind::Notice:
    case TranscriptRow::Kind::Error:
    case TranscriptRow::Kind::TurnEnd:
        break;
    }
}

TranscriptRow &TranscriptProjector::Private::add(const Event &event, const Json &payload,
                                                 TranscriptRow::Kind kind, bool closed)
{
    TranscriptRow row;
    row.conversation = conversation;
    row.row = ++lastRow;
    row.kind = kind;
    row.turn = smallInteger(payload[u"turn"]);
    row.step = smallInteger(payload[u"step"]);
    row.firstSeq = event.seq;
    row.atMs = event.atMs;
    row.closed = closed;
    row.data = Json::object();
    TranscriptRow &added = rows[row.row] = row;
    touch(added, event);
    return added;
}

void TranscriptProjector::Private::touch(TranscriptRow &row, const Event &event)
{
    row.lastSeq = event.seq;
    if (!changed.contains(row.row))
        changed.append(row.row);
}

void TranscriptProjector::Private::close(TranscriptRow &row, const Event &event)
{
    row.closed = true;
    if (row.kind == TranscriptRow::Kind::Call) {
        calls.remove(word(row.data[u"callId"]));
        outputs.erase({row.row, false});
        outputs.erase({row.row, true});
    }
    if (row.kind == TranscriptRow::Kind::User)
        messages.remove(word(row.data[u"messageId"]));
    if (row.row == stepRow)
        stepRow = 0;
    touch(row, event);
}

void TranscriptProjector::Private::closeTexts(const Event &event)
{
    for (const auto &[key, number] : std::exchange(texts, {})) {
        if (TranscriptRow *row = find(number)) {
            const qint64 lastSeq = row->lastSeq; // The row ends with its own last delta.
            close(*row, event);
            row->lastSeq = lastSeq;
        }
    }
}

void TranscriptProjector::Private::userMessage(const Event &event, const Json &payload)
{
    TranscriptRow &row = add(event, payload, TranscriptRow::Kind::User, false);
    const QString text = payload[u"text"].toString();
    row.text = text.left(MaxText);
    row.data = boundedMembers(payload, {u"messageId", u"delivery"});
    setState(row, u"queued"_s);
    if (text.size() > MaxText)
        row.data.set(u"cut"_s, Json::boolean(true));
    index(row);
}

// A message stands where the model got it. If something was shown since it was written, its row moves to the
// end.
void TranscriptProjector::Private::deliver(const Event &event, const Json &payload, const QString &messageId)
{
    TranscriptRow *row = find(messages.value(messageId));
    if (!row)
        return;
    if (row->row != lastRow) {
        const QString text = std::exchange(row->text, {});
        const Json data = row->data;
        row->withdrawn = true;
        setState(*row, u"moved"_s);
        close(*row, event);
        row = &add(event, payload, TranscriptRow::Kind::User, false);
        row->text = text;
        row->data = data;
    }
    row->turn = smallInteger(payload[u"turn"]);
    row->step = smallInteger(payload[u"step"]);
    setState(*row, u"delivered"_s);
    close(*row, event);
}

void TranscriptProjector::Private::queueChanged(const Event &event, const Json &payload)
{
    const QString messageId = word(payload[u"messageId"]);
    const QString state = payload[u"state"].toString();
    if (state == "delivered"_L1) {
        deliver(event, payload, messageId);
    } else if (state == "removed"_L1) {
        if (TranscriptRow *row = find(messages.value(messageId))) {
            row->withdrawn = true;
            setState(*row, u"removed"_s);
            close(*row, event);
        }
    }
}

void TranscriptProjector::Private::stepStart(const Event &event, const Json &payload)
{
    TranscriptRow *row = find(stepRow);
    const int turn = smallInteger(payload[u"turn"]);
    const int step = smallInteger(payload[u"step"]);
    if (row && (row->turn != turn || row->step != step)) {
        close(*row, event);
        row = nullptr;
    }
    if (row)
        touch(*row, event); // The same step asks the model once more.
    else
        row = &add(event, payload, TranscriptRow::Kind::Step, false);
    stepRow = row->row;
    row->text = u"Step "_s + QString::number(step);
    row->data = boundedMembers(payload, {u"step", u"attempt"});
}

void TranscriptProjector::Private::stepAbandoned(const Event &event, const Json &payload)
{
    const int turn = smallInteger(payload[u"turn"]);
    const int step = smallInteger(payload[u"step"]);
    const int attempt = smallInteger(payload[u"attempt"]);
    texts.clear();
    for (auto &[number, row] : rows) {
        if (row.closed || row.turn != turn || row.step != step || row.kind == TranscriptRow::Kind::User
            || smallInteger(row.data[u"attempt"]) != attempt)
            continue;
        row.withdrawn = true;
        if (row.kind == TranscriptRow::Kind::Call)
            setState(row, u"not-run"_s);
        close(row, event);
    }
}

void TranscriptProjector::Private::stepFinish(const Event &event, const Json &payload)
{
    closeTexts(event);
    TranscriptRow *row = find(stepRow);
    if (!row)
        return;
    row->data = boundedMembers(
        payload,
        {u"step", u"attempt", u"finishReason", u"rawReason", u"usage", u"costNanos", u"modelMs", u"toolMs"});
    close(*row, event);
}

void TranscriptProjector::Private::turnFinish(const Event &event, const Json &payload)
{
    closeTexts(event);
    for (auto &[number, row] : rows) {
        if (row.closed || row.kind == TranscriptRow::Kind::User)
            continue; // A message that was not delivered waits for the next turn.
        if (row.kind == TranscriptRow::Kind::Call) {
            const bool ran = row.data[u"state"].toString() == "running"_L1;
            setState(row, ran ? u"unknown"_s : u"not-run"_s);
        }
        close(row, event);
    }
    TranscriptRow &row = add(event, payload, TranscriptRow::Kind::TurnEnd, true);
    row.text = inertLine(payload[u"reason"].toString(), MaxLineText);
    row.data = boundedMembers(payload, {u"turn", u"reason", u"steps", u"usage", u"costNanos"});
}

void TranscriptProjector::Private::delta(const Event &event, const Json &payload, TranscriptRow::Kind kind)
{
    const QString text = payload[u"text"].toString();
    if (text.isEmpty())
        return;
    const int attempt = smallInteger(payload[u"attempt"]);
    const qint64 part = payload[u"part"].toInteger(0);
    const TextKey key{static_cast<int>(kind), smallInteger(payload[u"turn"]), smallInteger(payload[u"step"]),
                      attempt, part};
    auto known = texts.find(key);
    TranscriptRow *row = known == texts.end() ? nullptr : find(known->second);
    if (!row && texts.size() >= MaxOpenTexts) {
        row = find(lastRow);
        if (!row || row->kind != kind || row->closed)
            return;
    }
    if (row) {
        touch(*row, event);
    } else {
        row = &add(event, payload, kind, false);
        row->data.set(u"attempt"_s, Json::number(qint64(attempt)));
        row->data.set(u"part"_s, Json::number(part));
        texts[key] = row->row;
    }
    const qsizetype room = MaxText - row->text.size();
    row->text += text.left(room);
    if (kind == TranscriptRow::Kind::Reasoning)
        row->data.set(u"endMs"_s, Json::number(event.atMs)); // It tells how long the model thought.
    if (text.size() > room && !row->data.contains(u"cut"))
        row->data.set(u"cut"_s, Json::boolean(true));
}

void TranscriptProjector::Private::toolCall(const Event &event, const Json &payload)
{
    const QString callId = word(payload[u"callId"]);
    if (callId.isEmpty() || calls.contains(callId))
        return;
    TranscriptRow &row = add(event, payload, TranscriptRow::Kind::Call, false);
    const QString toolName = word(payload[u"toolName"]);
    row.data.set(u"callId"_s, Json::string(callId));
    row.data.set(u"toolName"_s, Json::string(toolName));
    setArgs(row, toolName, payload[u"args"]);
    setState(row, u"proposed"_s);
    for (const QStringView key :
         {QStringView(u"exitCode"), QStringView(u"durationMs"), QStringView(u"outcome")})
        row.data.set(key.toString(), Json());
    row.data.set(u"stdoutBytes"_s, Json::number(qint64(0)));
    row.data.set(u"stderrBytes"_s, Json::number(qint64(0)));
    row.data.set(u"lastLine"_s, Json::string({}));
    row.data.set(u"error"_s, Json());
    row.data.set(u"attempt"_s, Json::number(qint64(smallInteger(payload[u"attempt"]))));
    calls.insert(callId, row.row);
}

void TranscriptProjector::Private::toolApproval(const Event &event, const Json &payload)
{
    TranscriptRow *row = call(payload);
    if (!row)
        return;
    const QString state = payload[u"state"].toString();
    if (state == "asked"_L1) {
        setState(*row, u"waiting"_s);
        row->data.set(u"askedMs"_s, Json::number(event.atMs));
    } else if (state == "approved"_L1 || state == "edited"_L1)
        setState(*row, u"approved"_s);
    else if (state == "denied"_L1)
        setState(*row, u"denied"_s);
    else
        return;
    if (payload[u"args"].isObject())
        setArgs(*row, row->data[u"toolName"].toString(), payload[u"args"]);
    row->data.set(u"approval"_s, boundedMembers(payload, {u"state", u"by", u"rule", u"reason"}));
    touch(*row, event);
}

void TranscriptProjector::Private::toolStart(const Event &event, const Json &payload)
{
    TranscriptRow *row = call(payload);
    if (!row)
        return;
    if (payload[u"args"].isObject())
        setArgs(*row, row->data[u"toolName"].toString(), payload[u"args"]);
    setState(*row, u"running"_s);
    row->data.set(u"startedMs"_s, Json::number(event.atMs));
    touch(*row, event);
}

void TranscriptProjector::Private::toolOutput(const Event &event, const Json &payload,
                                              const QByteArray &bytes)
{
    TranscriptRow *row = call(payload);
    const qint64 offset = payload[u"offset"].toInteger(-1);
    const qint64 length = payload[u"length"].toInteger(-1);
    qint64 end = 0;
    if (!row || offset < 0 || length < 0 || qAddOverflow(offset, length, &end))
        return;
    const bool isError = payload[u"channel"].toString() == "stderr"_L1;
    row->data.set(isError ? u"stderrBytes"_s : u"stdoutBytes"_s, Json::number(end));
    LastLine &line = outputs[{row->row, isError}];
    // Decided by the event, so that a replay that reads only the end of the bytes comes to the same line.
    if (length > MaxOutputFed)
        line.reset();
    line.feed(QByteArrayView(bytes).last(qMin<qsizetype>(bytes.size(), MaxOutputFed)));
    const QString text = line.text();
    if (!text.isEmpty())
        row->data.set(u"lastLine"_s, Json::string(text));
    touch(*row, event);
}

void TranscriptProjector::Private::toolResult(const Event &event, const Json &payload)
{
    TranscriptRow *row = call(payload);
    if (!row)
        return;
    setState(*row, resultState(payload));
    const Json members = boundedMembers(payload, {u"exitCode", u"durationMs", u"outcome", u"truncated"});
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
        row->data.set(u"error"_s, Json::string(payload[u"result"].toString().left(MaxErrorText)));
    close(*row, event);
}

void TranscriptProjector::Private::toolError(const Event &event, const Json &payload)
{
    TranscriptRow *row = call(payload);
    if (!row)
        return;
    const QString reason = word(payload[u"reason"]);
    setState(*row, failureState(reason));
    row->data.set(u"error"_s, Json::string(payload[u"error"].toString().left(MaxErrorText)));
    row->data.set(u"reason"_s, Json::string(reason));
    close(*row, event);
}

void TranscriptProjector::Private::notice(const Event &event, const Json &payload, const QString &text,
                                          std::initializer_list<QStringView> keys)
{
    TranscriptRow &row = add(event, payload, TranscriptRow::Kind::Notice, true);
    row.text = inertLine(text, MaxLineText);
    row.data = boundedMembers(payload, keys);
    row.data.set(u"event"_s, Json::string(eventKindName(event.kind)));
}

void TranscriptProjector::Private::dispatch(const Event &event, const Json &payload, const QByteArray &bytes)
{
    switch (event.kind) {
    case EventKind::UserMessage:
        userMessage(event, payload);
        break;
    case EventKind::QueueChanged:
        queueChanged(event, payload);
        break;
    case EventKind::TurnStart:
        for (const Json &id : payload[u"messageIds"].elements())
            deliver(event, payload, word(id));
        break;
    case EventKind::StepStart:
        stepStart(event, payload);
        break;
    case EventKind::StepAbandoned:
        stepAbandoned(event, payload);
        break;
    case EventKind::StepFinish:
        stepFinish(event, payload);
        break;
    case EventKind::TurnFinish:
        turnFinish(event, payload);
        break;
    case EventKind::TextDelta:
        delta(event, payload, TranscriptRow::Kind::Text);
        break;
    case EventKind::ReasoningDelta:
        delta(event, payload, TranscriptRow::Kind::Reasoning);
        break;
    case EventKind::ToolCall:
        toolCall(event, payload);
        break;
    case EventKind::ToolApproval:
        toolApproval(event, payload);
        break;
    case EventKind::ToolStart:
        toolStart(event, payload);
        break;
    case EventKind::ToolOutput:
        toolOutput(event, payload, bytes);
        break;
    case EventKind::ToolResult:
        toolResult(event, payload);
        break;
    case EventKind::ToolError:
        toolError(event, payload);
        break;
    case EventKind::ModelMessage:
        closeTexts(event);
        break;
    case EventKind::SandboxState: {
        const QString state = payload[u"state"].toString();
        const QString detail = payload[u"detail"].toString();
        for (const QLatin1StringView problem : {"gone"_L1, "lost"_L1, "failed"_L1, "unknown"_L1}) {
            if (state == problem)
                notice(event, payload,
                       u"Sandbox: "_s + state
                           + (detail.isEmpty() ? QString() : QString(u" ("_s + detail + u')')),
                       {u"state", u"sandboxId", u"detail"});
        }
        break;
    }
    case EventKind::LimitHit:
        notice(event, payload, u"Limit reached: "_s + payload[u"limit"].toString(), {u"limit", u"value"});
        break;
    case EventKind::Retry:
        notice(event, payload,
               u"Trying again ("_s + payload[u"what"].toString() + u"): "_s + payload[u"reason"].toString(),
               {u"what", u"attempt", u"waitMs", u"reason"});
        break;
    case EventKind::Note:
        notice(event, payload, payload[u"text"].toString(), {u"about", u"text"});
        break;
    case EventKind::Error: {
        TranscriptRow &row = add(event, payload, TranscriptRow::Kind::Error, true);
        row.text = inertLine(payload[u"message"].toString(), MaxLineText);
        row.data = boundedMembers(payload, {u"kind", u"message", u"kept", u"todo"});
        break;
    }
    case EventKind::ConversationCreated:
    case EventKind::ConversationRenamed:
    case EventKind::ConversationArchived:
    case EventKind::ConversationDeleted:
    case EventKind::ConversationSettings:
    case EventKind::HeadSet:
        break;
    }
}

TranscriptProjector::TranscriptProjector(QString conversation, qint64 lastRow, QList<TranscriptRow> openRows)
    : d(std::make_unique<Private>())
{
    d->conversation = std::move(conversation);
    d->lastRow = lastRow;
    for (const TranscriptRow &row : std::as_const(openRows)) {
        if (row.closed)
            continue;
        d->lastRow = qMax(d->lastRow, row.row);
        d->rows[row.row] = row;
        d->index(row);
    }
}

TranscriptProjector::~TranscriptProjector() = default;

QList<qint64> TranscriptProjector::apply(const Event &event, const QByteArray &bytes)
{
    for (const qint64 number : std::exchange(d->changed, {})) {
        const TranscriptRow *row = d->find(number);
        if (row && row->closed)
            d->rows.erase(number);
    }
    d->dispatch(event, event.json(), bytes);
    return d->changed;
}

const TranscriptRow *TranscriptProjector::row(qint64 number) const { return d->find(number); }

qint64 TranscriptProjector::lastRow() const { return d->lastRow; }

} // namespace Pilothouse
