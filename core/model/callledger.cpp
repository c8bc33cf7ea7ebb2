// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/callledger.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

QString CallLedger::Result::forText() const
{
    if (content.isEmpty())
        return isError ? u"Error: The call failed."_s : u"(no output)"_s;
    return isError ? QString(u"Error: "_s + content) : content;
}

QString CallLedger::open(const QString &id, bool isOwn)
{
    const QString sent = isOwn ? id : callIdFor(id, m_form);
    if (sent == id)
        m_sentIds.remove(id);
    else
        m_sentIds.insert(id, sent);
    m_open.append(sent);
    return sent;
}

QStringList CallLedger::orphans(const QList<ToolOutcome> &outcomes) const
{
    QStringList texts;
    for (const ToolOutcome &outcome : outcomes) {
        if (!m_open.contains(sentId(outcome.providerCallId)))
            texts.append(u"Result of an earlier call of %1:\n%2"_s.arg(outcome.toolName, outcome.content));
    }
    return texts;
}

QList<CallLedger::Result> CallLedger::settle(const QList<ToolOutcome> &outcomes)
{
    QList<Result> results;
    QSet<qsizetype> used; // Servers have been seen to give two calls the same id.
    const QStringList open = std::exchange(m_open, {});
    for (const QString &id : open) {
        Result result{id, u"This call was not run."_s, true};
        for (qsizetype i = 0; i < outcomes.size(); ++i) {
            if (used.contains(i) || sentId(outcomes[i].providerCallId) != id)
                continue;
            used.insert(i);
            result.content = outcomes[i].content;
            result.isError = outcomes[i].isError;
            break;
        }
        results.append(result);
    }
    return results;
}

} // namespace Pilothouse
