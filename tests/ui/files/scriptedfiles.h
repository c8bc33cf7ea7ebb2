// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/filesservice.h"

#include <QMap>
#include <QObject>
#include <QStringList>

namespace Pilothouse::Tests {

/// A machine's files in memory. Answers on a later event-loop turn, or when told to.
class ScriptedFiles : public QObject, public FilesService {
    Q_OBJECT
public:
    struct Thing {
        QChar type = u'f';
        QByteArray bytes;
        qint64 size = -1; ///< -1: of the bytes.
        double modified = 1000;
        double born = 0;
    };

    ScriptedFiles();
    void add(const QByteArray &path, const QByteArray &bytes, double modified = 1000);
    void addFolder(const QByteArray &path);
    void erase(const QByteArray &path); ///< With all below.

    Call list(const MachinePlace &place, const QByteArray &path, QObject *context, Some some,
              Reply<FileListEnd> reply) override;
    Call survey(const MachinePlace &place, const QByteArray &root, double since, QObject *context,
                Reply<FileSurvey> reply) override;
    Call read(const MachinePlace &place, const QByteArray &path, qint64 offset, qint64 length,
              QObject *context, Reply<FilePart> reply) override;
    Call makeFolder(const MachinePlace &place, const QByteArray &path, QObject *context,
                    Reply<Done> reply) override;
    Call rename(const MachinePlace &place, const QByteArray &from, const QByteArray &to, QObject *context,
                Reply<Done> reply) override;
    Call remove(const MachinePlace &place, const QByteArray &path, QObject *context,
                Reply<Done> reply) override;
    Call upload(const MachinePlace &place, const QStringList &localPaths, const QByteArray &folder,
                QObject *context, Progress progress, Reply<TransferSum> reply) override;
    Call download(const MachinePlace &place, const QList<RemoteItem> &items, const QString &localFolder,
                  const QString &fileName, QObject *context, Progress progress,
                  Reply<TransferSum> reply) override;
    void cancel(Call call) override;

    QMap<QByteArray, Thing> things; ///< By absolute path.
    QStringList log; ///< "list /home/user", …
    QHash<QByteArray, FileFault> faults; ///< By "list /path", "read /path", "remove /path", …
    bool holdTransfers = false; ///< They run until releaseTransfer() or cancel().
    bool surveyIsCut = false;
    double clock = 2000; ///< The machine's.
    qint64 largestRead = 0;

    void releaseTransfer(const Result<TransferSum, FileFault> &result);
    void progressTransfer(const TransferProgress &progress);
    [[nodiscard]] int count(const QString &begin) const;

private:
    [[nodiscard]] FileEntry entry(const QByteArray &path, const QByteArray &name) const;
    [[nodiscard]] std::optional<FileFault> note(const QString &what, const QByteArray &path);
    template <typename T>
    void answer(QObject *context, const Reply<T> &reply, const Result<T, FileFault> &result);
    Call holdTransfer(QObject *context, const Progress &progress, const Reply<TransferSum> &reply);

    Call m_last = 0;
    Call m_held = 0;
    QPointer<QObject> m_heldContext;
    Progress m_heldProgress;
    Reply<TransferSum> m_heldReply;
};

[[nodiscard]] FileFault fault(FileFault::Kind kind, const QString &text);

} // namespace Pilothouse::Tests
