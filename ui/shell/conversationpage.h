// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

class QPushButton;
class QStackedWidget;

namespace Pilothouse {

class ApprovalBar;
class Composer;
class ElidedLabel;
class TranscriptView;
class WelcomePage;
class Workspace;

/// The middle of the window: header with the state in words and Stop, transcript, calls that wait, composer.
class ConversationPage : public QWidget {
    Q_OBJECT
public:
    explicit ConversationPage(Workspace *workspace, QWidget *parent = nullptr);

    [[nodiscard]] Composer *composer() const { return m_composer; }
    [[nodiscard]] TranscriptView *transcript() const { return m_transcript; }
    [[nodiscard]] ApprovalBar *approvals() const { return m_approvals; }
    [[nodiscard]] WelcomePage *welcome() const { return m_welcome; }
    void focusComposer();

private:
    void onCurrentChanged();
    void updateHeader();
    void updateApprovals();
    void updateWelcome();

    Workspace *m_workspace;
    ElidedLabel *m_title;
    ElidedLabel *m_state;
    ElidedLabel *m_model;
    QPushButton *m_stop;
    QStackedWidget *m_stack;
    TranscriptView *m_transcript;
    WelcomePage *m_welcome;
    ApprovalBar *m_approvals;
    Composer *m_composer;
};

} // namespace Pilothouse
