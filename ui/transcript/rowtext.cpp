// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/rowtext.h"

#include "text/dataaddress.h"
#include "text/inerttext.h"
#include "theme/units.h"
#include "transcript/callcard.h"

#include <QDateTime>
#include <QHash>
#include <QStringList>

#include <algorithm>
#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostRowLine = 400; // One line is elided at the window's width anyway.
constexpr qsizetype MostSpoken = 2000;
constexpr qsizetype MostBody = 16 * 1024; // Of an error; the read model has less.

QString joined(QStringList parts, const QString &between = u", "_s)
{
    parts.removeAll(QString());
    return parts.join(between);
}

} // namespace

MessageHead messageHead(const TranscriptRow &row)
{
    MessageHead head;
    head.who = u"You"_s;
    head.when = QDateTime::fromMSecsSinceEpoch(row.atMs).toString(u"HH:mm"_s);
    const QString state = row.data[u"state"].toString();
    if (state == "removed"_L1)
        head.where = u"removed before it was sent"_s;
    else if (state == "returned"_L1)
        head.where = u"not sent: the turn ended first"_s;
    else if (state == "queued"_L1)
        head.where = row.data[u"delivery"].toString() == "after-turn"_L1 ? u"waits for the end of the turn"_s
                                                                         : u"waits for the end of the step"_s;
    return head;
}

bool isShown(const TranscriptRow &row)
{
    return row.kind != TranscriptRow::Kind::User || row.data[u"state"].toString() != "moved"_L1;
}

QString thoughtText(const TranscriptRow &row)
{
    if (!row.closed && !row.data[u"over"].toBool())
        return u"Thinking"_s;
    const std::optional<qint64> end = row.data[u"endMs"].toInteger();
    if (!end || *end <= row.atMs)
        return u"Thought"_s;
    const qint64 seconds = std::max<qint64>(1, (*end - row.atMs + 500) / 1000);
    return seconds < 60 ? u"Thought for %1 s"_s.arg(seconds)
                        : QString(u"Thought for "_s + durationText(seconds * 1000));
}

QStringList figures(const TranscriptRow &row)
{
    QStringList out;
    const Json &usage = row.data[u"usage"];
    const std::optional<qint64> input = usage[u"input"].toInteger();
    const std::optional<qint64> cached = usage[u"cacheRead"].toInteger();
    if (input) {
        QString words = tokensText(*input) + u" in"_s;
        if (cached && *cached > 0 && *input > 0)
            words += u", %1 % cached"_s.arg(std::min<qint64>(100, *cached * 100 / *input));
        out.append(words);
    }
    if (const std::optional<qint64> output = usage[u"output"].toInteger())
        out.append(QString(tokensText(*output) + u" out"_s));
    if (const std::optional<qint64> cost = row.data[u"costNanos"].toInteger())
        out.append(costText(*cost));
    if (const std::optional<qint64> modelMs = row.data[u"modelMs"].toInteger())
        out.append(durationText(*modelMs + row.data[u"toolMs"].toInteger(0)));
    return out;
}

TurnEndText turnEndText(const TranscriptRow &row)
{
    static const QHash<QString, TurnEndText> words{
        {u"finished"_s, {u"finished"_s, u"Finished"_s}},
        {u"step-limit"_s, {u"waiting"_s, u"Stopped at the step limit. Write a message to go on."_s}},
        {u"limit"_s, {u"waiting"_s, u"Stopped at a limit"_s}},
        {u"model-error"_s, {u"failed"_s, u"Failed at the model's service; the reason stands above"_s}},
        {u"sandbox-error"_s, {u"failed"_s, u"Failed at the sandbox; the reason stands above"_s}},
        {u"stopped"_s, {u"stopping"_s, u"Stopped by you"_s}},
        {u"waiting"_s, {u"waiting"_s, u"Ended while a call waits for an answer"_s}},
        {u"interrupted"_s, {u"interrupted"_s, u"Interrupted: the program ended before the turn did"_s}},
    };
    if (row.text == "stopped"_L1 && row.data[u"cause"].toString() == "closed"_L1)
        return {u"stopping"_s, u"Stopped because the program was closed"_s};
    return words.value(row.text, {u"idle"_s, inertLine(row.text, MostRowLine)});
}

ErrorText errorText(const TranscriptRow &row)
{
    ErrorText out;
    out.head = row.text.isEmpty() ? u"Something failed"_s : inertText(row.text.left(MostBody));
    QStringList parts;
    const QString message = row.data[u"message"].toString();
    if (message.size() > row.text.size() + 1)
        parts.append(message);
    parts << row.data[u"kept"].toString() << row.data[u"todo"].toString();
    out.body = inertText(joined(parts, u"\n"_s).left(MostBody));
    return out;
}

QString readableText(const TranscriptRow &row, qsizetype most)
{
    return inertText(shortenDataAddresses(row.text, DataAddress::Type, most, u"…"));
}

QString copiedText(QStringView text)
{
    return inertText(shortenDataAddresses(text, DataAddress::Type, std::numeric_limits<qsizetype>::max(),
                                          u"…", DataAddress::Kept));
}

QString rowSpoken(const TranscriptRow &row, qint64 nowMs)
{
    QStringList parts;
    const QString words = readableText(row, MostSpoken);
    switch (row.kind) {
    case TranscriptRow::Kind::User: {
        if (!isShown(row))
            return {};
        const MessageHead head = messageHead(row);
        parts << head.who << head.when << head.where << words;
        break;
    }
    case TranscriptRow::Kind::Text:
        parts << u"Agent"_s << (row.withdrawn ? u"given up; the model was asked again"_s : QString())
              << words;
        break;
    case TranscriptRow::Kind::Reasoning:
        parts << thoughtText(row) << inertLine(words, MostRowLine);
        break;
    case TranscriptRow::Kind::Call: {
        const CallCard card = callCard(row, nowMs > 0 ? nowMs : row.atMs);
        parts << u"Tool call"_s << card.tool << card.argument << callStateText(row) << card.result
              << card.time << card.second;
        break;
    }
    case TranscriptRow::Kind::Step:
        parts << u"Step "_s + QString::number(row.step) << (row.closed ? QString() : u"under way"_s);
        parts += figures(row);
        break;
    case TranscriptRow::Kind::Notice:
        parts << words;
        break;
    case TranscriptRow::Kind::Error: {
        const ErrorText error = errorText(row);
        parts << u"Error"_s << error.head << error.body;
        break;
    }
    case TranscriptRow::Kind::TurnEnd:
        parts << turnEndText(row).words;
        parts += figures(row);
        break;
    }
    return joined(parts).left(MostSpoken);
}

QString rowCopy(const TranscriptRow &row)
{
    switch (row.kind) {
    case TranscriptRow::Kind::User:
    case TranscriptRow::Kind::Text:
    case TranscriptRow::Kind::Reasoning:
    case TranscriptRow::Kind::Notice:
        return copiedText(row.text);
    case TranscriptRow::Kind::Call:
        return inertText(callArguments(row));
    case TranscriptRow::Kind::Error: {
        const ErrorText error = errorText(row);
        return joined({error.head, error.body}, u"\n"_s);
    }
    case TranscriptRow::Kind::Step: {
        QStringList parts{u"Step "_s + QString::number(row.step)};
        return joined(parts + figures(row));
    }
    case TranscriptRow::Kind::TurnEnd:
        return joined(QStringList{turnEndText(row).words} + figures(row));
    }
    return {};
}

} // namespace Pilothouse
