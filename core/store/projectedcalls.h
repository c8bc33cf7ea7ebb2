// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/projectedrows.h"
#include "text/lastline.h"

#include <QHash>

#include <utility>

namespace Pilothouse {

/// What the events of calls do to their rows. A part of TranscriptProjector.
class ProjectedCalls {
public:
    explicit ProjectedCalls(ProjectedRows &rows)
        : m_rows(rows)
    { }

    void index(const TranscriptRow &row); ///< An open row that was there before.
    void forget(const TranscriptRow &row); ///< It is closed.

    void toolCall(const Event &event, const Json &payload);
    void toolApproval(const Event &event, const Json &payload);
    void toolStart(const Event &event, const Json &payload);
    void toolOutput(const Event &event, const Json &payload, const QByteArray &bytes);
    void toolResult(const Event &event, const Json &payload);
    void toolError(const Event &event, const Json &payload);
    /// What stopping a call did; false if no open call is meant.
    [[nodiscard]] bool receipt(const Event &event, const Json &payload);

private:
    [[nodiscard]] TranscriptRow *call(const Json &payload);
    void close(TranscriptRow &row, const Event &event);

    ProjectedRows &m_rows;
    QHash<QString, qint64> m_calls; ///< Open ones: id to number of the row.
    std::map<std::pair<qint64, bool>, LastLine> m_outputs; ///< Row and whether it is stderr.
};

} // namespace Pilothouse
