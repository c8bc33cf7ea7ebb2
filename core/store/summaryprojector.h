// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"
#include "util/event.h"

#include <QStringList>

namespace Pilothouse {

/// A summary and what is needed to go on from it.
struct SummaryState {
    ConversationSummary summary;
    QStringList waitingCalls; ///< Calls that wait for a person's answer.
};

/// Applies one event, in seq order. Pure: a list rebuilt from the log is the list that was shown.
///
/// States: idle; connecting (a turn began, the sandbox is made or woken); thinking (a model request); calling
/// (a tool runs); waiting (for a person: an approval, or a limit was reached); retrying; and by the end of
/// the turn finished, failed, interrupted, waiting, or idle again when the person stopped it. "stopping" and
/// "frozen" are moments of the running engine and not of the log. Figures are sums over the steps whose
/// figure is known, and empty while none is.
void applyToSummary(SummaryState &state, const Event &event, const Json &payload);

} // namespace Pilothouse
