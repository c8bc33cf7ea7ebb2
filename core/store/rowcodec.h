// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/database.h"
#include "store/rows.h"
#include "store/summaryprojector.h"
#include "util/event.h"

#include <QList>

#include <optional>

namespace Pilothouse {

// How values of the read models and events stand in columns, in one place for the writing and the reading
// side.

/// Columns of table transcript_rows in the order of rowValues() and rowFrom().
[[nodiscard]] QString rowColumns();
[[nodiscard]] QVariantList rowValues(const TranscriptRow &row);
[[nodiscard]] TranscriptRow rowFrom(const Statement &statement, int firstColumn, const QString &conversation);
[[nodiscard]] QString rowKindName(TranscriptRow::Kind kind);
/// Rows whose text comes in deltas.
[[nodiscard]] bool isStreamed(const TranscriptRow &row);
/// Rows that the search index knows, once they are closed and unless they are withdrawn.
[[nodiscard]] bool isSearched(const TranscriptRow &row);

/// Columns of table summaries in the order of summaryValues() and summaryFrom().
[[nodiscard]] QString summaryColumns();
[[nodiscard]] QVariantList summaryValues(const SummaryState &state);
[[nodiscard]] SummaryState summaryFrom(const Statement &statement, int firstColumn);

/// An event from the columns seq, at_ms, kind, v, payload; empty if the kind is not known.
[[nodiscard]] std::optional<Event> eventFrom(const Statement &statement, const QString &conversation);

/// Gives open Text and Reasoning rows, which are stored without their text, what the deltas since say.
[[nodiscard]] Result<Done, Error> completeTexts(Database &database, qint64 conversationRef,
                                                QList<TranscriptRow> &rows);

/// Open rows of a conversation in order, with their texts.
[[nodiscard]] Result<QList<TranscriptRow>, Error> readOpenRows(Database &database, qint64 conversationRef,
                                                               const QString &conversation);

} // namespace Pilothouse
