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
    void followCalls(); ///< Shows the newest call while a person has chosen none.
    void updateMachine();
    void setPictureSources();

    Workspace *m_workspace;
    ConversationPage *m_page;
    PaneHost *m_host;
    CallModel *m_call;
    // The panes belong to the window's column.
    CallPane *m_callPane;
    FilesPane *m_filesPane;
    bool m_chosen = false; ///< By the person, in this conversation.
};

} // namespace Pilothouse
