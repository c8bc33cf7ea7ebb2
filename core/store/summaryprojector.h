// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"
#include "util/event.h"

#include <QList>

namespace Pilothouse {

/// A call of the open turn that has no end yet.
struct SummaryCall {
    enum class Phase { Proposed = 1, Waiting, Running };
    QString id;
    QString line; ///< One bounded line, see callLine().
    Phase phase = Phase::Proposed;
};

/// A summary and what is needed to go on from it.
struct SummaryState {
    ConversationSummary summary;
    QList<SummaryCall> openCalls; ///< In the order in which the model made them.
};

/// Applies one event, in seq order. Pure: a list rebuilt from the log is the list that was shown.
///
/// States: idle; connecting (a turn began, the sandbox is made or woken); thinking (a model request); writing
/// (its answer flows); calling (a tool runs); waiting (for a person: an approval, or a limit was reached);
/// retrying; and by the end of the turn finished, failed, interrupted, waiting, or idle again when the person
/// stopped it. "stopping" and "frozen" are moments of the running engine and not of the log. Figures are sums
/// over the steps whose figure is known, and empty while none is. Of a finished turn the detail is the first
/// line of the answer in plain words. Of several calls the detail names the first
/// that waits, else the first that runs.
void applyToSummary(SummaryState &state, const Event &event, const Json &payload);

} // namespace Pilothouse
