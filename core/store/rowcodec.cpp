// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/rowcodec.h"

#include "store/streamedtext.h"

#include <array>
#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct KindName {
    TranscriptRow::Kind kind;
    QLatin1StringView name;
};

constexpr std::array<KindName, 8> KindNames = {{
    {TranscriptRow::Kind::User, "user"_L1},
    {TranscriptRow::Kind::Text, "text"_L1},
    {TranscriptRow::Kind::Reasoning, "reasoning"_L1},
    {TranscriptRow::Kind::Call, "call"_L1},
    {TranscriptRow::Kind::Step, "step"_L1},
    {TranscriptRow::Kind::Notice, "notice"_L1},
    {TranscriptRow::Kind::Error, "error"_L1},
    {TranscriptRow::Kind::TurnEnd, "turn-end"_L1},
}};

// SQLite would misread the unit after a lone surrogate; a null string would become NULL.
QString storable(const QString &text)
{
    if (text.isNull())
        return u""_s;
    return QStringView(text).isValidUtf16() ? text : QString::fromUtf8(text.toUtf8());
}

QVariant optionalValue(const std::optional<qint64> &value) { return value ? QVariant(*value) : QVariant(); }

std::optional<qint64> optionalFrom(const QVariant &value)
{
    return value.isNull() ? std::nullopt : std::optional<qint64>(value.toLongLong());
}

// Lines hold what tools and models wrote, so they go as JSON.
QByteArray callsText(const QList<SummaryCall> &calls)
{
    Json list = Json::array();
    for (const SummaryCall &call : calls) {
        Json entry = Json::array();
        entry.append(Json::string(call.id));
        entry.append(Json::string(call.line));
        entry.append(Json::number(static_cast<qint64>(call.phase)));
        list.append(entry);
    }
    return list.toJson();
}

QList<SummaryCall> callsFrom(const QByteArray &text)
{
    QList<SummaryCall> calls;
    const auto list = parseJson(text);
    if (!list)
        return calls;
    for (const Json &entry : list->elements()) {
        SummaryCall call;
        call.id = entry.at(0).toString();
        call.line = entry.at(1).toString();
        for (const auto phase : {SummaryCall::Phase::Waiting, SummaryCall::Phase::Running}) {
            if (entry.at(2).toInteger(0) == static_cast<qint64>(phase))
                call.phase = phase;
        }
        calls.append(call);
    }
    return calls;
}

bool isOfAttempt(const TranscriptRow &row, const Json &payload)
{
    return payload[u"turn"].toInteger(0) == row.turn && payload[u"step"].toInteger(0) == row.step
        && payload[u"attempt"].toInteger(0) == row.data[u"attempt"].toInteger(0);
}

} // namespace

bool isStreamed(const TranscriptRow &row)
{
    return row.kind == TranscriptRow::Kind::Text || row.kind == TranscriptRow::Kind::Reasoning;
}

QString rowKindName(TranscriptRow::Kind kind)
{
    for (const KindName &entry : KindNames) {
        if (entry.kind == kind)
            return entry.name;
    }
    return u"notice"_s;
}

bool isSearched(const TranscriptRow &row)
{
    return row.closed && !row.withdrawn
        && (row.kind == TranscriptRow::Kind::User || row.kind == TranscriptRow::Kind::Text
            || row.kind == TranscriptRow::Kind::Call);
}

QString rowColumns()
{
    return u"row, kind, turn, step, first_seq, last_seq, at_ms, closed, withdrawn, text, data"_s;
}

QVariantList rowValues(const TranscriptRow &row)
{
    return {row.row,       rowKindName(row.kind), row.turn,         row.step,
            row.firstSeq,  row.lastSeq,           row.atMs,         row.closed,
            row.withdrawn, storable(row.text),    row.data.toJson()};
}

TranscriptRow rowFrom(const Statement &statement, int firstColumn, const QString &conversation)
{
    int column = firstColumn;
    TranscriptRow row;
    row.conversation = conversation;
    row.row = statement.integer(column++);
    const QString kind = statement.text(column++);
    for (const KindName &entry : KindNames) {
        if (entry.name == kind)
            row.kind = entry.kind;
    }
    row.turn = static_cast<int>(statement.integer(column++));
    row.step = static_cast<int>(statement.integer(column++));
    row.firstSeq = statement.integer(column++);
    row.lastSeq = statement.integer(column++);
    row.atMs = statement.integer(column++);
    row.closed = statement.integer(column++) != 0;
    row.withdrawn = statement.integer(column++) != 0;
    row.text = statement.text(column++);
    row.data = parseJson(statement.bytes(column++)).value_or(Json::object());
    return row;
}

QString summaryColumns()
{
    return u"id, title, provider, model, backend, state, state_detail, state_since_ms, sandbox_id, "
           u"sandbox_state, "
           "after_turn, created_ms, updated_ms, last_seq, turns, steps, max_steps, input_tokens, "
           "output_tokens, "
           "cost_nanos, archived, deleted, open_turn_seq, open_calls"_s;
}

QVariantList summaryValues(const SummaryState &state)
{
    const ConversationSummary &s = state.summary;
    return {storable(s.id),
            storable(s.title),
            storable(s.provider),
            storable(s.model),
            storable(s.backend),
            storable(s.state),
            storable(s.stateDetail),
            s.stateSinceMs,
            storable(s.sandboxId),
            storable(s.sandboxState),
            storable(s.afterTurn),
            s.createdMs,
            s.updatedMs,
            s.lastSeq,
            s.turns,
            s.steps,
            s.maxSteps,
            optionalValue(s.inputTokens),
            optionalValue(s.outputTokens),
            optionalValue(s.costNanos),
            s.archived,
            s.deleted,
            s.openTurnSeq,
            callsText(state.openCalls)};
}

SummaryState summaryFrom(const Statement &statement, int firstColumn)
{
    int column = firstColumn;
    SummaryState state;
    ConversationSummary &s = state.summary;
    s.id = statement.text(column++);
    s.title = statement.text(column++);
    s.provider = statement.text(column++);
    s.model = statement.text(column++);
    s.backend = statement.text(column++);
    s.state = statement.text(column++);
    s.stateDetail = statement.text(column++);
    s.stateSinceMs = statement.integer(column++);
    s.sandboxId = statement.text(column++);
    s.sandboxState = statement.text(column++);
    s.afterTurn = statement.text(column++);
    s.createdMs = statement.integer(column++);
    s.updatedMs = statement.integer(column++);
    s.lastSeq = statement.integer(column++);
    s.turns = static_cast<int>(statement.integer(column++));
    s.steps = static_cast<int>(statement.integer(column++));
    s.maxSteps = static_cast<int>(statement.integer(column++));
    s.inputTokens = optionalFrom(statement.value(column++));
    s.outputTokens = optionalFrom(statement.value(column++));
    s.costNanos = optionalFrom(statement.value(column++));
    s.archived = statement.integer(column++) != 0;
    s.deleted = statement.integer(column++) != 0;
    s.openTurnSeq = statement.integer(column++);
    state.openCalls = callsFrom(statement.bytes(column++));
    return state;
}

std::optional<Event> eventFrom(const Statement &statement, const QString &conversation)
{
    const std::optional<EventKind> kind = eventKindFromName(statement.text(2));
    if (!kind)
        return {};
    Event event;
    event.conversation = conversation;
    event.seq = statement.integer(0);
    event.atMs = statement.integer(1);
    event.kind = *kind;
    event.version = static_cast<int>(statement.integer(3));
    event.payload = statement.bytes(4);
    return event;
}

Result<Done, Error> completeTexts(Database &database, qint64 conversationRef, QList<TranscriptRow> &rows)
{
    qint64 from = std::numeric_limits<qint64>::max();
    for (const TranscriptRow &row : std::as_const(rows)) {
        if (!row.closed && isStreamed(row))
            from = qMin(from, row.firstSeq);
    }
    if (from == std::numeric_limits<qint64>::max())
        return Done();
    Statement deltas =
        database.statement(u"SELECT seq, at_ms, kind, v, payload FROM events WHERE conversation=? AND seq>=? "
                           "AND kind IN ('text-delta','reasoning-delta') ORDER BY seq"_s);
    const auto done = deltas.run({conversationRef, from});
    if (!done)
        return fail(done.error());
    while (deltas.next()) {
        const std::optional<Event> event = eventFrom(deltas, {});
        if (!event)
            continue;
        const Json payload = event->json();
        const QString text = payload[u"text"].toString();
        if (text.isEmpty())
            continue;
        for (TranscriptRow &row : rows) {
            if (row.closed || !isStreamed(row) || !isOfAttempt(row, payload))
                continue;
            const bool isThought = row.kind == TranscriptRow::Kind::Reasoning;
            if (isThought && event->kind == EventKind::TextDelta && row.data.contains(u"over"))
                row.data.set(u"over"_s, Json::boolean(true));
            if (isThought != (event->kind == EventKind::ReasoningDelta)
                || payload[u"part"].toInteger(0) != row.data[u"part"].toInteger(0))
                continue;
            appendStreamedText(row, text);
            row.lastSeq = event->seq;
            if (row.data.contains(u"endMs"))
                row.data.set(u"endMs"_s, Json::number(event->atMs));
            if (row.data.contains(u"over"))
                row.data.set(u"over"_s, Json::boolean(false));
        }
    }
    return deltas.ended();
}

Result<QList<TranscriptRow>, Error> readOpenRows(Database &database, qint64 conversationRef,
                                                 const QString &conversation)
{
    Statement open =
        database.statement(u"SELECT "_s + rowColumns()
                           + u" FROM transcript_rows WHERE conversation=? AND closed=0 ORDER BY row"_s);
    const auto done = open.run({conversationRef});
    if (!done)
        return fail(done.error());
    QList<TranscriptRow> rows;
    while (open.next())
        rows.append(rowFrom(open, 0, conversation));
    const auto ended = open.ended();
    if (!ended)
        return fail(ended.error());
    const auto completed = completeTexts(database, conversationRef, rows);
    if (!completed)
        return fail(completed.error());
    return rows;
}

} // namespace Pilothouse
