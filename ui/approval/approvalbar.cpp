// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvalbar.h"

#include "theme/metrics.h"
#include "theme/theme.h"

#include <QEvent>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace Pilothouse {

namespace {
constexpr int HighestShare = 380; // Then it scrolls, and the transcript stays in sight.
constexpr int LeastShare = 160; // So that the window can be made smaller; the cards follow.

// As high as the cards are at its width. What wraps hints at more, and the scroll area would stretch them to
// that.
class CardColumn : public QWidget {
public:
    [[nodiscard]] QSize minimumSizeHint() const override { return {QWidget::minimumSizeHint().width(), 0}; }
};

} // namespace

ApprovalBar::ApprovalBar(QWidget *parent)
    : QScrollArea(parent)
    , m_content(new CardColumn)
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
        card->setRoom(most());
        connect(card, &ApprovalCard::answered, this, &ApprovalBar::answered);
        // Fields that are about to be seen have their places a turn later.
        for (const auto &went : {&ApprovalCard::attended, &ApprovalCard::draftChanged})
            connect(card, went, this, &ApprovalBar::keepFocusInView, Qt::QueuedConnection);
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
        // A card that is being written in stays. What had the focus here last may have lost it since; the
        // window knows, also while it is not the active one.
        const bool isShown =
            !m_seenElsewhere.contains(card->call().callId) || card->isAncestorOf(window()->focusWidget());
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

void ApprovalBar::setRoom(int height)
{
    if (std::exchange(m_room, height) == height)
        return;
    for (ApprovalCard *card : std::as_const(m_cards))
        card->setRoom(most());
    updateGeometry();
}

int ApprovalBar::most() const
{
    const int highest = Theme::instance().px(HighestShare);
    return m_room > 0 ? std::min(highest, m_room) : highest;
}

// At the width it has: what wraps takes more lines than its hint says.
int ApprovalBar::contentHeight() const
{
    return m_layout->hasHeightForWidth() ? m_layout->totalHeightForWidth(viewport()->width())
                                         : m_content->sizeHint().height();
}

void ApprovalBar::keepFocusInView()
{
    const QWidget *focused = window()->focusWidget();
    for (ApprovalCard *card : std::as_const(m_cards)) {
        if (!card->isVisible() || !focused || (card != focused && !card->isAncestorOf(focused)))
            continue;
        const int top = card->mapTo(m_content, QPoint(0, 0)).y();
        QScrollBar *bar = verticalScrollBar();
        // Of a card that does not fit, its end: there are the fields and the buttons.
        const int lowest = top + card->height() - viewport()->height();
        bar->setValue(std::max(std::min(bar->value(), top), lowest));
        return;
    }
}

QSize ApprovalBar::sizeHint() const { return {300, std::min(most(), contentHeight())}; }

QSize ApprovalBar::minimumSizeHint() const
{
    return {120, std::min(Theme::instance().px(LeastShare), sizeHint().height())};
}

bool ApprovalBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_content && event->type() == QEvent::LayoutRequest)
        updateGeometry();
    if (watched == m_content && event->type() == QEvent::Resize)
        QMetaObject::invokeMethod(this, &ApprovalBar::keepFocusInView, Qt::QueuedConnection);
    return QScrollArea::eventFilter(watched, event);
}

void ApprovalBar::resizeEvent(QResizeEvent *event)
{
    QScrollArea::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        updateGeometry();
    QMetaObject::invokeMethod(this, &ApprovalBar::keepFocusInView, Qt::QueuedConnection);
}

} // namespace Pilothouse
