// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/transcriptprojector.h"

#include "store/projectedcalls.h"
#include "store/streamedtext.h"
#include "store/waittext.h"
#include "text/inerttext.h"

#include <QHash>

#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaxLineText = 500; // Notices and errors are one line; members of the event hold the rest.
constexpr size_t MaxOpenTexts = 1000; // Of one attempt; more parts are joined to the newest.

// What a person has to know of a machine; empty: it goes its usual way.
QString machineTrouble(const QString &state)
{
    if (state == "gone"_L1)
        return u"The machine is gone"_s;
    if (state == "lost"_L1)
        return u"The machine is lost"_s;
    if (state == "failed"_L1)
        return u"The machine could not be started"_s;
    return state == "unknown"_L1 ? u"The state of the machine is not known"_s : QString();
}

} // namespace

class TranscriptProjector::Private : public ProjectedRows {
public:
    using TextKey = std::tuple<int, int, int, int, qint64>; // kind, turn, step, attempt, part

    ProjectedCalls calls{*this};
    QHash<QString, qint64> messages;
    std::map<TextKey, qint64> texts;
    qint64 stepRow = 0;

    void index(const TranscriptRow &row);
    void close(TranscriptRow &row, const Event &event);
    void closeTexts(const Event &event);

    void userMessage(const Event &event, const Json &payload);
    void deliver(const Event &event, const Json &payload, const QString &messageId);
    void queueChanged(const Event &event, const Json &payload);
    void stepStart(const Event &event, const Json &payload);
    void stepAbandoned(const Event &event, const Json &payload);
    void stepFinish(const Event &event, const Json &payload);
    void turnFinish(const Event &event, const Json &payload);
    void delta(const Event &event, const Json &payload, TranscriptRow::Kind kind);
    void thoughtsEnd(const Event &event, int turn, int step, int attempt);
    void notice(const Event &event, const Json &payload, const QString &text,
                std::initializer_list<QStringView> keys);
    void dispatch(const Event &event, const Json &payload, const QByteArray &bytes);
};

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
        calls.index(row);
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

void TranscriptProjector::Private::close(TranscriptRow &row, const Event &event)
{
    row.closed = true;
    if (row.kind == TranscriptRow::Kind::Call)
        calls.forget(row);
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
    } else if (state == "returned"_L1) {
        if (TranscriptRow *row = find(messages.value(messageId))) {
            setState(*row, u"returned"_s);
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
    row.data = boundedMembers(payload, {u"turn", u"reason", u"cause", u"steps", u"usage", u"costNanos"});
}

// Where an answer is written nothing is thought any more, although the model may go on thinking later.
void TranscriptProjector::Private::thoughtsEnd(const Event &event, int turn, int step, int attempt)
{
    constexpr int Kind = static_cast<int>(TranscriptRow::Kind::Reasoning);
    for (auto it = texts.lower_bound({Kind, turn, step, attempt, std::numeric_limits<qint64>::min()});
         it != texts.end()
         && it->first <= TextKey{Kind, turn, step, attempt, std::numeric_limits<qint64>::max()};
         ++it) {
        TranscriptRow *row = find(it->second);
        if (!row || row->data[u"over"].toBool())
            continue;
        const qint64 lastSeq = row->lastSeq; // The row ends with its own last delta.
        row->data.set(u"over"_s, Json::boolean(true));
        touch(*row, event);
        row->lastSeq = lastSeq;
    }
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
    appendStreamedText(*row, text);
    if (kind == TranscriptRow::Kind::Reasoning) {
        row->data.set(u"endMs"_s, Json::number(event.atMs)); // It tells how long the model thought.
        row->data.set(u"over"_s, Json::boolean(false));
    } else {
        thoughtsEnd(event, row->turn, row->step, attempt);
    }
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
        calls.toolCall(event, payload);
        break;
    case EventKind::ToolApproval:
        calls.toolApproval(event, payload);
        break;
    case EventKind::ToolStart:
        calls.toolStart(event, payload);
        break;
    case EventKind::ToolOutput:
        calls.toolOutput(event, payload, bytes);
        break;
    case EventKind::ToolResult:
        calls.toolResult(event, payload);
        break;
    case EventKind::ToolError:
        calls.toolError(event, payload);
        break;
    case EventKind::ModelMessage:
        closeTexts(event);
        break;
    case EventKind::SandboxState: {
        const QString state = payload[u"state"].toString();
        const QString detail = payload[u"detail"].toString();
        const QString words = machineTrouble(state);
        if (!words.isEmpty())
            notice(event, payload, detail.isEmpty() ? words : QString(words + u": "_s + detail),
                   {u"state", u"sandboxId", u"detail"});
        break;
    }
    case EventKind::LimitHit:
        notice(event, payload, u"Limit reached: "_s + payload[u"limit"].toString(), {u"limit", u"value"});
        break;
    case EventKind::Retry: {
        const QString wait = waitText(payload[u"waitMs"].toInteger(0));
        notice(event, payload,
               u"Trying again (%1)%2: %3"_s.arg(payload[u"what"].toString(),
                                                wait.isEmpty() ? wait : QString(u' ' + wait),
                                                payload[u"reason"].toString()),
               {u"what", u"attempt", u"waitMs", u"reason"});
        break;
    }
    case EventKind::Note:
        if (!calls.receipt(event, payload)) // What stopping did belongs to its call.
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
    // Of a whole message of a model, which may be large, nothing but its kind is looked at.
    d->dispatch(event, event.kind == EventKind::ModelMessage ? Json() : event.json(), bytes);
    return d->changed;
}

const TranscriptRow *TranscriptProjector::row(qint64 number) const { return d->find(number); }

qint64 TranscriptProjector::lastRow() const { return d->lastRow; }

} // namespace Pilothouse
