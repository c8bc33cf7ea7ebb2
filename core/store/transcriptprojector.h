// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"
#include "util/event.h"

#include <QList>
#include <QSet>

#include <memory>

namespace Pilothouse {

/// Events to transcript rows, for one conversation. Pure: used by the store for the derived table and by
/// views for the live tail, so that both show the same. Feed events in seq order.
class TranscriptProjector {
public:
    static constexpr qsizetype MaxText =
        1024 * 1024; ///< UTF-16 units of a row's text; data.cut tells that the events hold more.

    /// Starts after `lastRow` existing rows; `openRows` are the rows that are not closed yet (of an open
    /// turn).
    explicit TranscriptProjector(QString conversation, qint64 lastRow = 0,
                                 QList<TranscriptRow> openRows = {});
    ~TranscriptProjector();
    Q_DISABLE_COPY_MOVE(TranscriptProjector)

    /// Applies one event (bytes: of a tool-output) and returns the numbers of rows that were added or
    /// changed.
    QList<qint64> apply(const Event &event, const QByteArray &bytes = {});
    /// Row by number while it is open or was changed by the last apply(); null otherwise.
    [[nodiscard]] const TranscriptRow *row(qint64 number) const;
    [[nodiscard]] qint64 lastRow() const;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace Pilothouse
