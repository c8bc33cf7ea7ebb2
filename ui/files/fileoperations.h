// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/filesservice.h"

#include <QHash>
#include <QObject>
#include <QPointer>

#include <optional>

namespace Pilothouse {

/// One thing a person does with files, as a strip shows it.
struct FileOperation {
    enum class Kind { Upload = 1, Download, Rename, Delete, NewFolder };
    enum class State { Running = 1, Done, Partly, Failed, Cancelled };
    quint64 id = 0;
    QString conversation; ///< In which it was begun, and in which it is told.
    Kind kind = Kind::Upload;
    State state = State::Running;
    QString words; ///< What is done, or was; one line, plain.
    std::optional<double> part; ///< How much of it; empty: not known.
    std::optional<Error> error; ///< Failed and Partly.
    QString place; ///< Download: what was made on this computer.
    [[nodiscard]] bool isDone() const { return state == State::Done || state == State::Cancelled; }
};

/// Runs what a person does with files, one strip row each, and tells which folders changed by it. A change
/// whose answer was lost is a failure with "outcome unknown" and counts as a change.
class FileOperations : public QObject {
    Q_OBJECT
public:
    explicit FileOperations(QObject *parent = nullptr);

    [[nodiscard]] const QList<FileOperation> &operations() const { return m_operations; } ///< Oldest first.
    [[nodiscard]] int running() const;

    /// Whose machine is worked with, and for which conversation.
    struct Target {
        FilesService *service = nullptr;
        MachinePlace place;
        QString conversation;
    };
    void upload(const Target &target, const QStringList &localPaths, const QByteArray &folder);
    void download(const Target &target, const QList<RemoteItem> &items, const QString &localFolder,
                  const QString &fileName);
    void rename(const Target &target, const QByteArray &path, const QByteArray &newName);
    void remove(const Target &target, const QByteArrayList &paths);
    void makeFolder(const Target &target, const QByteArray &path);

    void cancel(quint64 id);
    void dismiss(quint64 id); ///< Of what no longer runs.
    void dismissDone(const QString &conversation); ///< All that ended without an error.

Q_SIGNALS:
    void changed(); ///< A row came, went or changed.
    void progressed(quint64 id); ///< Only words and part.
    /// Something in `folder` of the machine may be different now. `made`: what should be selected.
    void folderChanged(const Pilothouse::MachinePlace &place, const QByteArray &folder,
                       const QByteArray &made);
    /// The person changed these; the agent did not.
    void ownWritten(const Pilothouse::MachinePlace &place, const QByteArrayList &paths);
    void ownRemoved(const Pilothouse::MachinePlace &place, const QByteArray &path);
    void ownRenamed(const Pilothouse::MachinePlace &place, const QByteArray &from, const QByteArray &to);

private:
    struct Running {
        QPointer<QObject> context;
        FilesService *service = nullptr;
        FilesService::Call call = 0;
        QString subject; ///< For words: a name, or "3 files".
    };

    quint64 begin(FileOperation::Kind kind, const Target &target, const QString &subject);
    void setCall(quint64 id, FilesService::Call call);
    [[nodiscard]] FileOperation *find(quint64 id);
    void progress(quint64 id, const TransferProgress &state);
    void succeed(quint64 id, const QString &words);
    void failWith(quint64 id, const FileFault &fault, const QString &words);
    void endTransfer(quint64 id, const Result<TransferSum, FileFault> &sum);
    void removeNext(quint64 id, const Target &target, QByteArrayList paths, int done);
    void bound();

    QList<FileOperation> m_operations;
    QHash<quint64, Running> m_running;
    quint64 m_last = 0;
};

} // namespace Pilothouse
