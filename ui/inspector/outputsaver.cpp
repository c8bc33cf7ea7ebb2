// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/outputsaver.h"

#include <QSaveFile>

#include <algorithm>
#include <memory>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qint64 PieceBytes = 1024 * 1024;
}

/// Lives in the saver's thread: a slow disk must not stop the window.
class OutputSaver::Writer : public QObject {
public:
    explicit Writer(QString fileName)
        : m_fileName(std::move(fileName))
    { }

    /// What is wrong, or empty.
    QString write(const QByteArray &bytes)
    {
        if (!m_file) {
            m_file = std::make_unique<QSaveFile>(m_fileName);
            if (!m_file->open(QIODevice::WriteOnly))
                return m_file->errorString();
        }
        return m_file->write(bytes) == bytes.size() ? QString() : m_file->errorString();
    }
    QString commit()
    {
        const QString problem = write({});
        if (!problem.isEmpty())
            return problem;
        return m_file->commit() ? QString() : m_file->errorString();
    }

private:
    QString m_fileName;
    std::unique_ptr<QSaveFile> m_file;
};

OutputSaver::OutputSaver(OutputModel::Reader reader, std::vector<LineStore::Range> ranges,
                         const QString &fileName, QObject *parent)
    : QObject(parent)
    , m_reader(std::move(reader))
    , m_ranges(std::move(ranges))
    , m_writer(new Writer(fileName))
{
    std::reverse(m_ranges.begin(), m_ranges.end());
    m_thread.setObjectName(u"save output"_s);
    m_writer->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_writer, &QObject::deleteLater);
    m_thread.start();
    QMetaObject::invokeMethod(this, &OutputSaver::next, Qt::QueuedConnection);
}

OutputSaver::~OutputSaver()
{
    m_thread.quit();
    m_thread.wait(); // For one piece at most.
}

void OutputSaver::next()
{
    if (m_ended)
        return;
    const auto written = [this](const QString &problem, bool isLast) {
        if (!problem.isEmpty())
            end(Error{ErrorKind::Storage, tr("The output could not be saved: %1").arg(problem),
                      tr("It is still in the log, and a file that was there is as it was."),
                      tr("Choose another place, or make room.")});
        else if (isLast)
            end({});
        else
            next();
    };
    const auto toWriter = [this, written](const QByteArray &bytes, bool isLast) {
        QMetaObject::invokeMethod(
            m_writer,
            [this, written, bytes, isLast, writer = m_writer] {
                const QString problem = isLast ? writer->commit() : writer->write(bytes);
                QMetaObject::invokeMethod(
                    this, [written, problem, isLast] { written(problem, isLast); }, Qt::QueuedConnection);
            },
            Qt::QueuedConnection);
    };
    while (!m_ranges.empty() && m_ranges.back().length <= 0)
        m_ranges.pop_back();
    if (m_ranges.empty()) {
        toWriter({}, true);
        return;
    }
    const LineStore::Range range = m_ranges.back();
    m_reader(range.channel, range.offset, std::min(range.length, PieceBytes), this,
             [this, toWriter](const Result<QByteArray, Error> &bytes) {
                 if (m_ended)
                     return;
                 if (!bytes) {
                     end(bytes.error());
                     return;
                 }
                 if (bytes->isEmpty()) {
                     end(Error{ErrorKind::Storage, tr("Part of the output is not in the data folder."),
                               tr("A file that was there is as it was."),
                               tr("If the call still runs, save again in a moment.")});
                     return;
                 }
                 LineStore::Range &part = m_ranges.back();
                 part.offset += bytes->size();
                 part.length -= bytes->size();
                 m_written += bytes->size();
                 toWriter(*bytes, false);
             });
}

void OutputSaver::end(const std::optional<Error> &error)
{
    if (std::exchange(m_ended, true))
        return;
    deleteLater();
    Q_EMIT finished(m_written, error);
}

} // namespace Pilothouse
