// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace Pilothouse {

/// DATA/spill/CONVERSATION/CALL.CHANNEL. Empty unless both are ids of ours and the channel is stdout or
/// stderr: nothing that came from outside gets into a path.
[[nodiscard]] QString spillFileName(const QString &dataDir, const QString &conversation,
                                    const QString &callId, const QString &channel);

/// Up to `length` bytes from `offset`; fewer at the end of the file. Errors: NotFound (no such file),
/// Storage.
[[nodiscard]] Result<QByteArray, Error> readSpill(const QString &fileName, qint64 offset, qint64 length);

/// Writes output bytes to spill files. Lives in the store thread. Keeps a few files open, because a call
/// writes many pieces.
class SpillWriter {
public:
    explicit SpillWriter(QString dataDir);
    ~SpillWriter();
    Q_DISABLE_COPY_MOVE(SpillWriter)

    /// Writes `bytes` at `offset`. A file that is longer than that was written ahead of a commit that never
    /// came; the log wins and the rest is cut off. A file that is shorter has lost bytes the log speaks of:
    /// an error.
    [[nodiscard]] Result<Done, Error> write(const QString &fileName, qint64 offset, const QByteArray &bytes);
    /// Syncs the files written since the last call of sync() or forget().
    [[nodiscard]] Result<Done, Error> sync();
    void forget(); ///< Nothing written so far needs sync().

    /// Closes the conversation's files and removes its folder.
    [[nodiscard]] Result<Done, Error> remove(const QString &conversation);

private:
    struct OpenFile {
        QString name;
        int fd = -1;
        qint64 size = 0;
        bool isDirty = false;
    };
    [[nodiscard]] Result<OpenFile *, Error> opened(const QString &fileName);

    QString m_dataDir;
    QList<OpenFile> m_files; ///< Last used last.
};

} // namespace Pilothouse
