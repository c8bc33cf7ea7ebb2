// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvalbar.h"

#include "theme/metrics.h"
#include "theme/theme.h"

#include <QEvent>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace Pilothouse {

namespace {
constexpr int HighestShare = 380; // Then it scrolls, and the transcript stays in sight.
}

ApprovalBar::ApprovalBar(QWidget *parent)
    : QScrollArea(parent)
    , m_content(new QWidget)
    , m_layout(new QVBoxLayout(m_content))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(Metrics::SpaceXs);
    setWidget(m_content);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
    setAccessibleName(tr("Calls that wait for you"));
    verticalScrollBar()->setAccessibleName(tr("Scroll the waiting calls"));
    m_content->installEventFilter(this);
    hide();
}

void ApprovalBar::setCalls(const QList<PendingCall> &calls)
{
    QList<ApprovalCard *> kept;
    for (const PendingCall &call : calls) {
        const auto known = std::find_if(m_cards.cbegin(), m_cards.cend(), [&](const ApprovalCard *card) {
            return card->call().callId == call.callId;
        });
        if (known != m_cards.cend()) {
            kept.append(*known);
            continue;
        }
        auto *card = new ApprovalCard(call);
        card->setContext(m_context);
        connect(card, &ApprovalCard::answered, this, &ApprovalBar::answered);
        m_layout->addWidget(card);
        card->show(); // Now, so that it can take the focus; the layout would do it a turn later.
        kept.append(card);
    }
    for (ApprovalCard *card : std::as_const(m_cards)) {
        if (!kept.contains(card)) {
            m_layout->removeWidget(card);
            card->hide();
            card->deleteLater(); // It may be the sender.
        }
    }
    m_cards = kept;
    for (int i = 0; i < m_cards.size(); ++i)
        m_cards[i]->setPosition(i + 1, static_cast<int>(m_cards.size()));
    updateShown();
}

void ApprovalBar::setContext(const ApprovalContext &context)
{
    m_context = context;
    for (ApprovalCard *card : std::as_const(m_cards))
        card->setContext(context);
}

void ApprovalBar::setSeenElsewhere(const QSet<QString> &callIds)
{
    if (callIds == m_seenElsewhere)
        return;
    m_seenElsewhere = callIds;
    updateShown();
}

void ApprovalBar::updateShown()
{
    bool isNeeded = false;
    for (ApprovalCard *card : std::as_const(m_cards)) {
        // A card that is being written in stays.
        const bool isShown =
            !m_seenElsewhere.contains(card->call().callId) || card->isAncestorOf(focusWidget());
        card->setVisible(isShown);
        isNeeded = isNeeded || isShown;
    }
    setVisible(isNeeded);
    updateGeometry();
}

void ApprovalBar::answerFailed(const QString &callId)
{
    for (ApprovalCard *card : std::as_const(m_cards)) {
        if (card->call().callId == callId)
            card->answerFailed();
    }
}

QSize ApprovalBar::sizeHint() const
{
    return {300, std::min(Theme::instance().px(HighestShare), m_content->sizeHint().height())};
}

QSize ApprovalBar::minimumSizeHint() const
{
    return {120, std::min(Theme::instance().px(HighestShare), m_content->sizeHint().height())};
}

bool ApprovalBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_content && event->type() == QEvent::LayoutRequest)
        updateGeometry();
    return QScrollArea::eventFilter(watched, event);
}

} // namespace Pilothouse
