// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

#include <QProcess>
#include <QTemporaryDir>

#include <memory>

namespace Pilothouse::Tests {

/// A desktop of its own for the keychain: a private bus, and on it a real gnome-keyring, or none. Everything
/// ends with it.
class KeyringFixture {
public:
    enum class Bus {
        None = 1, ///< No address of a bus at all.
        Dead, ///< An address at which nobody listens.
        Empty, ///< A bus that knows no services.
        NoKeyring, ///< A bus with gnome-keyring that has no keyring yet and would have to ask for a password.
        Keyring, ///< A bus with gnome-keyring, whose login keyring is open.
    };
    KeyringFixture();
    ~KeyringFixture();
    Q_DISABLE_COPY_MOVE(KeyringFixture)

    /// `display`: address of an X server for the service's questions; empty: it cannot ask.
    [[nodiscard]] bool start(Bus bus, const QString &display = {});
    /// Locks the default collection, as the desktop does when the person goes away.
    [[nodiscard]] bool lock();
    /// A program on this desktop, started; `input` goes to its stdin, which is closed.
    [[nodiscard]] std::unique_ptr<QProcess> launch(const QString &program, const QStringList &arguments,
                                                   const QByteArray &input = {}) const;
    /// One run of it to its end; what it printed, a JSON value for each line.
    [[nodiscard]] QList<Json> run(const QString &program, const QStringList &arguments,
                                  const QByteArray &input = {});
    [[nodiscard]] static QList<Json> lines(const QByteArray &output);
    /// Everything that lies in the home folder of this desktop, file by file.
    [[nodiscard]] QByteArray allFiles() const;
    [[nodiscard]] QProcessEnvironment &environment() { return m_environment; } ///< Of programs to come.
    [[nodiscard]] const QString &errorText() const { return m_errorText; }

private:
    [[nodiscard]] bool startBus(bool withServices);
    QTemporaryDir m_folder;
    QProcessEnvironment m_environment;
    QProcess m_bus;
    QProcess m_daemon;
    QString m_errorText;
};

/// An X server without a screen for the questions of the keyring.
class DisplayFixture {
public:
    ~DisplayFixture();
    [[nodiscard]] bool start();
    [[nodiscard]] const QString &address() const { return m_address; } ///< ":NUMBER"

private:
    QProcess m_server;
    QString m_address;
};

} // namespace Pilothouse::Tests
