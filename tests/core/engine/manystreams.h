// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QList>
#include <QString>

namespace Pilothouse::Tests {

/// What was seen of control calls while many models wrote.
struct ManyStreams {
    QList<double> callsMs; ///< From the call in this thread to its reply in this thread.
    double tokensPerSecond = 0; ///< That came out of the engine, of all streams together.
    int writing = 0; ///< Streams of which text came.
    QString problem; ///< Empty: all calls were answered.
};

/// A whole engine with its store and `streams` conversations, each with a model that writes
/// `tokensPerSecond`, and one call to the sandbox service's control plane after the other. Both services are
/// in one process with it, in a thread of their own. Blocks in an event loop.
[[nodiscard]] ManyStreams runManyStreams(int streams, int tokensPerSecond, int calls);

} // namespace Pilothouse::Tests
