// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/datausage.h"
#include "store/rows.h"
#include "store/searchhit.h"
#include "util/error.h"
#include "util/event.h"
#include "util/result.h"

#include <QList>

#include <memory>

namespace Pilothouse {

/// The reading side: a read-only connection, usable without owning DATA, also while another program writes.
/// One object per thread; make it in the thread that uses it. Every call is bounded.
class LogReader {
public:
    enum class View {
        Shown = 1, ///< For people and exports: damage is told, every payload is a valid JSON object.
        Stored, ///< For the owner: exactly what is stored, payloads unchecked.
    };
    [[nodiscard]] static Result<std::unique_ptr<LogReader>, Error> open(const QString &dataDir,
                                                                        View view = View::Shown);
    ~LogReader();
    Q_DISABLE_COPY_MOVE(LogReader)

    [[nodiscard]] Result<QList<ConversationSummary>, Error> conversations(bool withDeleted = false);
    [[nodiscard]] Result<ConversationSummary, Error> conversation(const QString &id);
    /// Ids that start with `prefix` (for people who type the first characters).
    [[nodiscard]] Result<QStringList, Error> matchConversation(const QString &prefix);

    /// Events with seq in [fromSeq, …], at most `limit` and about 4 MiB of payload. View::Shown: an event
    /// that is damaged is an event of kind Error in its place, whatever kinds were asked for; events() has
    /// one more such event at the first seq of each gap.
    [[nodiscard]] Result<QList<EventPtr>, Error> events(const QString &conversation, qint64 fromSeq,
                                                        int limit);
    /// Only the given kinds (for building model history).
    [[nodiscard]] Result<QList<EventPtr>, Error> eventsOfKinds(const QString &conversation,
                                                               const QList<EventKind> &kinds, qint64 fromSeq,
                                                               int limit);
    [[nodiscard]] Result<qint64, Error> lastSeq(const QString &conversation);

    /// Transcript rows in order: the `limit` rows before `beforeRow` (exclusive; a huge number for the end);
    /// fewer if their texts are long. `uptoSeq` gets the seq up to which the rows tell the log: a view goes
    /// on from there with a TranscriptProjector and the events after it.
    [[nodiscard]] Result<QList<TranscriptRow>, Error> rowsBefore(const QString &conversation,
                                                                 qint64 beforeRow, int limit,
                                                                 qint64 *uptoSeq = nullptr);

    /// Exact bytes of a call's output from the spill file; shorter at its end. Missing file: an error.
    [[nodiscard]] Result<QByteArray, Error> output(const QString &conversation, const QString &callId,
                                                   const QString &channel, qint64 offset, qint64 length);
    [[nodiscard]] Result<qint64, Error> outputSize(const QString &conversation, const QString &callId,
                                                   const QString &channel);

    /// Nano-dollars of the steps that ended since `sinceMs`; empty if none of them has a price.
    [[nodiscard]] Result<std::optional<qint64>, Error> costSince(qint64 sinceMs);
    /// Bytes on disk: of the log, of output files, and of the heaviest conversations. Bounded, but slow.
    [[nodiscard]] Result<DataUsage, Error> usage();

    /// Places in user messages, answers and tool arguments that have all of `words` (the last one may be a
    /// beginning), newest first. Error (Storage) if SQLite has no full-text search here.
    [[nodiscard]] Result<QList<SearchHit>, Error> search(const QString &words, int limit);

    /// What is wrong with the log, one finding a line; empty if it is sound. Bounded, but slow: it reads the
    /// log.
    [[nodiscard]] Result<QStringList, Error> check();

    /// Conversations whose last turn has no turn-finish (for recovery by the owner).
    [[nodiscard]] Result<QStringList, Error> openTurns();

private:
    class Private;
    explicit LogReader(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace Pilothouse
