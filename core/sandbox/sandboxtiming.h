// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QtGlobal>

#include <chrono>

namespace Pilothouse {

/// How long SandboxClient waits for what. The defaults suit the service; tests shorten them.
struct SandboxTiming {
    using Ms = std::chrono::milliseconds;
    Ms call{30000}; ///< Short control calls and file calls, up to the answer's head.
    Ms idle{30000}; ///< Between two pieces of an answer.
    Ms body{60000}; ///< From the head of a short answer to its end, however steadily it drips.
    qint64 slowestLine = 16 * 1024; ///< Bytes per second at which a large answer must come, over all of it.
    Ms longCall{120000}; ///< create, activate, resume, pause: the service boots or saves meanwhile.
    Ms execGrace{5000}; ///< What an HTTP command gets beyond its own time.
    Ms sessionGrace{30000}; ///< The same for a command session.
    Ms dial{30000}; ///< One WebSocket handshake.
    Ms ping{25000}; ///< Between our pings; two without any sign of life end a session.
    Ms wakeCheck{4000}; ///< For the answer to the ping after this computer slept.
    Ms pollFirst{250}; ///< Status polls while connecting or deleting; grow to pollMost.
    Ms pausePollFirst{50};
    Ms pollMost{1000};
    Ms pollTotal{300000}; ///< After this a transition counts as stuck.
    Ms pauseGrace{2000}; ///< "active" after an accepted pause means "not yet" this long.
};

} // namespace Pilothouse
