// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/historyservice.h"
#include "store/rows.h"
#include "store/transcriptprojector.h"
#include "util/error.h"
#include "util/event.h"

#include <QAbstractListModel>
#include <QHash>
#include <QList>
#include <QSet>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>

namespace Pilothouse {

/// The rows of one conversation: the last ones from the log, earlier ones on demand, and the live tail
/// projected from events as they come. Give it every event of the engine, also those of other conversations:
/// what was seen tells whether a read of the log is complete. Rows that are read and events that are seen
/// overlap; seq decides.
class TranscriptModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { KindRole = Qt::UserRole + 1, NumberRole, ClosedRole };

    explicit TranscriptModel(HistoryService *history, QObject *parent = nullptr);
    ~TranscriptModel() override;

    /// Shows a conversation; an empty id shows none. The rows follow later.
    void open(const QString &conversation);
    [[nodiscard]] const QString &conversation() const { return m_conversation; }
    void takeEvents(const EventBatch &events);
    /// Reads the end of the log anew: events were missed, or another program writes.
    void reread();

    [[nodiscard]] bool hasEarlier() const;
    void loadEarlier(); ///< Does nothing while a read is on its way.

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    /// Place of a row by its number; -1 if it is not here.
    [[nodiscard]] int placeOf(qint64 row) const;
    /// The end of what a call printed, both channels one after the other; nothing if the context died.
    void readOutput(const TranscriptRow &call, qint64 most, QObject *context,
                    std::function<void(const QByteArray &bytes, qint64 total)> reply);
    /// The whole text of an answer, also what its row does not hold; the function that is replied with makes
    /// it and takes its time: call it in another thread. Not replied to if the log cannot be read.
    void readWholeText(const TranscriptRow &row, QObject *context,
                       std::function<void(std::function<QString()> text)> reply);
    /// The row itself, by place. Valid until the model changes.
    [[nodiscard]] const TranscriptRow &rowAt(int place) const { return m_rows.at(place); }

Q_SIGNALS:
    void problem(const Pilothouse::Error &error);
    /// All changes of a batch were told; views put things in place now, once.
    void settled();

private:
    void read();
    void onPage(const RowPage &page);
    void applyBuffered();
    void applyLive(const EventBatch &events);
    void publish(const std::map<qint64, TranscriptRow> &changed);
    void readAgainSoon();
    void readRow(qint64 row, int attempt);

    HistoryService *m_history;
    QString m_conversation;
    QList<TranscriptRow> m_rows;
    std::unique_ptr<TranscriptProjector> m_projector; ///< Null until the rows were read.
    EventBatch m_buffered; ///< Events of this conversation that came before the rows.
    qint64 m_bufferedBytes = 0;
    qint64 m_floor = 0; ///< Events up to this seq are in the rows.
    QHash<QString, qint64> m_seen; ///< Last seq of each conversation that had events in this run.
    QTimer m_again;
    int m_attempts = 0; ///< Reads that were behind the events already seen.
    quint64 m_reading = 0; ///< Number of the read whose answer counts.
    bool m_loadingEarlier = false;
    /// Rows that were open when they were read: what the projector cannot know (a line of output half
    /// printed, rows of another page) is put right from the log once they are closed.
    QSet<qint64> m_inherited;
};

} // namespace Pilothouse
