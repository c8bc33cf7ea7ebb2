// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/event.h"

#include <QList>

namespace Pilothouse {

/// An event that has no place in the log yet: the caller gives it conversation, seq and time.
struct PendingEvent {
    EventKind kind = EventKind::Note;
    QByteArray payload;
};

/// What must be appended to close a turn whose process ended. `turnEvents` are the conversation's events from
/// turn-start on, in order; deltas of the last step are needed for the turn's text. Calls that had started
/// get a tool-result of unknown outcome, the others a tool-error "not-run", in call order, then comes
/// turn-finish "interrupted" with the sums of what is known, then queue-changed "returned" for what was to
/// steer the turn. Nothing of it runs anything. Empty if there is no open turn.
///
/// A sandbox that was being created stays `creating`: only its attempt token tells whether it exists.
[[nodiscard]] QList<PendingEvent> closingEvents(const QList<EventPtr> &turnEvents);

} // namespace Pilothouse
