// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "inspector/outputmodel.h"

#include <QObject>
#include <QThread>

namespace Pilothouse {

/// Writes the exact bytes of an output to a file, piece by piece: a file with that name is replaced only when
/// all of them are written. Reads and writes happen in other threads. Deletes itself after finished(), which
/// comes exactly once.
class OutputSaver : public QObject {
    Q_OBJECT
public:
    /// `ranges` one after the other.
    OutputSaver(OutputModel::Reader reader, std::vector<LineStore::Range> ranges, const QString &fileName,
                QObject *parent);
    ~OutputSaver() override;

Q_SIGNALS:
    /// `error` is empty if all is written.
    void finished(qint64 bytes, const std::optional<Pilothouse::Error> &error);

private:
    class Writer;
    void next();
    void end(const std::optional<Error> &error);

    OutputModel::Reader m_reader;
    std::vector<LineStore::Range> m_ranges; ///< What is left, last first.
    QThread m_thread;
    Writer *m_writer;
    qint64 m_written = 0;
    bool m_ended = false;
};

} // namespace Pilothouse
