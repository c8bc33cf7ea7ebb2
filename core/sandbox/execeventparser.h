// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtypes.h"

#include <QByteArray>
#include <QList>

namespace Pilothouse {

/// What one frame of /exec/connect or one event of /exec/stream says.
struct ExecEvent {
    enum class Kind { Output = 1, Finished };
    Kind kind = Kind::Output;
    OutputChannel channel = OutputChannel::Stdout; ///< Output only.
    QByteArray bytes; ///< Output only.
    CommandOutcome outcome; ///< Finished only.
};

/// Bytes of /exec/stream to events. Each event is one line `data: JSON`; comments, other lines, [DONE], JSON
/// that does not parse and unknown members are ignored, as the service's own client does.
class ExecEventParser {
public:
    static constexpr qsizetype LargestLine =
        16 * 1024 * 1024; ///< The service sends pieces of at most 32 KiB.

    [[nodiscard]] QList<ExecEvent> feed(QByteArrayView bytes);
    [[nodiscard]] bool overflowed() const { return m_overflowed; }

    /// The end of a command as the JSON of a final frame says it, or nothing if `json` is no final frame. An
    /// error is NotStarted when the service says so before any output (`outputSeen`), and unknown after that.
    /// An exit code that is missing is never 0.
    [[nodiscard]] static std::optional<CommandOutcome> finishedOutcome(const Json &json, bool outputSeen);

private:
    void line(QByteArrayView text, QList<ExecEvent> &out);

    QByteArray m_line;
    bool m_outputSeen = false;
    bool m_overflowed = false;
};

} // namespace Pilothouse
