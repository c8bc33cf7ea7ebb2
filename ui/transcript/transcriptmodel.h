// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/historyservice.h"
#include "store/rows.h"
#include "store/transcriptprojector.h"
#include "transcript/calloutput.h"
#include "transcript/rowpages.h"
#include "util/error.h"
#include "util/event.h"

#include <QAbstractListModel>
#include <QHash>
#include <QList>
#include <QPointer>
#include <QSet>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>

namespace Pilothouse {

/// The rows of one conversation, all of them by place: the last ones are read from the log when it is opened,
/// others when a view needs them, and the live tail is projected from events as they come. Rows that are not
/// here (isHere()) are stubs without a text; far ones become such again. Give it every event of the engine,
/// also those of other conversations: what was seen tells whether a read of the log is complete. Rows that
/// are read and events that are seen overlap; seq decides.
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

    /// Tells which rows a view shows: those that are not here are read, then those around them. What was
    /// needed before and is not any more is not waited for.
    void need(int first, int last);
    [[nodiscard]] bool isHere(int place) const { return m_pages.isHere(place); }
    [[nodiscard]] bool areHere(int first, int last) const { return m_pages.areHere(first, last); }
    [[nodiscard]] int rowsHere() const { return m_pages.held(); } ///< Bounded, see RowPages.
    /// Calls each of the rows that are here, in order.
    void forEachHere(const std::function<void(int place, const TranscriptRow &)> &call) const
    {
        m_pages.forEach(call);
    }
    /// Place of a call's row; -1: it is not here.
    [[nodiscard]] int placeOfCall(const QString &callId) const;
    /// The call to look at: the first that waits for a person, else the first that runs, else the first that
    /// has not ended; without any of these the last call. `isOpen` tells which. -1: none is here.
    struct CallPlace {
        int place = -1;
        bool isOpen = false;
    };
    [[nodiscard]] CallPlace placeOfCallToWatch() const;

    /// What the last step that has ended took of the model's context: its prompt and its answer. Empty: not
    /// known.
    [[nodiscard]] std::optional<qint64> lastContextTokens() const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    /// Place of a row by its number; -1 if there is none.
    [[nodiscard]] int placeOf(qint64 row) const;
    /// The end of what a call printed, `most` bytes of each channel; nothing if the context died.
    void readOutput(const TranscriptRow &call, qint64 most, QObject *context,
                    std::function<void(const CallBytes &bytes)> reply);
    /// The whole text of an answer, also what its row does not hold; the function that is replied with makes
    /// it and takes its time: call it in another thread. It is empty if the log cannot be read.
    using TextReply = std::function<void(std::function<QString()> text)>;
    void readWholeText(const TranscriptRow &row, QObject *context, TextReply reply);
    /// Rows by number as the log has them, also those that are not here. At most a page is replied with, the
    /// last ones of the range if that is less; nothing is kept.
    void readRows(qint64 first, qint64 last, QObject *context,
                  std::function<void(const Result<QList<TranscriptRow>, Error> &)> reply);
    /// The row itself, by place. Valid until the model changes.
    [[nodiscard]] const TranscriptRow &rowAt(int place) const { return m_pages.at(place); }

Q_SIGNALS:
    void problem(const Pilothouse::Error &error);
    /// All changes of a batch were told; views put things in place now, once.
    void settled();

private:
    void read();
    void onPage(const RowPage &page);
    void applyBuffered();
    void applyLive(const EventBatch &events);
    void applySome();
    void publish(const std::map<qint64, TranscriptRow> &changed);
    void readMoreText(const TranscriptRow &row, const QList<EventPtr> &before, int attempt,
                      const QPointer<QObject> &context, const TextReply &reply);
    void readAgainSoon();
    void readNeeded();
    void onNeeded(int first, int last, const RowPage &page);
    void trim();
    void readRow(qint64 row, int attempt);

    HistoryService *m_history;
    QString m_conversation;
    RowPages m_pages;
    std::unique_ptr<TranscriptProjector> m_projector; ///< Null until the rows were read.
    EventBatch m_buffered; ///< Events of this conversation that came before the rows.
    qint64 m_bufferedBytes = 0;
    EventBatch m_live; ///< Events that follow the rows and have not been applied.
    qint64 m_liveBytes = 0;
    QTimer m_more;
    qint64 m_floor = 0; ///< Events up to this seq are in the rows.
    QHash<QString, qint64> m_seen; ///< Last seq of each conversation that had events in this run.
    QTimer m_again;
    int m_attempts = 0; ///< Reads that were behind the events already seen.
    quint64 m_reading = 0; ///< Number of the read whose answer counts.
    int m_needFirst = 0;
    int m_needLast = -1;
    bool m_isReadingNeeded = false;
    QTimer m_needAgain;
    int m_needAttempts = 0;
    qint64 m_lastInLog = 0; ///< Highest number of a row that was read.
    /// Rows that were open when they were read: what the projector cannot know (a line of output half
    /// printed, rows of another page) is put right from the log once they are closed.
    QSet<qint64> m_inherited;
};

} // namespace Pilothouse
