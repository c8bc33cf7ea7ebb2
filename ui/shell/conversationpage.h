// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "composer/composer.h"

#include <QWidget>

class QStackedWidget;

namespace Pilothouse {

class ApprovalBar;
class ApprovalCard;
class ApprovalPlaces;
class ConversationActions;
class ConversationHeader;
class EmptyState;
class TranscriptView;
class WelcomePage;
class Workspace;

/// The middle of the window: header with the state in words and Stop, transcript, calls that wait, composer.
class ConversationPage : public QWidget {
    Q_OBJECT
public:
    ConversationPage(Workspace *workspace, ConversationActions *actions, QWidget *parent = nullptr);

    [[nodiscard]] Composer *composer() const { return m_composer; }
    [[nodiscard]] TranscriptView *transcript() const { return m_transcript; }
    [[nodiscard]] ApprovalBar *approvals() const { return m_approvals; }
    [[nodiscard]] WelcomePage *welcome() const { return m_welcome; }
    [[nodiscard]] ConversationHeader *header() const { return m_header; }
    void focusComposer();
    /// Letters that were typed where nothing takes them: they are meant for the message.
    void typeMessage(const QString &text);
    /// The first card of a waiting call that is seen, in the transcript or above the composer; null: none.
    [[nodiscard]] ApprovalCard *waitingCard() const;
    [[nodiscard]] QList<QWidget *> zones() const; ///< What F6 walks through here, from top to bottom.

Q_SIGNALS:
    void keysRequested();
    void localModelsRequested();
    void callAttended(const QString &callId); ///< The person goes to the card of a call that waits.

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void onCurrentChanged();
    [[nodiscard]] bool isUnused() const;
    void updateHeader();
    [[nodiscard]] Composer::State composerState() const;
    void updateApprovals();
    void updateRoom();
    void updateWelcome();

    Workspace *m_workspace;
    ConversationHeader *m_header;
    QStackedWidget *m_stack;
    TranscriptView *m_transcript;
    WelcomePage *m_welcome;
    EmptyState *m_empty;
    ApprovalBar *m_approvals;
    ApprovalPlaces *m_places;
    Composer *m_composer;
    QString m_writtenTo; ///< A message is on its way to this conversation, or has come there.
};

} // namespace Pilothouse
