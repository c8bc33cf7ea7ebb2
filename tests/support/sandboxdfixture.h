// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <QUrl>

#include <memory>

namespace Pilothouse::Tests {

/// The real pilothouse-sandboxd on a free loopback port, with a data folder and a key of its own. Stops it
/// when it is destroyed. Needs the program built: name it in DEPENDS of ph_add_test.
class SandboxdFixture {
public:
    SandboxdFixture();
    ~SandboxdFixture();
    Q_DISABLE_COPY_MOVE(SandboxdFixture)

    /// Blocks until it is ready. False if it ended or did not get ready; then errorText() and exitCode() say
    /// why.
    [[nodiscard]] bool start(const QStringList &moreArguments = {}, const QStringList &moreEnvironment = {});
    /// Where the program is started, for arguments that are relative.
    void setWorkingFolder(const QString &folder) { m_workingFolder = folder; }
    void stop(); ///< In order (SIGTERM); blocks until it has ended. Can be started again on the same data.
    void kill(); ///< As a crash would.
    /// True if the program ends by itself within `milliseconds`.
    [[nodiscard]] bool waitForEnd(int milliseconds);

    [[nodiscard]] QUrl base() const { return m_base; } ///< Control plane.
    [[nodiscard]] QUrl data() const { return m_data; } ///< Data plane.
    [[nodiscard]] quint16 port() const { return quint16(m_base.port()); }
    [[nodiscard]] QByteArray key() const { return m_key; }
    [[nodiscard]] QString dataFolder() const; ///< Its --data-dir.
    [[nodiscard]] qint64 processId() const { return m_process ? m_process->processId() : 0; }
    [[nodiscard]] QByteArray errorText() const { return m_errorText; } ///< stderr, after the end.
    [[nodiscard]] int exitCode() const { return m_exitCode; }

    [[nodiscard]] static QString programPath();

private:
    void collectEnd();

    QTemporaryDir m_folder;
    QString m_workingFolder;
    std::unique_ptr<QProcess> m_process;
    QByteArray m_key;
    QUrl m_base;
    QUrl m_data;
    QByteArray m_errorText;
    int m_exitCode = -1;
};

} // namespace Pilothouse::Tests
