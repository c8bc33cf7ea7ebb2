// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/rowtext.h"

#include "text/inerttext.h"

#include <QDateTime>
#include <QLocale>
#include <QStringList>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostLine = 400; // One line is elided at the window's width anyway.
constexpr qsizetype MostSpoken = 2000;

QString clockText(qint64 atMs) { return QDateTime::fromMSecsSinceEpoch(atMs).toString(u"HH:mm"_s); }

QString bounded(const QString &text, bool cutBefore = false)
{
    QString shown = inertText(QStringView(text).left(MostShownChars));
    const qsizetype more = text.size() - std::min(text.size(), MostShownChars);
    if (more > 0 || cutBefore) {
        const QString count = more > 0 ? QLocale().toString(more) + u' ' : QString();
        shown += u"\n… "_s + count + u"more characters are kept in the log and in exports."_s;
    }
    return shown;
}

QString countText(const Json &figure, const QString &unit)
{
    const std::optional<qint64> count = figure.toInteger();
    return count ? QString(QLocale().toString(*count) + u' ' + unit) : QString();
}

QString costText(const Json &nanos)
{
    const std::optional<qint64> cost = nanos.toInteger();
    if (!cost)
        return {};
    const double dollars = static_cast<double>(*cost) / 1e9;
    return u'$' + QString::number(dollars, 'f', dollars != 0 && dollars < 0.01 ? 4 : 2);
}

QString joined(QStringList parts)
{
    parts.removeAll(QString());
    return parts.join(u"  "_s);
}

QString figures(const Json &data)
{
    const Json &usage = data[u"usage"];
    return joined({countText(usage[u"input"], u"in"_s), countText(usage[u"output"], u"out"_s),
                   costText(data[u"costNanos"])});
}

QString turnEndText(const QString &reason)
{
    static const QHash<QString, QString> words{
        {u"finished"_s, u"Finished"_s},
        {u"step-limit"_s, u"Stopped at the step limit. Write a message to go on."_s},
        {u"limit"_s, u"Stopped at a limit"_s},
        {u"model-error"_s, u"Failed: the model's service gave no usable answer"_s},
        {u"sandbox-error"_s, u"Failed: the sandbox could not be used"_s},
        {u"stopped"_s, u"Stopped by you"_s},
        {u"waiting"_s, u"Ended while a call waits for an answer"_s},
        {u"interrupted"_s, u"Interrupted: the program ended before the turn did"_s},
    };
    return words.value(reason, reason);
}

// What a person would want to read of a call's arguments: the command or path itself, then the other members.
QString argumentsText(const Json &args, bool cut)
{
    QStringList parts;
    for (const Json::Member &member : args.members()) {
        const QString value =
            member.value.isString() ? member.value.toString() : QString::fromUtf8(member.value.toJson());
        if (member.key == "command"_L1)
            parts.prepend(value);
        else
            parts.append(QString(member.key + (value.contains(u'\n') ? u":\n"_s : u": "_s) + value));
    }
    if (args.isNull())
        parts.append(u"(not shown here: too large or not readable)"_s);
    else if (cut)
        parts.append(u"(cut; the log has it whole)"_s);
    return parts.join(u'\n');
}

QString argumentLine(const TranscriptRow &row)
{
    const QString prefix = row.data[u"toolName"].toString() + u": "_s;
    return inertLine(row.text.startsWith(prefix) ? QStringView(row.text).mid(prefix.size())
                                                 : QStringView(row.text),
                     MostLine);
}

RowText callText(const TranscriptRow &row, bool unfolded, qint64 nowMs)
{
    const Json &data = row.data;
    const QString state = data[u"state"].toString();
    RowText out;
    out.look = RowText::Look::Call;
    out.foldable = true;
    out.head = inertLine(data[u"toolName"].toString(), 60);
    out.line = argumentLine(row);
    out.waiting = state == "waiting"_L1;
    QString duration;
    if (state == "running"_L1 && data[u"startedMs"].isNumber()) {
        out.ticking = true;
        duration =
            durationText(std::max<qint64>(0, nowMs - data[u"startedMs"].toInteger(nowMs)) / 1000 * 1000);
    } else if (data[u"durationMs"].isNumber()) {
        duration = durationText(data[u"durationMs"].toInteger(0));
    }
    out.side = joined({callStateText(row), duration});
    const QString reason = data[u"approval"][u"reason"].toString();
    if (state == "denied"_L1 && !reason.isEmpty())
        out.second = u"“"_s + inertLine(reason, MostLine) + u"”"_s;
    else if (state == "unknown"_L1)
        out.second = u"Nobody saw how it ended; look at the machine before you repeat it."_s;
    else if (data[u"error"].isString())
        out.second = inertLine(data[u"error"].toString(), MostLine);
    else
        out.second = inertLine(data[u"lastLine"].toString(), MostLine);
    if (unfolded) {
        out.mono = true;
        out.body = bounded(argumentsText(data[u"args"], data[u"argsCut"].toBool()));
        if (data[u"error"].isString())
            out.body += u"\n\n"_s + bounded(data[u"error"].toString());
        const qint64 bytes = data[u"stdoutBytes"].toInteger(0) + data[u"stderrBytes"].toInteger(0);
        if (bytes > 0)
            out.body += u"\n\nPrinted "_s + QLocale().toString(bytes) + u" bytes."_s;
    }
    return out;
}

} // namespace

QString durationText(qint64 ms)
{
    if (ms < 60'000)
        return ms % 1000 == 0 && ms > 0
            ? QString(QString::number(ms / 1000) + u" s"_s)
            : QString(QString::number(static_cast<double>(ms) / 1000.0, 'f', 1) + u" s"_s);
    if (ms < 3'600'000)
        return u"%1m %2s"_s.arg(ms / 60'000).arg(ms / 1000 % 60);
    return u"%1h %2m"_s.arg(ms / 3'600'000).arg(ms / 60'000 % 60);
}

QString callStateText(const TranscriptRow &row)
{
    const Json &data = row.data;
    const QString state = data[u"state"].toString();
    if (state == "proposed"_L1)
        return u"Proposed"_s;
    if (state == "waiting"_L1)
        return u"Waiting for you"_s;
    if (state == "approved"_L1)
        return u"Allowed"_s;
    if (state == "running"_L1)
        return u"Running"_s;
    if (state == "done"_L1)
        return u"Done"_s;
    if (state == "denied"_L1)
        return data[u"approval"][u"by"].toString() == "policy"_L1 ? u"Denied by a rule"_s
                                                                  : u"Denied by you"_s;
    if (state == "stopped"_L1)
        return u"Stopped"_s;
    if (state == "unknown"_L1)
        return u"Outcome unknown"_s;
    if (state == "not-run"_L1)
        return u"Not run"_s;
    if (state == "failed"_L1) {
        if (data[u"exitCode"].isNumber())
            return u"exit "_s + QString::number(data[u"exitCode"].toInteger(0));
        return u"Failed"_s;
    }
    return inertLine(state, 40);
}

RowText rowText(const TranscriptRow &row, bool unfolded, qint64 nowMs)
{
    RowText out;
    out.withdrawn = row.withdrawn;
    const bool cut = row.data[u"cut"].toBool();
    switch (row.kind) {
    case TranscriptRow::Kind::User: {
        const QString state = row.data[u"state"].toString();
        if (state == "moved"_L1)
            return out; // It stands further down, where the model got it.
        out.look = RowText::Look::Message;
        out.head = u"You  "_s + clockText(row.atMs);
        if (state == "removed"_L1)
            out.head += u"  removed before it was sent"_s;
        else if (state == "queued"_L1)
            out.head += row.data[u"delivery"].toString() == "after-turn"_L1
                ? u"  waits for the end of the turn"_s
                : u"  waits for the end of the step"_s;
        out.body = bounded(row.text, cut);
        break;
    }
    case TranscriptRow::Kind::Text:
        out.look = RowText::Look::Prose;
        out.body = bounded(row.text, cut);
        if (row.withdrawn)
            out.head = u"Given up; the model was asked again"_s;
        break;
    case TranscriptRow::Kind::Reasoning:
        out.look = RowText::Look::Fold;
        out.foldable = true;
        out.head = row.closed ? u"Thought"_s : u"Thinking"_s;
        if (unfolded)
            out.body = bounded(row.text, cut);
        else
            out.line = inertLine(row.text, MostLine);
        break;
    case TranscriptRow::Kind::Call:
        out = callText(row, unfolded, nowMs);
        out.withdrawn = row.withdrawn;
        break;
    case TranscriptRow::Kind::Step: {
        out.look = RowText::Look::Rule;
        out.head = u"Step "_s + QString::number(row.step);
        const std::optional<qint64> modelMs = row.data[u"modelMs"].toInteger();
        const std::optional<qint64> toolMs = row.data[u"toolMs"].toInteger();
        out.side = figures(row.data);
        if (modelMs)
            out.side = joined({out.side, durationText(*modelMs + toolMs.value_or(0))});
        break;
    }
    case TranscriptRow::Kind::Notice:
        out.look = RowText::Look::Remark;
        out.body = inertText(row.text);
        break;
    case TranscriptRow::Kind::Error: {
        out.look = RowText::Look::Problem;
        out.head = row.text.isEmpty() ? u"Something failed"_s : inertLine(row.text, MostLine);
        QStringList parts;
        const QString message = row.data[u"message"].toString();
        if (message.size() > MostLine)
            parts.append(message);
        parts.append(row.data[u"kept"].toString());
        parts.append(row.data[u"todo"].toString());
        parts.removeAll(QString());
        out.body = bounded(parts.join(u'\n'));
        break;
    }
    case TranscriptRow::Kind::TurnEnd:
        out.look = RowText::Look::Rule;
        out.head = turnEndText(row.text);
        out.side = figures(row.data);
        break;
    }
    return out;
}

QString rowSpoken(const TranscriptRow &row)
{
    const RowText text = rowText(row, false, row.atMs);
    QStringList parts;
    switch (row.kind) {
    case TranscriptRow::Kind::Text:
        parts.append(u"Agent"_s);
        break;
    case TranscriptRow::Kind::Call:
        parts.append(u"Tool call"_s);
        break;
    case TranscriptRow::Kind::Error:
        parts.append(u"Error"_s);
        break;
    case TranscriptRow::Kind::User:
    case TranscriptRow::Kind::Reasoning:
    case TranscriptRow::Kind::Step:
    case TranscriptRow::Kind::Notice:
    case TranscriptRow::Kind::TurnEnd:
        break;
    }
    parts << text.head << text.line << text.side << text.second << text.body.left(MostSpoken);
    parts.removeAll(QString());
    return parts.join(u", "_s).left(MostSpoken);
}

QString rowCopy(const TranscriptRow &row)
{
    switch (row.kind) {
    case TranscriptRow::Kind::User:
    case TranscriptRow::Kind::Text:
    case TranscriptRow::Kind::Reasoning:
    case TranscriptRow::Kind::Notice:
        return inertText(row.text);
    case TranscriptRow::Kind::Call:
        return inertText(argumentsText(row.data[u"args"], row.data[u"argsCut"].toBool()));
    case TranscriptRow::Kind::Error: {
        const RowText text = rowText(row, true, row.atMs);
        return text.body.isEmpty() ? text.head : QString(text.head + u'\n' + text.body);
    }
    case TranscriptRow::Kind::Step:
    case TranscriptRow::Kind::TurnEnd: {
        const RowText text = rowText(row, true, row.atMs);
        return joined({text.head, text.side});
    }
    }
    return {};
}

} // namespace Pilothouse
