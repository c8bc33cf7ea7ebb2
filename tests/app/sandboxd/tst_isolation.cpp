// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "apiclient.h"
#include "support/sandboxdfixture.h"
#include "support/testmain.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QTcpServer>
#include <QTemporaryFile>
#include <QTest>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <linux/keyctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

constexpr const char *Canary = "canary-4d1c";

} // namespace

/// What a command can see and do: nothing of the host but read-only system folders, and nothing while paused.
class TestIsolation : public Test {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        // As a login does it: a keyring that every process of the session inherits, with a key in it.
        QVERIFY2(::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) > 0, std::strerror(errno));
        m_key = ::syscall(SYS_add_key, "user", "ph-canary", Canary, std::strlen(Canary),
                          KEY_SPEC_SESSION_KEYRING);
        QVERIFY2(m_key > 0, std::strerror(errno));
        QVERIFY2(m_service.start({}, {u"PH_CANARY="_s + QString::fromLatin1(Canary)}),
                 m_service.errorText().constData());
        m_sandbox = ApiClient(m_service).create();
        QVERIFY(!m_sandbox.id.isEmpty());
    }

    void seesNoFileOfTheHost()
    {
        const ApiClient client(m_service);
        QTemporaryFile file(QDir::tempPath() + u"/ph-host-XXXXXX"_s);
        QVERIFY(file.open());
        QVERIFY(file.setPermissions(file.permissions() | QFile::ReadOther));
        QCOMPARE(client.exec(m_sandbox, u"cat %1"_s.arg(file.fileName()))[u"exit_code"].toInteger(-1), 1);
        QCOMPARE(client.exec(m_sandbox, u"ls %1"_s.arg(m_service.dataFolder()))[u"exit_code"].toInteger(-1),
                 2);
        QCOMPARE(
            client.exec(m_sandbox, u"ls -A /home/user /root /tmp /var/tmp | grep -v :; true"_s)[u"stdout"]
                .toString()
                .trimmed(),
            QString());
        // Exactly what is meant to be there.
        QStringList etc =
            client.exec(m_sandbox, u"ls -A /etc"_s)[u"stdout"].toString().split(u'\n', Qt::SkipEmptyParts);
        const QStringList allowed = {u"alternatives"_s,  u"group"_s,      u"hostname"_s,     u"hosts"_s,
                                     u"ld.so.cache"_s,   u"ld.so.conf"_s, u"ld.so.conf.d"_s, u"localtime"_s,
                                     u"nsswitch.conf"_s, u"os-release"_s, u"passwd"_s,       u"resolv.conf"_s,
                                     u"shells"_s,        u"ssl"_s};
        etc.removeIf([&](const QString &name) { return allowed.contains(name); });
        QCOMPARE(etc, QStringList());
        const QStringList top =
            client.exec(m_sandbox, u"ls -A /"_s)[u"stdout"].toString().split(u'\n', Qt::SkipEmptyParts);
        for (const QString &name : top)
            QVERIFY2(QStringList({u".pilothouse-init"_s, u"bin"_s, u"dev"_s, u"etc"_s, u"home"_s, u"lib"_s,
                                  u"lib32"_s, u"lib64"_s, u"libx32"_s, u"proc"_s, u"root"_s, u"run"_s,
                                  u"sbin"_s, u"tmp"_s, u"usr"_s, u"var"_s})
                         .contains(name),
                     qPrintable(name));
    }

    void writesOnlyToItsOwnFolders()
    {
        const ApiClient client(m_service);
        for (const char *folder :
             {"/", "/usr", "/etc", "/bin", "/lib", "/dev", "/home", "/var", "/proc", "/usr/local"})
            QVERIFY2(client.exec(m_sandbox, u"touch %1/x"_s.arg(QString::fromLatin1(folder)))[u"exit_code"]
                             .toInteger(0)
                         != 0,
                     folder);
        for (const char *folder : {"/home/user", "/root", "/tmp", "/var/tmp", "/dev/shm", "/run"})
            QVERIFY2(client.exec(m_sandbox,
                                 u"touch %1/x && rm %1/x"_s.arg(QString::fromLatin1(folder)))[u"exit_code"]
                             .toInteger(-1)
                         == 0,
                     folder);
        QVERIFY(client.exec(m_sandbox, u"echo 1 >/proc/sys/kernel/sysrq"_s)[u"exit_code"].toInteger(0) != 0);
        QVERIFY(client.exec(m_sandbox, u"mount -t tmpfs x /tmp"_s)[u"exit_code"].toInteger(0) != 0);
        QVERIFY(client.exec(m_sandbox, u"umount /tmp"_s)[u"exit_code"].toInteger(0) != 0);
        QVERIFY(client.exec(m_sandbox, u"chroot / true"_s)[u"exit_code"].toInteger(0) != 0);
    }

    void seesOnlyItsOwnProcesses()
    {
        const ApiClient client(m_service);
        const Json result = client.exec(m_sandbox, u"cat /proc/[0-9]*/comm"_s);
        const QStringList names = result[u"stdout"].toString().split(u'\n', Qt::SkipEmptyParts);
        QVERIFY(names.size() <= 3);
        for (const QString &name : names)
            QVERIFY2(name.startsWith(".pilothouse-ini"_L1) || name == "sh"_L1 || name == "cat"_L1,
                     qPrintable(name));
        // The first process cannot be killed, stopped or looked into from inside.
        QCOMPARE(client.exec(m_sandbox, u"kill -9 1; kill -STOP 1; echo ok"_s)[u"stdout"].toString(),
                 u"ok\n"_s);
        QVERIFY(client.exec(m_sandbox, u"cat /proc/1/environ /proc/1/maps"_s)[u"exit_code"].toInteger(0)
                != 0);
        QVERIFY(client.exec(m_sandbox, u"ls -l /proc/1/fd/"_s)[u"exit_code"].toInteger(0) != 0);
        QCOMPARE(client.exec(m_sandbox, u"echo still"_s)[u"stdout"].toString(), u"still\n"_s);
    }

    // A fork bomb or a busy loop must leave the computer usable, and the supervisor able to stop it.
    void yieldsToTheComputer()
    {
        const ApiClient client(m_service);
        QVERIFY(client.exec(m_sandbox, u"nice"_s)[u"stdout"].toString().toInt() >= 5);
        QVERIFY(client.exec(m_sandbox, u"nice -n -5 true"_s)[u"stderr"].toString().contains(u"cannot set"_s));
    }

    void aForkBombIsPausedAndDeleted()
    {
        const ApiClient client(m_service);
        const SandboxRef bombed = client.create();
        QVERIFY(!bombed.id.isEmpty());
        [[maybe_unused]] const Json cut = client.exec(bombed, u"b() { b | b & }; b; sleep 5"_s, 1);
        QCOMPARE(client.control("POST", "/sandboxes/" + bombed.id + "/pause").status, 204);
        QCOMPARE(client.status(bombed), u"paused"_s);
        QCOMPARE(client.control("DELETE", "/sandboxes/" + bombed.id).status, 204);
        QCOMPARE(client.exec(m_sandbox, u"echo still"_s)[u"stdout"].toString(), u"still\n"_s);
    }

    void inheritsNothing()
    {
        const ApiClient client(m_service);
        const QString all =
            client
                .exec(m_sandbox, u"env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\000' '\\n'"_s)[u"stdout"]
                .toString();
        QVERIFY(!all.contains(QString::fromLatin1(Canary)));
        QVERIFY(!all.contains(QString::fromLatin1(m_service.key())));
        QVERIFY(!all.contains("SUPERSERVE"_L1));
        QStringList names;
        for (const QString &line :
             client.exec(m_sandbox, u"env"_s)[u"stdout"].toString().split(u'\n', Qt::SkipEmptyParts))
            names.append(line.section(u'=', 0, 0));
        names.sort();
        QCOMPARE(names, QStringList({u"HOME"_s, u"LANG"_s, u"PATH"_s, u"PWD"_s, u"USER"_s}));
        // Only the three standard descriptors (and the one that ls itself opens).
        QCOMPARE(client.exec(m_sandbox, u"ls /proc/self/fd"_s)[u"stdout"].toString(), u"0\n1\n2\n3\n"_s);
        // And the service itself has put its key away.
        QFile environment(u"/proc/%1/cmdline"_s.arg(m_service.processId()));
        QVERIFY(environment.open(QIODevice::ReadOnly));
        QVERIFY(!environment.readAll().contains(m_service.key()));
    }

    void reachesNoServiceOfTheHost()
    {
        const ApiClient client(m_service);
        QTcpServer server;
        QVERIFY(server.listen(QHostAddress::LocalHost));
        const QString line = u"exec 3<>/dev/tcp/127.0.0.1/%1"_s;
        const auto tryConnect = [&](quint16 port) {
            Json body = Json::object();
            body.set(u"command"_s, Json::string(u"bash"_s));
            Json arguments = Json::array();
            arguments.append(Json::string(u"-c"_s));
            arguments.append(Json::string(line.arg(port)));
            body.set(u"args"_s, arguments);
            return client.data(m_sandbox, "POST", "/exec", body.toJson()).json();
        };
        const Json refused = tryConnect(server.serverPort());
        QVERIFY(refused[u"exit_code"].toInteger(0) != 0);
        QVERIFY2(refused[u"stderr"].toString().contains("refused"_L1), refused.toJson().constData());
        QVERIFY(!server.hasPendingConnections());
        QVERIFY(tryConnect(m_service.port())[u"exit_code"].toInteger(0) != 0);
        // Its own loopback works.
        QCOMPARE(
            client
                .exec(m_sandbox,
                      u"cat /sys/class/net/*/operstate 2>/dev/null; cut -d: -f1 /proc/net/dev | tail -n +3"_s)
                    [u"stdout"]
                .toString()
                .simplified(),
            u"lo"_s);
    }

    void commandsShareFilesAndProcesses()
    {
        const ApiClient client(m_service);
        QCOMPARE(
            client
                .exec(m_sandbox,
                      u"echo $$ >/tmp/bg; (sleep 300; :) >/dev/null 2>&1 & echo $! >/tmp/bg"_s)[u"exit_code"]
                .toInteger(-1),
            0);
        QCOMPARE(client.exec(m_sandbox, u"kill -0 $(cat /tmp/bg) && echo there"_s)[u"stdout"].toString(),
                 u"there\n"_s);
        // Another sandbox sees neither.
        const SandboxRef other = client.create();
        QVERIFY(client.exec(other, u"cat /tmp/bg"_s)[u"exit_code"].toInteger(0) != 0);
        QCOMPARE(client.exec(other, u"cat /proc/[0-9]*/comm | grep -c sleep; true"_s)[u"stdout"].toString(),
                 u"0\n"_s);
        QCOMPARE(client.control("DELETE", "/sandboxes/" + other.id).status, 204);
        QCOMPARE(client.exec(m_sandbox, u"kill $(cat /tmp/bg)"_s)[u"exit_code"].toInteger(-1), 0);
    }

    void pauseStopsEverything()
    {
        const ApiClient client(m_service);
        const SandboxRef sandbox = client.create();
        // Ten writers that replace themselves by new processes all the time, one of them stopped by its own
        // user.
        QCOMPARE(
            client
                .exec(
                    sandbox,
                    u"w() { while :; do echo x >>/tmp/count; done; }; "
                    "for i in 1 2 3 4 5; do w & done; "
                    "for i in 1 2 3 4 5; do setsid sh -c 'while :; do sh -c \"echo x >>/tmp/count\"; done' & "
                    "done; "
                    "sleep 300 & kill -STOP $!; echo $! >/tmp/stopped; exec >/dev/null 2>&1"_s)[u"exit_code"]
                .toInteger(-1),
            0);
        const QString counter =
            m_service.dataFolder() + u"/sandboxes/"_s + QString::fromLatin1(sandbox.id) + u"/tmp/count"_s;
        const auto size = [&] { return QFile(counter).size(); };
        QTRY_VERIFY_WITH_TIMEOUT(size() > 1000, 5000);
        const QByteArray target = "/sandboxes/" + sandbox.id;
        for (int round = 0; round < 3; ++round) {
            QCOMPARE(client.control("POST", target + "/pause").status, 204);
            const qint64 paused = size();
            for (int i = 0; i < 20; ++i)
                QCOMPARE(client.status(sandbox), u"paused"_s);
            QElapsedTimer timer;
            timer.start();
            QTRY_VERIFY_WITH_TIMEOUT(timer.elapsed() > 200, 1000);
            QCOMPARE(size(), paused);
            QCOMPARE(client.control("POST", target + "/activate").status, 200);
            QTRY_VERIFY_WITH_TIMEOUT(size() > paused, 5000);
        }
        QCOMPARE(
            client.exec(sandbox, u"cut -d' ' -f3 /proc/$(cat /tmp/stopped)/stat"_s)[u"stdout"].toString(),
            u"T\n"_s);
        QCOMPARE(client.control("DELETE", target).status, 204);
    }

    void survivesForkBomb()
    {
        const ApiClient client(m_service);
        const SandboxRef sandbox = client.create();
        const Json many = client.exec(
            sandbox, u"for i in $(seq 1000); do setsid sleep 300 >/dev/null 2>&1 & done; echo all"_s);
        QVERIFY2(many[u"stderr"].toString().contains("fork"_L1), many.toJson().constData());
        QVERIFY(!many[u"stdout"].toString().contains("all"_L1));
        const auto processes =
            QDir(u"/proc"_s).entryList(QDir::Dirs).filter(QRegularExpression(u"^[0-9]+$"_s)).size();
        QVERIFY2(processes < 2000, qPrintable(QString::number(processes)));
        const SandboxRef bombed = client.create();
        const Json result = client.exec(bombed, u"b() { b | b & }; b; sleep 1; wait"_s, 2);
        QVERIFY(result.contains(u"exit_code"));
        QCOMPARE(client.control("DELETE", "/sandboxes/" + bombed.id).status, 204);
        // The service and another sandbox are well.
        QCOMPARE(client.exec(m_sandbox, u"echo fine"_s)[u"stdout"].toString(), u"fine\n"_s);
        QCOMPARE(client.control("POST", "/sandboxes/" + sandbox.id + "/pause").status, 204);
        QCOMPARE(client.control("DELETE", "/sandboxes/" + sandbox.id).status, 204);
    }

    void limitsFileSize()
    {
        const ApiClient client(m_service);
        QCOMPARE(client.exec(m_sandbox, u"truncate -s 5G /tmp/huge"_s)[u"exit_code"].toInteger(0),
                 128 + 25); // SIGXFSZ
        QCOMPARE(client.exec(m_sandbox, u"grep 'Max processes' /proc/self/limits; ulimit -c"_s)[u"stdout"]
                     .toString()
                     .simplified(),
                 u"Max processes 512 512 processes 0"_s);
    }

    void deletesEverything()
    {
        const ApiClient client(m_service);
        const SandboxRef sandbox = client.create();
        QCOMPARE(client
                     .exec(sandbox,
                           u"mkdir -p /home/user/closed/in; touch /home/user/closed/in/f; chmod 000 "
                           u"/home/user/closed/in "
                           "/home/user/closed; setsid sleep 300 >/dev/null 2>&1 & true"_s)[u"exit_code"]
                     .toInteger(-1),
                 0);
        const QString folder = m_service.dataFolder() + u"/sandboxes/"_s + QString::fromLatin1(sandbox.id);
        QVERIFY(QDir(folder).exists());
        QCOMPARE(client.control("DELETE", "/sandboxes/" + sandbox.id).status, 204);
        QVERIFY(!QDir(folder).exists());
        QTRY_VERIFY_WITH_TIMEOUT(QDir(m_service.dataFolder() + u"/trash"_s).isEmpty(), 5000);
    }

    void startsFast()
    {
        const ApiClient client(m_service);
        QList<qint64> times;
        for (int i = 0; i < 40; ++i) {
            QElapsedTimer timer;
            timer.start();
            QCOMPARE(client.exec(m_sandbox, u"true"_s)[u"exit_code"].toInteger(-1), 0);
            times.append(timer.nsecsElapsed());
        }
        std::sort(times.begin(), times.end());
        qInfo("sh -c true by POST /exec: median %.1f ms, worst %.1f ms", double(times[20]) / 1e6,
              double(times.last()) / 1e6);
#ifndef PILOTHOUSE_SANITIZED
        QVERIFY(times[20] < 100 * 1000 * 1000); // Far above the goal of 15 ms: other tests share the machine.
#endif
    }

    /// Keyrings and some socket families know no namespaces.
    void reachesNothingPastItsNamespaces_data()
    {
        QTest::addColumn<QString>("call"); // Python: the value of a system call.
        QTest::addColumn<int>("error");
        const auto row = [](const char *name, const QString &call, int error) {
            QTest::newRow(name) << call << error;
        };
        const auto number = [](long value) { return QString::number(value); };
        const QString key = number(m_key);
        row("read the key",
            u"c.syscall(%1, %2, %3, b, 99)"_s.arg(number(SYS_keyctl), number(KEYCTL_READ), key), ENOSYS);
        row("search the session",
            u"c.syscall(%1, %2, -3, b'user', b'ph-canary', 0)"_s.arg(number(SYS_keyctl),
                                                                     number(KEYCTL_SEARCH)),
            ENOSYS);
        row("request a key", u"c.syscall(%1, b'user', b'ph-canary', None, 0)"_s.arg(number(SYS_request_key)),
            ENOSYS);
        row("add a key", u"c.syscall(%1, b'user', b'x', b'y', 1, -3)"_s.arg(number(SYS_add_key)), ENOSYS);
        row("io_uring", u"c.syscall(%1, 1, b)"_s.arg(number(SYS_io_uring_setup)), ENOSYS);
        row("bpf", u"c.syscall(%1, 0, b, 99)"_s.arg(number(SYS_bpf)), EPERM);
        row("perf", u"c.syscall(%1, b, 0, -1, -1, 0)"_s.arg(number(SYS_perf_event_open)), EPERM);
        row("userfaultfd", u"c.syscall(%1, 1)"_s.arg(number(SYS_userfaultfd)), EPERM);
        row("open_by_handle_at", u"c.syscall(%1, 0, b, 0)"_s.arg(number(SYS_open_by_handle_at)), EPERM);
        for (const int family : {AF_VSOCK, AF_ALG, AF_PACKET, AF_BLUETOOTH, AF_KEY, AF_TIPC})
            row(qPrintable(u"socket family %1"_s.arg(family)), u"c.socket(%1, 3, 0)"_s.arg(family),
                EAFNOSUPPORT);
        row("family with high bits",
            u"c.syscall(%1, c_ulong((1 << 32) | 40), 1, 0)"_s.arg(number(SYS_socket)), EAFNOSUPPORT);
        row("socket pair", u"c.socketpair(%1, 1, 0, b)"_s.arg(AF_TIPC), EAFNOSUPPORT);
        for (const int family : {AF_UNIX, AF_INET, AF_NETLINK})
            row(qPrintable(u"usual family %1"_s.arg(family)), u"c.socket(%1, 2, 0)"_s.arg(family), 0);
        row("usual socket pair", u"c.socketpair(%1, 1, 0, b)"_s.arg(AF_UNIX), 0);
    }
    void reachesNothingPastItsNamespaces()
    {
        QFETCH(QString, call);
        QFETCH(int, error);
        const QString script =
            u"from ctypes import *; c = CDLL(None, use_errno=True); b = create_string_buffer(99); "
            u"r = %1; print(get_errno() if r < 0 else 0, b.raw)"_s.arg(call);
        const Json result = ApiClient(m_service).exec(m_sandbox, u"python3 -c \"%1\""_s.arg(script));
        const QString out = result[u"stdout"].toString();
        QVERIFY2(out.startsWith(QString::number(error) + u' '), result.toJson().constData());
        QVERIFY(!out.contains(QString::fromLatin1(Canary)));
    }

    void listsNoKeys()
    {
        const Json result =
            ApiClient(m_service).exec(m_sandbox, u"cat /proc/keys /proc/key-users; echo end"_s);
        QCOMPARE(result[u"stdout"].toString(), u"end\n"_s);
    }

private:
    SandboxdFixture m_service;
    SandboxRef m_sandbox;
    long m_key = 0;
};

} // namespace Pilothouse::Tests

QTEST_GUILESS_MAIN(Pilothouse::Tests::TestIsolation)
#include "tst_isolation.moc"
