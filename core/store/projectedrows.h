// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"
#include "util/event.h"

#include <QList>

#include <initializer_list>
#include <map>

namespace Pilothouse {

/// The rows that a projector works on: those that are open and those that the last event changed. A part of
/// TranscriptProjector.
struct ProjectedRows {
    static constexpr qsizetype MaxErrorText = 2000;

    QString conversation;
    qint64 lastRow = 0;
    std::map<qint64, TranscriptRow> rows;
    QList<qint64> changed;

    [[nodiscard]] TranscriptRow *find(qint64 number);
    TranscriptRow &add(const Event &event, const Json &payload, TranscriptRow::Kind kind, bool closed);
    void touch(TranscriptRow &row, const Event &event);

    /// Members of events as rows have them: in range, and bounded.
    [[nodiscard]] static int smallInteger(const Json &value);
    [[nodiscard]] static QString word(const Json &value);
    /// They are for a card, and the event has them whole.
    [[nodiscard]] static Json boundedMembers(const Json &payload, std::initializer_list<QStringView> keys);
    static void setState(TranscriptRow &row, const QString &state);
};

} // namespace Pilothouse
