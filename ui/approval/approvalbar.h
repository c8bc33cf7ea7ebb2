// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "approval/approvalcard.h"

#include <QList>
#include <QScrollArea>
#include <QSet>

class QVBoxLayout;

namespace Pilothouse {

/// The calls of one conversation that wait for a person, oldest first, for the place above the composer.
/// Hidden when none does. A card keeps what is being written in it while others come and go.
class ApprovalBar : public QScrollArea {
    Q_OBJECT
public:
    explicit ApprovalBar(QWidget *parent = nullptr);

    void setCalls(const QList<PendingCall> &calls);
    void setContext(const ApprovalContext &context); ///< Of the conversation that is shown.
    /// Calls whose card in the transcript is seen, so that none is needed here.
    void setSeenElsewhere(const QSet<QString> &callIds);
    /// Pixels that the place may take; its cards fit into it one by one, and it scrolls to the one with the
    /// focus.
    void setRoom(int height);
    void answerFailed(const QString &callId);
    [[nodiscard]] const QList<ApprovalCard *> &cards() const { return m_cards; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void answered(const QString &conversation, const QString &callId, const Pilothouse::Answer &answer);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void updateShown();
    void keepFocusInView();
    [[nodiscard]] int most() const;
    [[nodiscard]] int contentHeight() const;

    ApprovalContext m_context;
    QSet<QString> m_seenElsewhere;
    QWidget *m_content;
    QVBoxLayout *m_layout;
    QList<ApprovalCard *> m_cards;
    int m_room = 0;
};

} // namespace Pilothouse
