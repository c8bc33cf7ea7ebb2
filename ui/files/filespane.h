// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "files/filechanges.h"
#include "files/filedialogs.h"
#include "files/fileoperations.h"
#include "util/error.h"
#include "util/event.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

class QSplitter;

namespace Pilothouse {

class ChangesFoot;
class FileActions;
class FileFilter;
class FilesHead;
class FilesSession;
class FileTreeView;
class HistoryService;
class OperationStrip;
class PreviewPane;
class TreeStack;

/// The Files pane: the machine's tree, what changed in it, a preview, and what a person does with files.
/// Never starts a machine: where one must run, it offers to wake it.
class FilesPane : public QWidget {
    Q_OBJECT
public:
    /// `service` null: another program owns the data; nothing can be asked. Both outlive the pane.
    FilesPane(FilesService *service, HistoryService *history, QWidget *parent = nullptr);
    ~FilesPane() override;

    void setService(FilesService *service); ///< Forgets what was seen.
    /// The conversation that is shown and its machine, as its summary says; again whenever that changes. An
    /// empty id: none yet.
    void setConversation(const QString &id, const QString &backend, const QString &sandboxId,
                         const QString &sandboxState);
    void takeEvents(const EventBatch &events); ///< Of all conversations.
    /// Into the folder that is selected, or the root. Says what to do where the machine is not active.
    void uploadFiles(const QStringList &localPaths);
    void setDialogs(const FileDialogs &dialogs); ///< For tests.

    [[nodiscard]] FileTreeView *tree() const { return m_tree; }
    [[nodiscard]] PreviewPane *preview() const { return m_preview; }
    [[nodiscard]] FileOperations *operations() { return &m_operations; }
    [[nodiscard]] FilesSession *session() const { return m_session; }
    [[nodiscard]] QString stateText() const; ///< Headline of what stands instead of the tree; empty with one.

Q_SIGNALS:
    void changedCountChanged(int count); ///< Files changed since the conversation began.
    void wakeRequested(); ///< Then setConversation() with the new state, or its events, go on.
    void problem(const Pilothouse::Error &error);
    /// See FilesSession::machineFound().
    void machineFound(const QString &conversation, const QString &sandboxId, const QString &state);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void buildTree(QWidget *column);
    FilesSession *sessionFor(const QString &id);
    void connectSession(FilesSession *session);
    void wake();
    void updateState();
    void updateChanges();
    void updatePreview();
    void updateActions();
    void chooseScope(FileChanges::Scope scope);
    void folderChanged(const MachinePlace &place, const QByteArray &folder, const QByteArray &made);
    void selectMade();

    FilesService *m_service;
    HistoryService *m_history;
    QList<FilesSession *> m_sessions; ///< The last used first; bounded.
    FilesSession *m_session = nullptr;
    FileOperations m_operations;
    FileChanges::Scope m_scope = FileChanges::Scope::Conversation;
    QByteArray m_made; ///< To be selected when a listing shows it.
    QTimer m_previewSoon;
    int m_count = 0;

    QSplitter *m_splitter;
    FileTreeView *m_tree;
    TreeStack *m_stack;
    PreviewPane *m_preview;
    FileActions *m_actions;
    FileFilter *m_filter;
    FilesHead *m_head;
    OperationStrip *m_strip;
    QWidget *m_footBox;
    ChangesFoot *m_foot;
};

} // namespace Pilothouse
