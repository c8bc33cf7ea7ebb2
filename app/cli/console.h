// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"

#include <QByteArray>
#include <QString>

namespace Pilothouse::Cli {

/// Standard output and error. Text from models and tools is made inert for a terminal: control characters
/// other than line end and tab are shown as \u{…}, never obeyed. A reader that went away ends output quietly.
class Console {
public:
    void out(const QByteArray &bytes); ///< As it is.
    /// JSON text, whole characters only. What a terminal would obey (DEL, C1, direction marks) is written as
    /// \uXXXX: the same document, and inert.
    void outJson(const QByteArray &json);
    void outLine(const QString &text); ///< Inert.
    void outText(const QString &text); ///< Inert, without line end.
    void err(const QString &text); ///< One line, inert.
    void errBytes(const QByteArray &bytes); ///< As it is; a reader that went away counts as one of out().
    void error(const Error &error);
    void flush();
    [[nodiscard]] bool atLineStart() const { return m_atLineStart; }
    [[nodiscard]] bool readerGone() const { return m_readerGone; }
    /// Why standard output could not be written; empty if it could, or if its reader just went away.
    [[nodiscard]] const QString &writeProblem() const { return m_writeProblem; }

private:
    bool m_atLineStart = true;
    void noteFailure();
    bool m_readerGone = false;
    QString m_writeProblem;
};

} // namespace Pilothouse::Cli
