// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sidebar/statewords.h"

#include "text/inerttext.h"

#include <QHash>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype LongestWord = 200; // Of names and details from outside.
} // namespace

QString stateWord(const QString &state)
{
    static const QHash<QString, QString> words{
        {u"idle"_s, u"Idle"_s},         {u"connecting"_s, u"Connecting"_s},
        {u"thinking"_s, u"Thinking"_s}, {u"writing"_s, u"Writing"_s},
        {u"calling"_s, u"Calling"_s},   {u"waiting"_s, u"Waiting for you"_s},
        {u"retrying"_s, u"Retrying"_s}, {u"stopping"_s, u"Stopping"_s},
        {u"frozen"_s, u"Frozen"_s},     {u"interrupted"_s, u"Interrupted"_s},
        {u"failed"_s, u"Failed"_s},     {u"finished"_s, u"Finished"_s},
    };
    return words.value(state, inertLine(state, LongestWord));
}

QString stateDetailText(const ConversationSummary &summary)
{
    static const QHash<QString, QString> words{
        {u"step-limit"_s, u"step limit reached"_s},
        {u"limit"_s, u"limit reached"_s},
        {u"stopped"_s, u"stopped by you"_s},
        {u"closed"_s, u"the program was closed"_s},
        {u"model-error"_s, u"the model gave no usable answer"_s},
        {u"sandbox-error"_s, u"the sandbox could not be used"_s},
    };
    if ((summary.state == "thinking"_L1 || summary.state == "writing"_L1) && summary.steps > 0)
        return u"step "_s + QString::number(summary.steps);
    return words.value(summary.stateDetail, inertLine(summary.stateDetail, LongestWord));
}

QString titleText(const ConversationSummary &summary)
{
    const QString title = inertLine(summary.title, LongestWord);
    return title.isEmpty() ? u"New conversation"_s : title;
}

QString quotedTitle(const ConversationSummary &summary)
{
    constexpr QChar FirstStrongIsolate(0x2068);
    constexpr QChar PopDirectionalIsolate(0x2069);
    return QString(FirstStrongIsolate + titleText(summary) + PopDirectionalIsolate);
}

QString modelText(const QString &provider, const QString &model)
{
    const QString name = inertLine(QString(provider + u'/' + model), LongestWord);
    return isScripted(provider) ? QString(u"Scripted, not an AI: "_s + name) : name;
}

bool isScripted(const QString &provider) { return provider == "demo"_L1; }

QString backendText(const QString &backend)
{
    if (backend == "local"_L1)
        return u"Local sandbox on this computer"_s;
    if (backend == "superserve"_L1)
        return u"Superserve"_s;
    return inertLine(backend, LongestWord);
}

} // namespace Pilothouse
