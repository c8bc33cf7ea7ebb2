// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/approvalplaces.h"

#include "approval/approvalbar.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "transcript/transcriptview.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Puts a card and what is in it behind `before` in the order of Tab; the last of it.
QWidget *placeAfter(QWidget *before, QWidget *card)
{
    QList<QWidget *> stops{card};
    for (QWidget *next = card->nextInFocusChain(); next != card; next = next->nextInFocusChain()) {
        if (card->isAncestorOf(next) && next->focusPolicy() != Qt::NoFocus)
            stops.append(next);
    }
    for (QWidget *stop : std::as_const(stops)) {
        QWidget::setTabOrder(before, stop);
        before = stop;
    }
    return before;
}

} // namespace

ApprovalPlaces::ApprovalPlaces(Workspace *workspace, TranscriptView *transcript, ApprovalBar *bar,
                               QObject *parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_transcript(transcript)
    , m_bar(bar)
{
    connect(transcript, &TranscriptView::callsOutsideChanged, this, &ApprovalPlaces::updateSeen);
    connect(workspace, &Workspace::answerFailed, this, [this](const QString &callId) {
        if (ApprovalCard *card = m_inline.value(callId))
            card->answerFailed();
        m_bar->answerFailed(callId);
    });
    connect(workspace->conversations(), &QAbstractItemModel::dataChanged, this,
            &ApprovalPlaces::updateContext);
    update();
}

ApprovalPlaces::~ApprovalPlaces() = default;

ApprovalCard *ApprovalPlaces::pinned(const QString &callId) const
{
    const auto cards = m_bar->cards();
    const auto found = std::find_if(cards.cbegin(), cards.cend(), [&callId](const ApprovalCard *card) {
        return card->call().callId == callId;
    });
    return found == cards.cend() ? nullptr : *found;
}

void ApprovalPlaces::update()
{
    const QList<PendingCall> calls = m_workspace->pendingCalls()->of(m_workspace->current());
    m_bar->setCalls(calls);
    QHash<QString, QPointer<ApprovalCard>> kept;
    for (qsizetype i = 0; i < calls.size(); ++i) {
        const PendingCall &call = calls[i];
        QPointer<ApprovalCard> card = m_inline.take(call.callId);
        if (!card) {
            card = new ApprovalCard(call);
            connect(card, &ApprovalCard::answered, m_workspace, &Workspace::answer);
            const auto attend = [this, id = call.callId] { Q_EMIT attended(id); };
            connect(card, &ApprovalCard::attended, this, attend);
            const auto copy = [this, id = call.callId](bool fromInline) {
                ApprovalCard *inlined = m_inline.value(id);
                ApprovalCard *other = pinned(id);
                if (m_copying || !inlined || !other)
                    return;
                m_copying = true;
                if (fromInline)
                    other->setDraft(inlined->draft());
                else
                    inlined->setDraft(other->draft());
                m_copying = false;
            };
            connect(card, &ApprovalCard::draftChanged, this, [copy] { copy(true); });
            if (ApprovalCard *above = pinned(call.callId)) {
                connect(above, &ApprovalCard::draftChanged, card, [copy] { copy(false); });
                connect(above, &ApprovalCard::attended, this, attend);
            }
            m_transcript->setCallWidget(call.callId, card);
        }
        card->setPosition(static_cast<int>(i + 1), static_cast<int>(calls.size()));
        kept.insert(call.callId, card);
    }
    for (auto it = m_inline.cbegin(); it != m_inline.cend(); ++it) {
        m_transcript->setCallWidget(it.key(), nullptr);
        if (it.value())
            it.value()->deleteLater(); // Its own signal may have brought us here.
    }
    m_inline = kept;
    // Cards are made when calls come; Tab reaches them where they are seen, before the composer.
    QWidget *before = m_transcript;
    for (const PendingCall &call : calls)
        before = placeAfter(before, m_inline.value(call.callId));
    for (ApprovalCard *card : m_bar->cards())
        before = placeAfter(before, card);
    updateContext();
    updateSeen();
}

void ApprovalPlaces::updateSeen()
{
    QSet<QString> seen;
    for (auto it = m_inline.cbegin(); it != m_inline.cend(); ++it) {
        if (it.value() && !m_transcript->callsOutside().contains(it.key()))
            seen.insert(it.key());
    }
    m_bar->setSeenElsewhere(seen);
}

void ApprovalPlaces::updateContext()
{
    ApprovalContext context;
    if (const ConversationSummary *summary = m_workspace->conversations()->summary(m_workspace->current())) {
        context.isMachinePaused = summary->sandboxState == "paused"_L1;
        if (summary->backend == "local"_L1)
            context.canReach = tr("nothing outside its machine: no network");
    }
    m_bar->setContext(context);
    for (const QPointer<ApprovalCard> &card : std::as_const(m_inline)) {
        if (card)
            card->setContext(context);
    }
}

} // namespace Pilothouse
