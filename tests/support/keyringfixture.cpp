// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/keyringfixture.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>

#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 30'000;

// The standard configuration without any folder of services: nothing is started on demand.
constexpr auto EmptyBus =
    "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" "
    "\"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">"
    "<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>"
    "<policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>"
    "<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>";

QByteArray firstLine(QProcess &process)
{
    while (!process.canReadLine()) {
        if (!process.waitForReadyRead(Patience))
            return {};
    }
    return process.readLine().trimmed();
}

void end(QProcess &process)
{
    if (process.state() == QProcess::NotRunning)
        return;
    process.terminate();
    if (!process.waitForFinished(5000)) {
        process.kill();
        process.waitForFinished(5000);
    }
}

} // namespace

KeyringFixture::KeyringFixture()
    : m_environment(QProcessEnvironment::systemEnvironment())
{
    for (const auto *name : {"home", "run", "data", "config", "cache"})
        QDir(m_folder.path()).mkdir(QLatin1StringView(name));
    QFile::setPermissions(m_folder.filePath(u"run"_s),
                          QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
    m_environment.insert(u"HOME"_s, m_folder.filePath(u"home"_s));
    m_environment.insert(u"XDG_RUNTIME_DIR"_s, m_folder.filePath(u"run"_s));
    m_environment.insert(u"XDG_DATA_HOME"_s, m_folder.filePath(u"data"_s));
    m_environment.insert(u"XDG_CONFIG_HOME"_s, m_folder.filePath(u"config"_s));
    m_environment.insert(u"XDG_CACHE_HOME"_s, m_folder.filePath(u"cache"_s));
    m_environment.insert(u"GSETTINGS_BACKEND"_s, u"memory"_s);
    m_environment.insert(u"NO_AT_BRIDGE"_s, u"1"_s);
    for (const auto *name :
         {"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "GNOME_KEYRING_CONTROL"})
        m_environment.remove(QLatin1StringView(name));
    for (QProcess *process : {&m_bus, &m_daemon})
        process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
}

KeyringFixture::~KeyringFixture()
{
    end(m_daemon);
    end(m_bus);
}

bool KeyringFixture::startBus(bool withServices)
{
    QStringList arguments{u"--nofork"_s, u"--print-address=1"_s, u"--nopidfile"_s, u"--nosyslog"_s};
    if (withServices) {
        arguments.prepend(u"--session"_s);
    } else {
        QFile config(m_folder.filePath(u"bus.conf"_s));
        if (!config.open(QIODevice::WriteOnly))
            return false;
        config.write(EmptyBus);
        config.close();
        arguments.prepend(u"--config-file="_s + config.fileName());
    }
    m_bus.setProcessEnvironment(m_environment);
    m_bus.start(u"dbus-daemon"_s, arguments);
    const QByteArray address = firstLine(m_bus);
    if (address.isEmpty()) {
        m_errorText = u"no bus: "_s + QString::fromUtf8(m_bus.readAllStandardError());
        return false;
    }
    m_environment.insert(u"DBUS_SESSION_BUS_ADDRESS"_s, QString::fromUtf8(address));
    return true;
}

bool KeyringFixture::start(Bus bus, const QString &display)
{
    if (!display.isEmpty())
        m_environment.insert(u"DISPLAY"_s, display);
    if (bus == Bus::None)
        return true;
    if (bus == Bus::Dead) {
        m_environment.insert(u"DBUS_SESSION_BUS_ADDRESS"_s, u"unix:path="_s + m_folder.filePath(u"nobody"_s));
        return true;
    }
    if (!startBus(bus == Bus::Keyring || bus == Bus::NoKeyring))
        return false;
    if (bus == Bus::Empty)
        return true;
    m_daemon.setProcessEnvironment(m_environment);
    QStringList arguments{u"--components=secrets"_s, u"--foreground"_s};
    if (bus == Bus::Keyring)
        arguments.prepend(u"--unlock"_s);
    m_daemon.start(u"gnome-keyring-daemon"_s, arguments);
    if (!m_daemon.waitForStarted(Patience))
        return false;
    if (bus == Bus::Keyring)
        m_daemon.write("password of the login keyring");
    while (m_daemon.bytesToWrite() > 0 && m_daemon.waitForBytesWritten(Patience)) { }
    m_daemon.closeWriteChannel();
    QProcess wait;
    wait.setProcessEnvironment(m_environment);
    wait.start(u"gdbus"_s,
               {u"wait"_s, u"--session"_s, u"--timeout"_s, QString::number(Patience / 1000),
                u"org.freedesktop.secrets"_s});
    if (!wait.waitForFinished(Patience) || wait.exitCode() != 0) {
        m_errorText = u"no keyring: "_s + QString::fromUtf8(m_daemon.readAllStandardError());
        return false;
    }
    return true;
}

bool KeyringFixture::lock()
{
    QProcess call;
    call.setProcessEnvironment(m_environment);
    call.start(u"gdbus"_s,
               {u"call"_s, u"--session"_s, u"--dest"_s, u"org.freedesktop.secrets"_s, u"--object-path"_s,
                u"/org/freedesktop/secrets"_s, u"--method"_s, u"org.freedesktop.Secret.Service.Lock"_s,
                u"[objectpath '/org/freedesktop/secrets/aliases/default']"_s});
    return call.waitForFinished(Patience) && call.exitCode() == 0;
}

std::unique_ptr<QProcess> KeyringFixture::launch(const QString &program, const QStringList &arguments,
                                                 const QByteArray &input) const
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
    process->start(program, arguments);
    process->write(input);
    while (process->bytesToWrite() > 0 && process->waitForBytesWritten(Patience)) { }
    process->closeWriteChannel();
    return process;
}

QList<Json> KeyringFixture::lines(const QByteArray &output)
{
    QList<Json> out;
    for (const QByteArray &line : output.split('\n')) {
        if (!line.isEmpty())
            out.append(parseJson(line).value_or(Json()));
    }
    return out;
}

QList<Json> KeyringFixture::run(const QString &program, const QStringList &arguments, const QByteArray &input)
{
    const std::unique_ptr<QProcess> process = launch(program, arguments, input);
    if (!process->waitForFinished(Patience)) {
        m_errorText = u"the program did not end; it said: "_s + QString::fromUtf8(process->readAll());
        return {};
    }
    m_errorText = QString::fromUtf8(process->readAllStandardError());
    return lines(process->readAllStandardOutput());
}

QByteArray KeyringFixture::allFiles() const
{
    QByteArray all;
    QDirIterator files(m_folder.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (file.open(QIODevice::ReadOnly))
            all += file.fileName().toUtf8() + '\n' + file.readAll() + '\n';
    }
    return all;
}

DisplayFixture::~DisplayFixture() { end(m_server); }

bool DisplayFixture::start()
{
    // The server writes the number it chose into the pipe: no race for a free one.
    m_server.setProgram(u"Xvfb"_s);
    m_server.setArguments(
        {u"-displayfd"_s, u"1"_s, u"-screen"_s, u"0"_s, u"800x600x24"_s, u"-nolisten"_s, u"tcp"_s});
    m_server.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
    m_server.start();
    const QByteArray number = firstLine(m_server);
    m_address = u":"_s + QString::fromLatin1(number);
    return !number.isEmpty();
}

} // namespace Pilothouse::Tests
