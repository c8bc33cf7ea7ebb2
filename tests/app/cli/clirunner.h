// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

#include <QByteArray>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>

namespace Pilothouse::Tests {

struct CliResult {
    int exitCode = -1;
    bool crashed = false;
    QByteArray out;
    QByteArray err;
    [[nodiscard]] QList<Json> lines() const; ///< stdout as NDJSON; a line that does not parse becomes null.
};

/// Runs pilothouse-cli on a data folder of its own, with a clean environment (no keys). Ends the sandbox
/// service of that folder when it is destroyed.
class CliRunner {
public:
    CliRunner();
    ~CliRunner();
    Q_DISABLE_COPY_MOVE(CliRunner)

    [[nodiscard]] CliResult run(const QStringList &arguments, const QByteArray &input = {},
                                int timeoutMs = 60000);
    /// Started and left running. Standard output goes into `output` if that is given.
    [[nodiscard]] std::unique_ptr<QProcess> start(const QStringList &arguments, const QString &output = {});
    [[nodiscard]] QString dataDir() const { return m_folder.path(); }
    [[nodiscard]] QString writeFile(const QString &name,
                                    const QByteArray &bytes) const; ///< Beside the data; returns its path.
    QStringList extraEnvironment;

private:
    void prepare(QProcess *process, const QStringList &arguments) const;
    QTemporaryDir m_folder;
    QTemporaryDir m_files;
};

/// A scenario as JSON text: steps with calls of bash and closing text.
[[nodiscard]] QByteArray quickScenario(const QStringList &commands);

} // namespace Pilothouse::Tests
