// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/networkaccess.h"
#include "sandbox/commandsession.h"
#include "sandbox/localservice.h"
#include "sandbox/sandboxclient.h"
#include "sandbox/servicefiles.h"
#include "support/loopbackserver.h"
#include "support/signals.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

constexpr int StartLimitMs = 20000;
constexpr QFileDevice::Permissions Others = QFileDevice::ReadGroup | QFileDevice::WriteGroup
    | QFileDevice::ExeGroup | QFileDevice::ReadOther | QFileDevice::WriteOther | QFileDevice::ExeOther;

QString realProgram() { return QStringLiteral(PH_PROGRAM_DIR) + u"/pilothouse-sandboxd"_s; }

/// A data folder and whatever service was started for it.
struct DataFolder {
    QTemporaryDir dir;
    ServiceFiles files{dir.path() + u"/data"_s};

    ~DataFolder() { endService(SIGTERM); }

    [[nodiscard]] QString path() const { return dir.path() + u"/data"_s; }
    [[nodiscard]] qint64 pid() const
    {
        const std::optional<ServiceFiles::Endpoint> endpoint = files.endpoint();
        return endpoint ? endpoint->pid : 0;
    }
    void endService(int signal) const
    {
        const qint64 service = pid();
        if (!sendSignal(service, signal))
            return;
        [&] { QTRY_VERIFY_WITH_TIMEOUT(!ServiceFiles::isRunning(service), StartLimitMs); }();
    }
    void write(const QString &name, const QByteArray &bytes, QFileDevice::Permissions permissions) const
    {
        QFile file(files.folder() + u'/' + name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        QVERIFY(file.setPermissions(permissions));
    }
};

struct Ensured {
    int count = 0;
    std::optional<Result<SandboxEndpoint, Error>> result;

    [[nodiscard]] bool ok() const { return result && result->has_value(); }
    [[nodiscard]] QString text() const
    {
        return result && !result->has_value() ? result->error().toText() : QString();
    }
    [[nodiscard]] QUrl control() const { return ok() ? result->value().control : QUrl(); }
};

} // namespace

class TestLocalService : public Tests::Test {
    Q_OBJECT

    void ensure(LocalService &service, Ensured &ensured)
    {
        service.ensure(&service, [&ensured](const Result<SandboxEndpoint, Error> &value) {
            ++ensured.count;
            ensured.result = value;
        });
        QCOMPARE(ensured.count, 0); // Never inside the call.
        QTRY_COMPARE_WITH_TIMEOUT(ensured.count, 1, StartLimitMs);
    }

private Q_SLOTS:
    void startsAndRuns()
    {
        DataFolder folder;
        NetworkAccess network;
        qputenv("ANTHROPIC_API_KEY", "canary-of-a-key");
        LocalService service(&network, folder.path(), realProgram());
        Ensured first;
        ensure(service, first);
        qunsetenv("ANTHROPIC_API_KEY");
        QVERIFY2(first.ok(), qPrintable(first.text()));
        QCOMPARE(first.result->value().backend, u"local"_s);
        QVERIFY(NetworkAccess::isLoopback(first.control()));

        for (const QString &path : {folder.files.folder(), folder.files.keyPath(),
                                    folder.files.endpointPath(), folder.files.logPath()}) {
            QVERIFY2(QFileInfo::exists(path), qPrintable(path));
            QVERIFY2(!(QFileInfo(path).permissions() & Others), qPrintable(path));
        }
        QFile key(folder.files.keyPath());
        QVERIFY(key.open(QIODevice::ReadOnly));
        QCOMPARE(key.readAll().size(), 64);
        QFile environment(u"/proc/%1/environ"_s.arg(folder.pid()));
        QVERIFY(environment.open(QIODevice::ReadOnly));
        const QByteArray variables = environment.readAll();
        QVERIFY(variables.contains("PATH="));
        QVERIFY(!variables.contains("canary"));
        QFile arguments(u"/proc/%1/cmdline"_s.arg(folder.pid()));
        QVERIFY(arguments.open(QIODevice::ReadOnly));
        QVERIFY(!arguments.readAll().contains(first.result->value().apiKey.reveal()));

        // A command through it, with the client that the engine uses.
        SandboxClient client(&network, first.result->value());
        QObject context;
        QString id;
        CreateSandbox create;
        create.name = u"test"_s;
        client.create(create, &context, [&](const Result<SandboxInfo, ApiError> &info) {
            id = info ? info->id : u"failed: "_s + info.error().message;
        });
        QTRY_VERIFY_WITH_TIMEOUT(!id.isEmpty(), StartLimitMs);
        CommandRequest command;
        command.command = u"printf '\\377out'; printf err >&2; exit 3"_s;
        CommandSession *session = client.startCommand(id, command, &context);
        QByteArray out;
        QByteArray err;
        std::optional<CommandOutcome> outcome;
        connect(session, &CommandSession::output, &context,
                [&](OutputChannel channel, const QByteArray &bytes) {
                    (channel == OutputChannel::Stdout ? out : err) += bytes;
                });
        connect(session, &CommandSession::finished, &context,
                [&](const CommandOutcome &how) { outcome = how; });
        QTRY_VERIFY_WITH_TIMEOUT(outcome, StartLimitMs);
        QVERIFY2(outcome->known == CommandOutcome::Known::Exited,
                 qPrintable(outcome->error ? outcome->error->message : QString()));
        QCOMPARE(outcome->exitCode.value_or(-1), 3);
        QCOMPARE(out, QByteArray("\377out"));
        QCOMPARE(err, QByteArray("err"));

        // Asked again, it is the same service.
        const qint64 pid = folder.pid();
        Ensured again;
        ensure(service, again);
        QCOMPARE(again.control(), first.control());
        QCOMPARE(folder.pid(), pid);
    }

    void programsShareOneService()
    {
        DataFolder folder;
        NetworkAccess network;
        LocalService one(&network, folder.path(), realProgram());
        LocalService two(&network, folder.path(), realProgram());
        QList<Ensured> ensured(4);
        for (qsizetype i = 0; i < ensured.size(); ++i) {
            LocalService &service = i % 2 == 0 ? one : two;
            service.ensure(&service, [&ensured, i](const Result<SandboxEndpoint, Error> &value) {
                ++ensured[i].count;
                ensured[i].result = value;
            });
        }
        for (const Ensured &each : ensured) {
            QTRY_COMPARE_WITH_TIMEOUT(each.count, 1, StartLimitMs);
            QVERIFY2(each.ok(), qPrintable(each.text()));
            QCOMPARE(each.control(), ensured[0].control());
        }
    }

    void waitsForAnotherProgramsStart()
    {
        DataFolder folder;
        NetworkAccess network;
        QVERIFY(folder.files.prepare().has_value());
        QVERIFY(folder.files.tryLock().value_or(false));
        LocalService service(&network, folder.path(), realProgram());
        Ensured ensured;
        service.ensure(&service, [&](const Result<SandboxEndpoint, Error> &value) {
            ++ensured.count;
            ensured.result = value;
        });
        // It tries and goes on living: a timer of ours keeps firing meanwhile.
        int ticks = 0;
        QTimer timer;
        connect(&timer, &QTimer::timeout, this, [&] { ++ticks; });
        timer.start(5);
        QTRY_VERIFY(ticks > 20);
        QCOMPARE(ensured.count, 0);
        folder.files.unlock();
        QTRY_COMPARE_WITH_TIMEOUT(ensured.count, 1, StartLimitMs);
        QVERIFY2(ensured.ok(), qPrintable(ensured.text()));
    }

    /// The service outlives the program that needed it: "pilothouse-cli … | less" must end with the program.
    void theServiceHoldsNoPipeOfItsStarter()
    {
        DataFolder folder;
        NetworkAccess network;
        int ends[2] = {-1, -1};
        QCOMPARE(::pipe(ends), 0); // Without close-on-exec, as a shell gives it.
        LocalService service(&network, folder.path(), realProgram());
        Ensured ensured;
        ensure(service, ensured);
        ::close(ends[1]); // What the end of the program would do.
        QVERIFY2(ensured.ok(), qPrintable(ensured.text()));
        QVERIFY(ServiceFiles::isRunning(folder.pid()));
        struct pollfd reader = {ends[0], POLLIN, 0};
        const int ready = ::poll(&reader, 1, StartLimitMs);
        char byte = 0;
        const ssize_t count = ready == 1 ? ::read(ends[0], &byte, 1) : -1;
        ::close(ends[0]);
        QCOMPARE(ready, 1);
        QCOMPARE(count, 0); // The end, not a wait for the service.
    }

    void aDeadServiceIsReplaced()
    {
        DataFolder folder;
        NetworkAccess network;
        LocalService service(&network, folder.path(), realProgram());
        Ensured first;
        ensure(service, first);
        QVERIFY2(first.ok(), qPrintable(first.text()));
        const qint64 pid = folder.pid();
        folder.endService(SIGKILL); // Leaves endpoint.json behind.
        QVERIFY(folder.files.endpoint().has_value());
        LocalService other(&network, folder.path(), realProgram());
        Ensured second;
        ensure(other, second);
        QVERIFY2(second.ok(), qPrintable(second.text()));
        QVERIFY(folder.pid() != pid);
        // The first one has lost its lease and finds the new one.
        Ensured third;
        ensure(service, third);
        QVERIFY2(third.ok(), qPrintable(third.text()));
        QCOMPARE(third.control(), second.control());
    }

    /// Another program got the port of a service that died: it must not see the key.
    void aStrangerOnThePortGetsNoKey()
    {
        DataFolder folder;
        NetworkAccess network;
        LoopbackServer stranger;
        stranger.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->respond(200, "{\"status\":\"ok\"}");
        });
        QVERIFY(folder.files.prepare().has_value());
        const QByteArray base = stranger.url().toEncoded(QUrl::StripTrailingSlash | QUrl::RemovePath);
        folder.write(u"endpoint.json"_s,
                     QByteArray("{\"base\":\"" + base + "\",\"data\":\"" + base + "\",\"pid\":1}"),
                     QFileDevice::ReadOwner | QFileDevice::WriteOwner);
        LocalService service(&network, folder.path(), realProgram());
        Ensured ensured;
        ensure(service, ensured);
        QVERIFY2(ensured.ok(), qPrintable(ensured.text()));
        QVERIFY(ensured.control().port() != stranger.port());
        QVERIFY(stranger.requests().size() > 0);
        for (const LoopbackRequest &request : stranger.requests())
            QVERIFY(!request.hasHeader("X-API-Key"));
    }

    void badFilesAreNotTrusted_data()
    {
        QTest::addColumn<QByteArray>("endpoint");
        QTest::addColumn<bool>("open");
        QTest::newRow("cut") << QByteArray("{\"base\":\"http://127.0") << false;
        QTest::newRow("elsewhere") << QByteArray(
            "{\"base\":\"http://example.com:80\",\"data\":\"http://example.com:80\"}")
                                   << false;
        QTest::newRow("user name") << QByteArray(
            "{\"base\":\"http://a@127.0.0.1:1\",\"data\":\"http://127.0.0.1:1\"}")
                                   << false;
        QTest::newRow("written by anybody")
            << QByteArray("{\"base\":\"http://127.0.0.1:1\",\"data\":\"http://127.0.0.1:1\"}") << true;
    }
    void badFilesAreNotTrusted()
    {
        QFETCH(QByteArray, endpoint);
        QFETCH(bool, open);
        DataFolder folder;
        QVERIFY(folder.files.prepare().has_value());
        folder.write(u"endpoint.json"_s, endpoint,
                     QFileDevice::ReadOwner | QFileDevice::WriteOwner
                         | (open ? QFileDevice::WriteOther : QFileDevice::Permissions()));
        QVERIFY(!folder.files.endpoint());
    }

    void failures_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("words");
        QTest::newRow("no program") << u"missing"_s << u"is not there"_s;
        QTest::newRow("dies at once") << u"dies"_s << u"no usable bubblewrap here"_s;
        QTest::newRow("key for all to read") << u"open key"_s << u"others can read it"_s;
        QTest::newRow("no key in the key file") << u"bad key"_s << u"does not hold a key"_s;
        QTest::newRow("a file where the folder should be") << u"file"_s << u"not a folder"_s;
    }
    void failures()
    {
        QFETCH(QString, what);
        QFETCH(QString, words);
        DataFolder folder;
        NetworkAccess network;
        QString program = realProgram();
        if (what == u"missing") {
            program = folder.dir.filePath(u"nothing"_s);
        } else if (what == u"dies") {
            program = folder.dir.filePath(u"dies"_s);
            QFile script(program);
            QVERIFY(script.open(QIODevice::WriteOnly));
            script.write("#!/bin/sh\necho 'no usable bubblewrap here' >&2\nexit 4\n");
            script.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
        } else if (what == u"file") {
            QVERIFY(QDir().mkpath(folder.path()));
            QFile file(folder.files.folder());
            QVERIFY(file.open(QIODevice::WriteOnly));
        } else {
            QVERIFY(folder.files.prepare().has_value());
            folder.write(u"key"_s, what == u"bad key" ? QByteArray("short") : QByteArray(64, 'a'),
                         QFileDevice::ReadOwner
                             | (what == u"open key" ? QFileDevice::ReadOther : QFileDevice::Permissions()));
        }
        LocalService service(&network, folder.path(), program);
        Ensured ensured;
        ensure(service, ensured);
        QVERIFY(!ensured.ok());
        QCOMPARE(errorKindName(ensured.result->error().kind), u"sandbox-unavailable"_s);
        QVERIFY2(ensured.text().contains(words), qPrintable(ensured.text()));

        // And it can be asked again: nothing stays locked.
        Ensured again;
        ensure(service, again);
        QVERIFY(again.text().contains(words));
    }
};

QTEST_GUILESS_MAIN(TestLocalService)
#include "tst_localservice.moc"
