// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/callcard.h"

#include "text/inerttext.h"
#include "theme/units.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostTool = 60;
constexpr qsizetype MostLine = 400; // One line is elided at the card's width anyway.
constexpr qsizetype MostResult = 60; // Of a last line as the result in words.
constexpr qsizetype MostArguments = 16 * 1024; // The Call pane has them whole.

QString argumentLine(const TranscriptRow &row)
{
    const QString prefix = row.data[u"toolName"].toString() + u": "_s;
    return inertLine(row.text.startsWith(prefix) ? QStringView(row.text).mid(prefix.size())
                                                 : QStringView(row.text),
                     MostLine);
}

qint64 linesOf(const QString &text)
{
    return text.isEmpty() ? 0 : text.count(u'\n') + (text.endsWith(u'\n') ? 0 : 1);
}

QString linesText(qint64 lines)
{
    return lines == 1 ? u"1 line"_s : QString(QLocale().toString(lines) + u" lines"_s);
}

std::optional<int> exitCode(const Json &data)
{
    const std::optional<qint64> code = data[u"exitCode"].toInteger();
    return code ? std::optional<int>(static_cast<int>(*code)) : std::nullopt;
}

// Whether the number stands at the end of a text, as a number of its own.
bool tellsNumber(const QString &text, int number)
{
    const QString digits = QString::number(number);
    return text.endsWith(digits)
        && (text.size() == digits.size() || text[text.size() - digits.size() - 1].isSpace());
}

// Why nobody knows how it ended, as far as the row tells.
QString unknownWords(const Json &data)
{
    if (data[u"stopped"].toBool())
        return u"It was told to stop, and nobody saw it end"_s;
    return data[u"outcome"].toString() == "unknown"_L1
        ? u"The connection was lost; how it ended is not known"_s
        : u"The program ended while it ran"_s;
}

QString resultWords(const Json &data, qint64 outputBytes)
{
    if (data[u"approval"][u"state"].toString() == "edited"_L1)
        return u"edited by you"_s;
    const std::optional<qint64> lines = data[u"resultLines"].toInteger();
    if (lines)
        return linesText(*lines);
    const Json &content = data[u"args"][u"content"];
    if (content.isString() && !data[u"argsCut"].toBool())
        return u"wrote "_s + linesText(linesOf(content.toString()));
    const QString last = inertLine(data[u"lastLine"].toString(), MostResult);
    if (!last.isEmpty())
        return last;
    return outputBytes > 0 ? bytesText(outputBytes) : QString();
}

} // namespace

QString callArguments(const TranscriptRow &row)
{
    const Json &args = row.data[u"args"];
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
    else if (row.data[u"argsCut"].toBool())
        parts.append(u"(cut; the log has it whole)"_s);
    return parts.join(u'\n');
}

QString callStateText(const TranscriptRow &row)
{
    const Json &data = row.data;
    const QString state = data[u"state"].toString();
    if (state == "done"_L1)
        return u"Done"_s;
    if (data[u"timedOut"].toBool())
        return timedOutText(data[u"durationMs"].toInteger(0));
    if (state == "failed"_L1 && exitCode(data))
        return u"exit "_s + QString::number(*exitCode(data));
    if (state == "denied"_L1)
        return data[u"approval"][u"by"].toString() == "policy"_L1 ? u"Denied by a rule"_s
                                                                  : u"Denied by you"_s;
    return state.isEmpty() ? QString() : callLook(state, exitCode(data)).word;
}

CallCard callCard(const TranscriptRow &row, qint64 nowMs)
{
    const Json &data = row.data;
    const QString state = data[u"state"].toString();
    const std::optional<int> code = exitCode(data);
    CallCard card;
    card.callId = data[u"callId"].toString();
    // The read model calls a command with an exit code other than 0 failed; its tool did not fail.
    card.look = callLook(state == "failed"_L1 && code ? u"done"_s : state, code);
    if (state == "denied"_L1 || data[u"timedOut"].toBool()) // The exit code is not the command's own then.
        card.look.word = callStateText(row);
    card.tool = inertLine(data[u"toolName"].toString(), MostTool);
    card.argument = argumentLine(row);
    card.isPath = card.argument.startsWith(u'/') && !card.argument.contains(u' ');
    card.isWaiting = state == "waiting"_L1;
    card.isRunning = state == "running"_L1;
    card.outputBytes = data[u"stdoutBytes"].toInteger(0) + data[u"stderrBytes"].toInteger(0);
    if (card.isRunning && data[u"startedMs"].isNumber()) {
        card.ticks = true;
        card.time = elapsedText(std::max<qint64>(0, nowMs - data[u"startedMs"].toInteger(nowMs)));
    } else if (card.isWaiting) {
        card.ticks = true;
        card.time = ageText(std::max<qint64>(0, nowMs - data[u"askedMs"].toInteger(row.atMs)));
    } else if (data[u"durationMs"].isNumber()) {
        card.time = durationText(data[u"durationMs"].toInteger(0));
    }
    const QString reason = data[u"approval"][u"reason"].toString();
    if (state == "done"_L1 || (state == "failed"_L1 && code)) {
        card.result = resultWords(data, card.outputBytes);
    } else if (state == "denied"_L1) {
        if (!reason.isEmpty())
            card.second = u"“"_s + inertLine(reason, MostLine) + u"”"_s;
    } else if (state == "unknown"_L1) {
        card.second = unknownWords(data);
        card.canLook = true;
    } else if (data[u"error"].isString()) {
        card.second = inertLine(data[u"error"].toString(), MostLine);
    } else if (card.isRunning || state == "stopped"_L1) {
        // While it is told to end, that is what a person waits for.
        QString receipt = inertLine(data[u"receipt"].toString(), MostLine);
        while (receipt.endsWith(u'.')) // More may follow; it is no sentence then.
            receipt.chop(1);
        QStringList parts;
        if (!receipt.isEmpty())
            parts.append(receipt);
        if (state == "stopped"_L1 && code) {
            if (!tellsNumber(receipt, *code))
                parts.append(u"exit "_s + QString::number(*code));
            if (card.outputBytes > 0)
                parts.append(QString(bytesText(card.outputBytes) + u" of output kept"_s));
        }
        card.isMonoSecond = parts.isEmpty();
        card.second =
            parts.isEmpty() ? inertLine(data[u"lastLine"].toString(), MostLine) : parts.join(u"; "_s);
    }
    card.arguments = inertText(QStringView(callArguments(row)).left(MostArguments));
    return card;
}

} // namespace Pilothouse
