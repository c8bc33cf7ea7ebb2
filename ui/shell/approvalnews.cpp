// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/approvalnews.h"

#include "approval/approvaltext.h"
#include "approval/pendingcalls.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/statewords.h"
#include "theme/announcer.h"

#include <QWidget>

namespace Pilothouse {

ApprovalNews::ApprovalNews(Workspace *workspace, QWidget *page)
    : QObject(page)
    , m_workspace(workspace)
    , m_page(page)
{
    connect(workspace, &Workspace::pendingChanged, this, &ApprovalNews::update);
}

void ApprovalNews::update(const QString &conversation)
{
    const QSet<QString> before = m_told.take(conversation);
    const QList<PendingCall> calls = m_workspace->pendingCalls()->of(conversation);
    if (calls.isEmpty())
        return;
    QSet<QString> &waiting = m_told[conversation];
    for (const PendingCall &call : calls) {
        waiting.insert(call.callId);
        if (before.contains(call.callId))
            continue;
        const QString what = spokenCall(call.toolName, approvalText(call.args));
        const ConversationSummary *summary = m_workspace->conversations()->summary(conversation);
        const bool isShown = conversation == m_workspace->current() || !summary;
        announce(m_page,
                 isShown ? tr("Waiting for you: %1").arg(what)
                         : tr("Waiting for you in “%1”: %2").arg(titleText(*summary), what));
    }
}

} // namespace Pilothouse
