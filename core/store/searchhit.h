// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"

#include <QString>

namespace Pilothouse {

/// One place that a search found: a transcript row.
struct SearchHit {
    QString conversation;
    QString title; ///< Of the conversation.
    qint64 row = 0;
    TranscriptRow::Kind kind = TranscriptRow::Kind::Text; ///< User, Text or Call.
    int turn = 0;
    qint64 firstSeq = 0;
    qint64 atMs = 0;
    QString snippet; ///< One bounded line around the first word, safe to show.
};

} // namespace Pilothouse
