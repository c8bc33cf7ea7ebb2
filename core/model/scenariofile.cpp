// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/scenariofile.h"

#include <QFile>

#include <algorithm>
#include <initializer_list>
#include <tuple>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostTurns = 1000;
constexpr qsizetype MostSteps = 10'000; // Of one turn. Benchmarks make longer ones in memory.
constexpr qsizetype MostEvents = 1000; // Of one step.
constexpr qint64 LongestDelayMs = 600'000; // Ten minutes: longer looks like a hang.
constexpr qint64 MostOwnSteps = 1000;
constexpr qint64 FastestPace = 10'000'000; // Characters per second.

Error makeError(const QString &fileName, const QString &place, const QString &problem)
{
    Error error;
    error.kind = ErrorKind::Model;
    error.message = u"The scenario file %1 cannot be used: %2: %3."_s.arg(fileName, place, problem);
    error.todo = u"Correct the file (docs/demo-scenarios.md describes the form), or choose another model."_s;
    return error;
}

QString placeOf(const QByteArray &bytes, qsizetype offset)
{
    const QByteArrayView before = QByteArrayView(bytes).first(qBound<qsizetype>(0, offset, bytes.size()));
    const qsizetype line = std::count(before.begin(), before.end(), '\n') + 1;
    const qsizetype column = before.size() - (before.lastIndexOf('\n') + 1) + 1;
    return u"line %1, column %2 (byte %3)"_s.arg(line).arg(column).arg(offset);
}

/// Walks the parsed file. The first problem stops it; every reader returns a neutral value from then on.
class Walker {
public:
    explicit Walker(const QString &fileName)
        : m_fileName(fileName)
    { }

    Scenario scenario(const Json &json);
    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }

private:
    void problem(const QString &path, const QString &what)
    {
        if (!m_error)
            m_error = makeError(m_fileName, path.isEmpty() ? u"at the top"_s : u"at "_s + path, what);
    }
    static QString below(const QString &path, const QString &key)
    {
        return path.isEmpty() ? key : path + u'.' + key;
    }
    bool object(const Json &json, const QString &path, std::initializer_list<QStringView> known);
    QString text(const Json &json, const QString &path, bool isRequired = false);
    std::optional<qint64> number(const Json &json, const QString &path, qint64 low, qint64 high);
    bool flag(const Json &json, const QString &path);
    bool list(const Json &json, const QString &path, qsizetype most);

    ScenarioTurn turn(const Json &json, const QString &path);
    ScenarioStep step(const Json &json, const QString &path);
    QList<ScenarioEvent> events(const Json &json, const QString &path);
    ScenarioEvent event(const Json &json, const QString &path);
    void call(const Json &json, const QString &path, ScenarioEvent &event);
    ScenarioFault fault(const Json &json, const QString &path, qsizetype eventCount);
    double pace(const Json &json, const QString &path);
    Usage usage(const Json &json, const QString &path);
    StopReason stop(const Json &json, const QString &path);

    QString m_fileName;
    std::optional<Error> m_error;
    double m_pace = 0;
};

bool Walker::object(const Json &json, const QString &path, std::initializer_list<QStringView> known)
{
    if (!json.isObject()) {
        problem(path, u"expected an object"_s);
        return false;
    }
    for (const Json::Member &member : json.members()) {
        if (std::find(known.begin(), known.end(), QStringView(member.key)) == known.end()) {
            problem(below(path, member.key.left(60)), u"no member of this name is known here"_s);
            return false;
        }
    }
    return true;
}

QString Walker::text(const Json &json, const QString &path, bool isRequired)
{
    if (json.isNull() && !isRequired)
        return {};
    if (!json.isString())
        problem(path, u"expected a text"_s);
    else if (isRequired && json.toString().isEmpty())
        problem(path, u"the text is empty"_s);
    return json.toString();
}

std::optional<qint64> Walker::number(const Json &json, const QString &path, qint64 low, qint64 high)
{
    if (json.isNull())
        return {};
    const std::optional<qint64> value = json.toInteger();
    if (!value || *value < low || *value > high) {
        problem(path, u"expected a whole number from %1 to %2"_s.arg(low).arg(high));
        return {};
    }
    return value;
}

bool Walker::flag(const Json &json, const QString &path)
{
    if (!json.isNull() && !json.isBool())
        problem(path, u"expected true or false"_s);
    return json.toBool();
}

bool Walker::list(const Json &json, const QString &path, qsizetype most)
{
    if (!json.isArray())
        problem(path, u"expected a list"_s);
    else if (json.size() == 0)
        problem(path, u"the list is empty"_s);
    else if (json.size() > most)
        problem(path, u"the list has more than %1 entries"_s.arg(most));
    return !m_error;
}

Scenario Walker::scenario(const Json &json)
{
    Scenario scenario;
    if (!object(json, {},
                {u"format", u"name", u"title", u"about", u"maxSteps", u"pace", u"turns", u"otherwise"}))
        return scenario;
    if (json[u"format"].toInteger(0) != 1)
        problem(u"format"_s, u"expected the number 1, the only form this version knows"_s);
    scenario.name = text(json[u"name"], u"name"_s, true);
    scenario.title = text(json[u"title"], u"title"_s);
    scenario.about = text(json[u"about"], u"about"_s);
    if (const auto maxSteps = number(json[u"maxSteps"], u"maxSteps"_s, 1, MostOwnSteps))
        scenario.maxSteps = static_cast<int>(*maxSteps);
    m_pace = pace(json[u"pace"], u"pace"_s);
    if (list(json[u"turns"], u"turns"_s, MostTurns)) {
        int index = 0;
        for (const Json &item : json[u"turns"].elements())
            scenario.turns.append(turn(item, u"turns[%1]"_s.arg(index++)));
    }
    if (json.contains(u"otherwise"))
        scenario.otherwise = turn(json[u"otherwise"], u"otherwise"_s);
    return scenario;
}

ScenarioTurn Walker::turn(const Json &json, const QString &path)
{
    ScenarioTurn turn;
    if (m_error || !object(json, path, {u"steps"}))
        return turn;
    const QString stepsPath = below(path, u"steps"_s);
    if (!list(json[u"steps"], stepsPath, MostSteps))
        return turn;
    int index = 0;
    for (const Json &item : json[u"steps"].elements())
        turn.steps.append(step(item, u"%1[%2]"_s.arg(stepsPath).arg(index++)));
    return turn;
}

ScenarioStep Walker::step(const Json &json, const QString &path)
{
    ScenarioStep step;
    if (m_error
        || !object(json, path, {u"events", u"pace", u"usage", u"stop", u"fault", u"expect", u"unexpected"}))
        return step;
    step.events = events(json[u"events"], below(path, u"events"_s));
    step.charsPerSecond = json.contains(u"pace") ? pace(json[u"pace"], below(path, u"pace"_s)) : m_pace;
    step.usage = usage(json[u"usage"], below(path, u"usage"_s));
    if (json.contains(u"stop"))
        step.stop = stop(json[u"stop"], below(path, u"stop"_s));
    if (json.contains(u"fault"))
        step.fault = fault(json[u"fault"], below(path, u"fault"_s), step.events.size());
    if (json.contains(u"expect")) {
        const QString word = json[u"expect"].toString();
        if (word == "passed"_L1)
            step.expect = ScenarioStep::Expectation::Passed;
        else if (word == "failed"_L1)
            step.expect = ScenarioStep::Expectation::Failed;
        else
            problem(below(path, u"expect"_s), u"expected \"passed\" or \"failed\""_s);
    }
    if (json.contains(u"unexpected")) {
        if (step.expect == ScenarioStep::Expectation::Anything)
            problem(below(path, u"unexpected"_s), u"it needs \"expect\" beside it"_s);
        step.unexpected = events(json[u"unexpected"], below(path, u"unexpected"_s));
    }
    return step;
}

QList<ScenarioEvent> Walker::events(const Json &json, const QString &path)
{
    QList<ScenarioEvent> events;
    if (m_error)
        return events;
    if (json.isArray() && json.size() == 0)
        return events; // An empty answer is a case worth playing.
    if (!list(json, path, MostEvents))
        return events;
    int index = 0;
    for (const Json &item : json.elements())
        events.append(event(item, u"%1[%2]"_s.arg(path).arg(index++)));
    return events;
}

ScenarioEvent Walker::event(const Json &json, const QString &path)
{
    ScenarioEvent event;
    if (m_error || !object(json, path, {u"text", u"reasoning", u"call", u"delayMs"}))
        return event;
    if (json.size() != 1) {
        problem(path, u"expected exactly one of \"text\", \"reasoning\", \"call\" and \"delayMs\""_s);
        return event;
    }
    const Json::Member &member = json.members().front();
    const QString memberPath = below(path, member.key);
    if (member.key == "text"_L1) {
        event.kind = ScenarioEvent::Kind::Text;
        event.text = text(member.value, memberPath, true);
    } else if (member.key == "reasoning"_L1) {
        event.kind = ScenarioEvent::Kind::Reasoning;
        event.text = text(member.value, memberPath, true);
    } else if (member.key == "call"_L1) {
        event.kind = ScenarioEvent::Kind::Call;
        call(member.value, memberPath, event);
    } else {
        event.kind = ScenarioEvent::Kind::Delay;
        if (member.value.isNull())
            problem(memberPath, u"expected a number"_s);
        event.delayMs = static_cast<int>(number(member.value, memberPath, 0, LongestDelayMs).value_or(0));
    }
    return event;
}

void Walker::call(const Json &json, const QString &path, ScenarioEvent &event)
{
    if (!object(json, path, {u"name", u"args", u"rawArgs", u"ask"}))
        return;
    event.toolName = text(json[u"name"], below(path, u"name"_s), true);
    event.ask = flag(json[u"ask"], below(path, u"ask"_s));
    if (json.contains(u"args") == json.contains(u"rawArgs")) {
        problem(path, u"expected either \"args\" or \"rawArgs\""_s);
    } else if (json.contains(u"rawArgs")) {
        event.text = text(json[u"rawArgs"], below(path, u"rawArgs"_s));
    } else if (json[u"args"].isObject()) {
        event.text = QString::fromUtf8(json[u"args"].toJson());
    } else {
        problem(below(path, u"args"_s), u"expected an object"_s);
    }
}

double Walker::pace(const Json &json, const QString &path)
{
    if (json.isNull())
        return 0;
    if (!object(json, path, {u"charsPerSecond"}))
        return 0;
    const auto value = number(json[u"charsPerSecond"], below(path, u"charsPerSecond"_s), 0, FastestPace);
    return static_cast<double>(value.value_or(0));
}

Usage Walker::usage(const Json &json, const QString &path)
{
    if (json.isNull())
        return {};
    if (!object(json, path, {u"input", u"output", u"cacheRead", u"cacheWrite", u"reasoning"}))
        return {};
    constexpr qint64 MostTokens = 1'000'000'000;
    for (const Json::Member &member : json.members())
        std::ignore = number(member.value, below(path, member.key), 0, MostTokens);
    return Usage::fromJson(json);
}

StopReason Walker::stop(const Json &json, const QString &path)
{
    constexpr StopReason Playable[] = {StopReason::EndTurn,       StopReason::MaxTokens,
                                       StopReason::Refusal,       StopReason::ContentFilter,
                                       StopReason::ContextWindow, StopReason::Pause};
    const QString word = json.toString();
    QStringList words;
    for (const StopReason reason : Playable) {
        if (word == stopReasonName(reason))
            return reason;
        words.append(stopReasonName(reason));
    }
    problem(path, u"expected one of %1"_s.arg(words.join(u", "_s)));
    return StopReason::EndTurn;
}

ScenarioFault Walker::fault(const Json &json, const QString &path, qsizetype eventCount)
{
    using Category = ApiError::Category;
    constexpr Category Playable[] = {Category::InvalidRequest, Category::ContextWindow, Category::Auth,
                                     Category::Billing,        Category::Permission,    Category::NotFound,
                                     Category::TooLarge,       Category::RateLimit,     Category::Overloaded,
                                     Category::Server,         Category::Timeout,       Category::Truncated,
                                     Category::Protocol,       Category::Network};
    ScenarioFault fault;
    if (!object(json, path, {u"kind", u"status", u"message", u"retryAfterMs", u"after", u"times"}))
        return fault;
    const QString kind = text(json[u"kind"], below(path, u"kind"_s), true);
    fault.after =
        static_cast<int>(number(json[u"after"], below(path, u"after"_s), 0, eventCount).value_or(0));
    fault.times = static_cast<int>(number(json[u"times"], below(path, u"times"_s), 1, 1000).value_or(1));
    const auto status = number(json[u"status"], below(path, u"status"_s), 300, 599);
    const auto retryAfterMs =
        number(json[u"retryAfterMs"], below(path, u"retryAfterMs"_s), 0, LongestDelayMs);
    const QString message = text(json[u"message"], below(path, u"message"_s));
    if (kind == "silence"_L1)
        return fault;

    QStringList words{u"silence"_s};
    for (const Category category : Playable) {
        words.append(categoryName(category));
        if (kind != words.last())
            continue;
        ApiError error;
        error.category = category;
        error.status = static_cast<int>(status.value_or(0));
        error.code = u"scripted"_s;
        error.message = message.isEmpty() ? u"The script plays a failure (%1)."_s.arg(kind) : message;
        error.retryable = category == Category::RateLimit || category == Category::Overloaded
            || category == Category::Server || category == Category::Timeout
            || category == Category::Truncated;
        if (error.retryable)
            error.retryAfterMs = retryAfterMs;
        fault.error = error;
        return fault;
    }
    problem(below(path, u"kind"_s), u"expected one of %1"_s.arg(words.join(u", "_s)));
    return fault;
}

} // namespace

Result<Scenario, Error> ScenarioFile::parse(const QByteArray &bytes, const QString &fileName)
{
    JsonParseOptions options;
    options.rejectDuplicates = true;
    const Result<Json, JsonError> json = parseJson(bytes, options);
    if (!json)
        return fail(makeError(fileName, placeOf(bytes, json.error().offset), json.error().message));
    Walker walker(fileName);
    Scenario scenario = walker.scenario(*json);
    if (walker.error())
        return fail(*walker.error());
    return scenario;
}

Result<Scenario, Error> ScenarioFile::load(const QString &path)
{
    Error error;
    error.kind = ErrorKind::Model;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        error.message = u"The scenario file %1 cannot be read: %2."_s.arg(path, file.errorString());
        error.todo = u"Check the path, or choose another model."_s;
        return fail(error);
    }
    const QByteArray bytes = file.read(LargestFile + 1);
    if (bytes.size() > LargestFile) {
        error.message = u"The scenario file %1 is larger than 8 MiB."_s.arg(path);
        error.todo = u"Name a scenario file; docs/demo-scenarios.md describes the form."_s;
        return fail(error);
    }
    return parse(bytes, path);
}

} // namespace Pilothouse
