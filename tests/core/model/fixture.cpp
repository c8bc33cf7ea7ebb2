// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "fixture.h"

#include "support/testmain.h"

#include <QDir>
#include <QMap>
#include <QRandomGenerator>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;
using Type = StreamEvent::Type;

namespace {

struct Part {
    Json event;
    QString text;
    QList<Json> citations;
};

Json &kind(Part &part, const QString &type)
{
    if (part.event.isNull())
        part.event.set(u"type"_s, Json::string(type));
    return part.event;
}

Json textOrNull(const QString &text) { return text.isEmpty() ? Json() : Json::string(text); }

Json counter(const std::optional<qint64> &value) { return value ? Json::number(*value) : Json(); }

Json usageJson(const Usage &usage)
{
    Json json;
    json.set(u"type"_s, Json::string(u"usage"_s));
    json.set(u"input"_s, counter(usage.input));
    json.set(u"output"_s, counter(usage.output));
    json.set(u"cache_read"_s, counter(usage.cacheRead));
    json.set(u"cache_write"_s, counter(usage.cacheWrite));
    json.set(u"reasoning"_s, counter(usage.reasoning));
    return json;
}

Json errorJson(const ApiError &error)
{
    Json json;
    json.set(u"type"_s, Json::string(u"error"_s));
    json.set(u"category"_s, Json::string(categoryName(error.category)));
    json.set(u"status"_s, error.status == 0 ? Json() : Json::number(qint64(error.status)));
    json.set(u"code"_s, textOrNull(error.code));
    json.set(u"message"_s, Json::string(error.message));
    json.set(u"retryable"_s, Json::boolean(error.retryable));
    json.set(u"retry_after_ms"_s, counter(error.retryAfterMs));
    json.set(u"partial"_s, Json::boolean(error.partial));
    return json;
}

void fold(Part &part, const StreamEvent &event)
{
    switch (event.type) {
    case Type::TextDelta:
        kind(part, u"text"_s);
        part.text += event.text;
        break;
    case Type::ThinkingDelta:
        kind(part, u"thinking"_s);
        part.text += event.text;
        break;
    case Type::ThinkingEnd:
        kind(part, u"thinking"_s).set(u"opaque"_s, textOrNull(event.opaque));
        part.event.set(u"redacted"_s, Json::boolean(event.redacted));
        break;
    case Type::ToolCall:
        kind(part, u"tool_call"_s).set(u"id"_s, Json::string(event.id));
        part.event.set(u"name"_s, Json::string(event.name));
        if (event.custom) {
            part.event.set(u"custom"_s, Json::boolean(true));
            part.event.set(u"input"_s, Json::string(event.raw));
            break;
        }
        part.event.set(u"args"_s, event.args.isEmpty() ? Json() : *parseJson(event.args));
        part.event.set(u"raw"_s, textOrNull(event.raw));
        break;
    case Type::ServerTool:
        kind(part, u"server_tool"_s).set(u"id"_s, Json::string(event.id));
        part.event.set(u"name"_s, textOrNull(event.name));
        part.event.set(u"input"_s, event.json[u"input"]);
        part.event.set(u"result"_s, event.json[u"result"]);
        break;
    case Type::Citation: {
        Json citation = event.json;
        citation.set(u"type"_s, Json::string(u"citation"_s));
        part.citations.append(citation);
        break;
    }
    case Type::Refusal:
        kind(part, u"refusal"_s);
        part.text += event.text;
        break;
    case Type::UnknownPart:
        kind(part, u"unknown"_s).set(u"kind"_s, Json::string(event.name));
        break;
    case Type::ToolCallBegin: // Only for show.
    case Type::ToolArgsDelta:
    case Type::Start:
    case Type::Usage:
    case Type::Stop:
    case Type::Error:
        break;
    }
}

// "id": "*" stands for any id that the client made up.
bool isMadeUpId(const Json &actual, const Json::Member &expected)
{
    return expected.key == "id"_L1 && expected.value.toString() == "*"_L1
        && !actual[u"id"].toString().isEmpty();
}

QList<QList<QByteArray>> feedings(const Fixture &fixture)
{
    QList<QList<QByteArray>> all{{fixture.body},
                                 cut(fixture.body, fixture.splits),
                                 cutEvery(fixture.body, 1),
                                 cutEvery(fixture.body, 7)};
    for (quint32 seed = 1; seed <= 10; ++seed)
        all.append(cutAtRandom(fixture.body, seed));
    return all;
}

} // namespace

QList<StreamEvent> read(StreamReader &reader, const AnswerHead &head, const QList<QByteArray> &packets)
{
    reader.begin(head);
    QList<StreamEvent> events;
    for (const QByteArray &packet : packets)
        events += reader.feed(packet);
    events += reader.finish();
    if (!reader.isFinished() || !reader.finish().isEmpty() || !reader.feed("data: {}\n\n").isEmpty())
        qFatal("a reader must be quiet after its end");
    return events;
}

QString fixtureComplaint(const QString &name, const std::function<std::unique_ptr<StreamReader>()> &make)
{
    const Fixture fixture = loadFixture(name);
    for (const QList<QByteArray> &packets : feedings(fixture)) {
        const QList<StreamEvent> events = read(*make(), fixture.head, packets);
        if (const QString wrong = difference(joined(events), fixture.events); !wrong.isEmpty())
            return wrong;
        const StreamEvent &last = events.last();
        if (fixture.replay.isNull()) {
            if (!last.replay.isEmpty() || !last.replayWithoutCalls.isEmpty())
                return u"a replay where there should be none: "_s + QString::fromUtf8(last.replay);
        } else {
            const auto parsed = parseJson(last.replay);
            if (!parsed || !sameJson(*parsed, fixture.replay))
                return u"another replay: "_s + QString::fromUtf8(last.replay);
        }
        for (qsizetype i = 0; i < events.size(); ++i) {
            const bool isEnd = events[i].type == Type::Stop || events[i].type == Type::Error;
            if (isEnd != (i == events.size() - 1) || (i > 0 && events[i].type == Type::Start))
                return u"an event at the wrong place"_s;
        }
    }
    return {};
}

QStringList fixtureNames(const QString &prefix)
{
    const QDir folder(QStringLiteral(PH_TEST_DATA "/streams"));
    QStringList names = folder.entryList({prefix + u"*.sse"_s}, QDir::Files, QDir::Name);
    for (QString &name : names)
        name.chop(4);
    return names;
}

Fixture loadFixture(const QString &name)
{
    Fixture fixture;
    fixture.body = testData(u"streams/"_s + name + u".sse"_s);
    const Json json = parseJson(testData(u"streams/"_s + name + u".json"_s)).value();
    const Json &headers = json[u"http"][u"headers"];
    fixture.head.status = static_cast<int>(json[u"http"][u"status"].toInteger(0));
    fixture.head.contentType = headers[u"content-type"].toString().toUtf8();
    fixture.head.retryAfter = headers[u"retry-after"].toString().toUtf8();
    fixture.head.retryAfterMs = headers[u"retry-after-ms"].toString().toUtf8();
    fixture.head.shouldRetry = headers[u"x-should-retry"].toString().toUtf8();
    fixture.head.requestId = headers[u"request-id"].toString().toUtf8();
    if (fixture.head.requestId.isEmpty())
        fixture.head.requestId = headers[u"x-request-id"].toString().toUtf8();
    constexpr qint64 November2026 = 1'795'000'000'000; // Dates in the fixtures are past then.
    fixture.head.nowUtcMs = November2026;
    for (const Json &split : json[u"splits"].elements())
        fixture.splits.append(split.toInteger(0));
    fixture.events = json[u"events"].elements();
    fixture.replay = json[u"replay"];
    return fixture;
}

Json::Elements joined(const QList<StreamEvent> &events)
{
    Json::Elements out;
    Json::Elements tail;
    QMap<int, Part> parts;
    for (const StreamEvent &event : events) {
        if (event.type == Type::Start) {
            Json start;
            start.set(u"type"_s, Json::string(u"start"_s));
            start.set(u"id"_s, textOrNull(event.id));
            start.set(u"model"_s, textOrNull(event.name));
            out.push_back(start);
        } else if (event.type == Type::Usage) {
            tail.push_back(usageJson(event.usage));
        } else if (event.type == Type::Error) {
            tail.push_back(errorJson(event.error));
        } else if (event.type == Type::Stop) {
            Json stop;
            stop.set(u"type"_s, Json::string(u"stop"_s));
            stop.set(u"reason"_s, Json::string(stopReasonName(event.reason)));
            stop.set(u"raw"_s, Json::string(event.rawReason));
            stop.set(u"detail"_s, event.json);
            tail.push_back(stop);
        } else {
            fold(parts[event.part], event);
        }
    }
    for (Part &part : parts) {
        if (!part.event.isNull()) {
            const QString type = part.event[u"type"].toString();
            if (type == "text"_L1 || type == "thinking"_L1 || type == "refusal"_L1)
                part.event.set(u"text"_s, Json::string(part.text));
            out.push_back(part.event);
        }
        out.insert(out.end(), part.citations.begin(), part.citations.end());
    }
    out.insert(out.end(), tail.begin(), tail.end());
    return out;
}

bool sameJson(const Json &actual, const Json &expected)
{
    if (actual.type() == Json::Type::Raw)
        return sameJson(parseJson(actual.toJson()).value(), expected);
    if (expected.isObject() && actual.isObject()) {
        for (const Json::Member &member : actual.members()) {
            if (!isMadeUpId(actual, {member.key, expected[member.key]})
                && !sameJson(member.value, expected[member.key]))
                return false;
        }
        for (const Json::Member &member : expected.members()) {
            if (isMadeUpId(actual, member))
                continue;
            if (!sameJson(actual[member.key], member.value))
                return false;
        }
        return true;
    }
    if (expected.isArray() && actual.isArray()) {
        if (expected.size() != actual.size())
            return false;
        for (qsizetype i = 0; i < expected.size(); ++i) {
            if (!sameJson(actual.at(i), expected.at(i)))
                return false;
        }
        return true;
    }
    return actual == expected;
}

QString difference(const Json::Elements &actual, const Json::Elements &expected)
{
    for (size_t i = 0; i < qMax(actual.size(), expected.size()); ++i) {
        if (i >= actual.size())
            return u"missing: "_s + QString::fromUtf8(expected[i].toJson());
        if (i >= expected.size())
            return u"too many: "_s + QString::fromUtf8(actual[i].toJson());
        Json got = actual[i];
        const Json &want = expected[i];
        if (want[u"type"].toString() == "error"_L1
            && got[u"message"].toString().contains(want[u"message"].toString()))
            got.set(u"message"_s, want[u"message"]);
        if (!sameJson(got, want))
            return QString(u"got "_s + QString::fromUtf8(got.toJson()) + u" instead of "_s
                           + QString::fromUtf8(want.toJson()));
    }
    return {};
}

QList<QByteArray> cut(const QByteArray &body, const QList<qsizetype> &offsets)
{
    QList<QByteArray> packets;
    qsizetype from = 0;
    for (const qsizetype offset : offsets) {
        packets.append(body.mid(from, offset - from));
        from = offset;
    }
    packets.append(body.mid(from));
    return packets;
}

QList<QByteArray> cutEvery(const QByteArray &body, qsizetype size)
{
    QList<QByteArray> packets;
    for (qsizetype from = 0; from < body.size(); from += size)
        packets.append(body.mid(from, size));
    return packets;
}

QList<QByteArray> cutAtRandom(const QByteArray &body, quint32 seed)
{
    QRandomGenerator random(seed);
    QList<QByteArray> packets;
    for (qsizetype from = 0; from < body.size();) {
        const qsizetype size = random.bounded(1, 120);
        packets.append(body.mid(from, size));
        from += size;
    }
    return packets;
}

} // namespace Pilothouse::Tests
