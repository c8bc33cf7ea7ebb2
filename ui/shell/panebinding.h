// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QObject>

namespace Pilothouse {

class CallModel;
class CallPane;
class ConversationPage;
class FilesPane;
class PaneHost;
class Workspace;
struct TranscriptRow;

/// Makes the panes and ties them to what the window shows: the call that is chosen in the transcript, the
/// machine of the conversation, files dropped on the composer.
class PaneBinding : public QObject {
    Q_OBJECT
public:
    /// All outlive this object. `host` takes the panes over.
    PaneBinding(Workspace *workspace, ConversationPage *page, PaneHost *host, QObject *parent);

    [[nodiscard]] CallPane *callPane() const { return m_callPane; }
    [[nodiscard]] FilesPane *filesPane() const { return m_filesPane; }

private:
    void onCurrentChanged();
    void openCall(const QString &conversation, const QString &callId);
    /// Shows the call that waits or runs while the person has chosen none of this turn.
    void followCalls();
    [[nodiscard]] bool isHeld(const TranscriptRow &watched);
    void updateMachine();
    void setPictureSources();

    Workspace *m_workspace;
    ConversationPage *m_page;
    PaneHost *m_host;
    CallModel *m_call;
    // The panes belong to the window's column.
    CallPane *m_callPane;
    FilesPane *m_filesPane;
    int m_chosenTurn = 0; ///< Turn of the call that the person chose; 0: none.
    QString m_attended; ///< The call that the person is answering.
};

} // namespace Pilothouse
