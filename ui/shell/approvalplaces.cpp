// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/approvalplaces.h"

#include "approval/approvalbar.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "theme/metrics.h"
#include "theme/theme.h"
#include "transcript/transcriptview.h"

#include <QApplication>
#include <QEvent>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int LowColumn = 640; // Less has no room for cards above the composer and a whole one in its row.

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
    transcript->viewport()->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, &ApprovalPlaces::updateSeen, Qt::QueuedConnection);
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
            connect(card, &ApprovalCard::answered, this, [this, card = card.data()] { noteAnswer(card); });
            connect(card, &ApprovalCard::draftChanged, this, [copy] { copy(true); });
            for (const auto &went : {&ApprovalCard::attended, &ApprovalCard::draftChanged}) {
                connect(card, went, this, &ApprovalPlaces::updateSeen);
                connect(card, went, this, &ApprovalPlaces::keepInView, Qt::QueuedConnection);
            }
            card->installEventFilter(this);
            if (ApprovalCard *above = pinned(call.callId)) {
                connect(above, &ApprovalCard::draftChanged, card, [copy] { copy(false); });
                connect(above, &ApprovalCard::attended, this, attend);
                connect(above, &ApprovalCard::answered, this, [this, above] { noteAnswer(above); });
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
    updateRoom();
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
    // Whoever edits or denies one needs the room: what is written must be seen. Where the column is low,
    // whoever is at one needs it as well: what a key would allow must be seen. The others come back after it.
    const bool isLow = m_transcript->viewport()->height() + (m_bar->isVisible() ? m_bar->height() : 0)
        < Theme::instance().px(LowColumn);
    const bool isWritten = std::any_of(seen.cbegin(), seen.cend(), [this, isLow](const QString &callId) {
        const ApprovalCard *card = m_inline.value(callId);
        return card->draft().kind != ApprovalDraft::Kind::None
            || (isLow && card->hasFocusWithin() && !card->isAnswered());
    });
    if (isWritten) {
        for (const ApprovalCard *card : m_bar->cards())
            seen.insert(card->call().callId);
    }
    // A card that goes hands the focus to its like, or Qt would hand it to whatever comes next.
    for (const ApprovalCard *card : m_bar->cards()) {
        ApprovalCard *inlined = m_inline.value(card->call().callId);
        if (!card->hasFocus() || !seen.contains(card->call().callId))
            continue;
        if (inlined && inlined->isVisible())
            inlined->goOnFrom(*card);
        else
            seen.remove(card->call().callId);
    }
    m_bar->setSeenElsewhere(seen);
    // One that is no longer in view goes on above the composer: keys must not go where nothing is seen.
    for (ApprovalCard *card : m_bar->cards()) {
        const ApprovalCard *inlined = m_inline.value(card->call().callId);
        if (inlined && inlined->hasFocusWithin() && card->isVisible() && !seen.contains(card->call().callId))
            card->goOnFrom(*inlined);
    }
}

void ApprovalPlaces::updateRoom()
{
    // The end of the transcript and the gap between rows are left out.
    const int around = Theme::instance().px(Metrics::SpaceL) + 2 * Metrics::SpaceS;
    const int room = std::max(1, m_transcript->viewport()->height() - around);
    for (const QPointer<ApprovalCard> &card : std::as_const(m_inline)) {
        if (card)
            card->setRoom(room);
    }
}

// The card that is gone to, edited or denied is seen whole, also when it or the view gets another height.
void ApprovalPlaces::keepInView()
{
    const QWidget *focused = QApplication::focusWidget();
    for (auto it = m_inline.cbegin(); it != m_inline.cend(); ++it) {
        if (focused && it.value() && (it.value() == focused || it.value()->isAncestorOf(focused)))
            m_transcript->keepCallInView(it.key());
    }
}

bool ApprovalPlaces::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize) {
        if (watched == m_transcript->viewport())
            updateRoom();
        QMetaObject::invokeMethod(this, &ApprovalPlaces::keepInView, Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
}

void ApprovalPlaces::noteAnswer(const ApprovalCard *card)
{
    if (!card->hasFocus())
        return;
    updateSeen(); // The next one may have given way to this one.
    Q_EMIT answered(card->call().callId, card->isUsedByMouse());
}

ApprovalCard *ApprovalPlaces::nextAfter(const QString &callId) const
{
    const QList<PendingCall> calls = m_workspace->pendingCalls()->of(m_workspace->current());
    const auto at = std::find_if(calls.cbegin(), calls.cend(),
                                 [&callId](const PendingCall &call) { return call.callId == callId; });
    const qsizetype from = at - calls.cbegin();
    for (qsizetype i = 1; i <= calls.size(); ++i) {
        const QString &id = calls[(from + i) % calls.size()].callId;
        ApprovalCard *above = pinned(id);
        ApprovalCard *inlined = m_inline.value(id);
        if (id == callId || (above && above->isAnswered()) || (inlined && inlined->isAnswered()))
            continue;
        for (ApprovalCard *card : {above, inlined}) {
            if (card && card->isVisible())
                return card;
        }
    }
    return nullptr;
}

void ApprovalPlaces::updateContext()
{
    ApprovalContext context;
    QString backend;
    if (const ConversationSummary *summary = m_workspace->conversations()->summary(m_workspace->current())) {
        context.isMachinePaused = summary->sandboxState == "paused"_L1;
        backend = summary->backend;
    }
    // One that was just made is not in the list yet; it was made from the draft.
    if (backend.isEmpty())
        backend = m_workspace->draft().backend;
    if (backend == "local"_L1)
        context.canReach = tr("nothing outside its machine: no network");
    else if (!backend.isEmpty())
        context.canReach = tr("not known: whatever the network rules of its machine allow");
    m_bar->setContext(context);
    for (const QPointer<ApprovalCard> &card : std::as_const(m_inline)) {
        if (card)
            card->setContext(context);
    }
}

} // namespace Pilothouse
