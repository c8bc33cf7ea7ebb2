// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "files/filedialogs.h"
#include "files/fileoperations.h"
#include "util/error.h"

#include <QModelIndex>
#include <QObject>
#include <QPointer>

class QPoint;

namespace Pilothouse {

class FilesSession;
class FileTreeView;

/// What a person can do with files: asks what must be asked, then hands it to FileOperations. Everything is
/// refused, in words, while the machine is not active.
class FileActions : public QObject {
    Q_OBJECT
public:
    /// All outlive the actions.
    FileActions(QWidget *window, FileTreeView *tree, FileOperations *operations);

    void setSession(FilesSession *session); ///< The one that is shown.
    void setDialogs(const FileDialogs &dialogs) { m_dialogs = dialogs; }
    [[nodiscard]] bool canWork() const;
    /// True, and says so by problem(), if the machine is not active. `kept`: what did not happen.
    [[nodiscard]] bool refuse(const QString &kept);

    void uploadInto(const QByteArray &folder, const QStringList &localPaths);
    void download(const QList<QModelIndex> &entries);
    void downloadPath(const QByteArray &path, bool isFolder);
    void rename(const QByteArray &path, const QByteArray &newName);
    void removeSelected();
    void newFolder();
    void copyPaths();
    void showMenu(const QPoint &globalPosition);
    void showUploadMenu(const QPoint &globalPosition);

Q_SIGNALS:
    void problem(const Pilothouse::Error &error);

private:
    [[nodiscard]] FileOperations::Target target() const; ///< Of what is asked for now.
    /// Whether it can still be worked with when a question was answered.
    [[nodiscard]] bool isThere(const FileOperations::Target &target) const;

    QWidget *m_window;
    FileTreeView *m_tree;
    FileOperations *m_operations;
    QPointer<FilesSession> m_session;
    FileDialogs m_dialogs;
};

} // namespace Pilothouse
