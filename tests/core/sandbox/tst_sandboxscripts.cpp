// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/sandbox/sandboxfixture.h"
#include "support/testmain.h"
#include "util/ids.h"
#include "util/json.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <sys/stat.h>
#include <unistd.h>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

/// The shell scripts that SandboxClient sends, run by the real /bin/sh of this machine behind a loopback
/// /exec.
class TestSandboxScripts : public Tests::Test {
    Q_OBJECT

    /// Plays the service: /exec runs the command as it stands.
    void serve(SandboxFixture &f)
    {
        f.server.setHandler([this](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path().startsWith("/sandboxes/"))
                return connection->respond(200, SandboxFixture::sandbox("active"));
            const Result<Json, JsonError> body = parseJson(request.body);
            if (!body)
                return connection->respond(400, "invalid JSON body");
            auto *process = new QProcess(connection);
            QProcessEnvironment environment;
            environment.insert(u"PATH"_s, qEnvironmentVariable("PATH"));
            for (const Json::Member &member : (*body)[u"env"].members())
                environment.insert(member.key, member.value.toString());
            process->setProcessEnvironment(environment);
            connect(process, &QProcess::finished, connection, [process, connection](int exitCode) {
                JsonBuilder answer;
                answer.add("stdout"_L1, QString::fromUtf8(process->readAllStandardOutput()));
                answer.add("stderr"_L1, QString::fromUtf8(process->readAllStandardError()));
                answer.add("exit_code"_L1, exitCode);
                connection->respond(200, answer.take());
            });
            process->start(u"/bin/sh"_s, {u"-c"_s, (*body)[u"command"].toString()});
        });
    }

    void list(const QString &path, Got<FileListing> &got)
    {
        SandboxFixture f;
        serve(f);
        f.client->listFiles(u"sb-1"_s, path, &f.context, got.reply());
        QTRY_COMPARE(got.count, 1);
    }

private Q_SLOTS:
    void listing()
    {
        QTemporaryDir dir;
        QVERIFY(dir.isValid());
        const QByteArray base = QFile::encodeName(dir.path());
        const QList<QByteArray> names = {"plain",      "a b",      "a+b%#&?",  "-rf",
                                         "two\nlines", "quote'\"", "\xC3\xA4", "\xff\xfe",
                                         "...",        ".hidden",  " lead",    "trail "};
        for (const QByteArray &name : names) {
            FILE *file = std::fopen(QByteArray(base + '/' + name).constData(), "w");
            QVERIFY(file);
            std::fputs("12345", file);
            std::fclose(file);
        }
        QVERIFY(QDir(dir.path()).mkdir(u"folder"_s));
        QVERIFY(QFile::link(u"to a place that is not there"_s, dir.filePath(u"link"_s)));
        QCOMPARE(::mkfifo(QByteArray(base + "/pipe").constData(), 0600), 0);

        Got<FileListing> got;
        list(dir.path(), got);
        ::unlink(QByteArray(base + "/\xff\xfe").constData()); // Qt cannot remove a name that is not UTF-8.
        QVERIFY(got.ok());
        const FileListing listing = got.result->value();
        QVERIFY(listing.complete);
        QCOMPARE(listing.entries.size(), names.size() + 3);
        QHash<QByteArray, FileEntry> byName;
        for (const FileEntry &entry : listing.entries)
            byName.insert(entry.name, entry);
        for (const QByteArray &name : names) {
            QVERIFY2(byName.contains(name), name.toPercentEncoding().constData());
            QCOMPARE(byName[name].type, QChar(u'f'));
            QCOMPARE(byName[name].size, 5);
            QVERIFY(byName[name].modified > 1e9);
        }
        QCOMPARE(byName["folder"].type, QChar(u'd'));
        QCOMPARE(byName["pipe"].type, QChar(u'p'));
        QCOMPARE(byName["pipe"].mode, 0600);
        QCOMPARE(byName["link"].type, QChar(u'l'));
        QCOMPARE(byName["link"].linkTarget, QByteArray("to a place that is not there"));
    }

    void listingOfOtherThings()
    {
        QTemporaryDir dir;
        QVERIFY(QDir(dir.path()).mkdir(u"empty '$(x)`\""_s));
        QFile file(dir.filePath(u"file"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(QFile::link(dir.filePath(u"empty '$(x)`\""_s), dir.filePath(u"link"_s)));
        QVERIFY(QFile::link(u"nowhere"_s, dir.filePath(u"dangling"_s)));
        Got<FileListing> empty;
        list(dir.filePath(u"empty '$(x)`\""_s), empty);
        QVERIFY(empty.ok() && empty.result->value().complete && empty.result->value().entries.isEmpty());
        Got<FileListing> link;
        list(dir.filePath(u"link"_s), link);
        QVERIFY(link.ok() && link.result->value().complete);
        Got<FileListing> notFolder;
        list(dir.filePath(u"file"_s), notFolder);
        QCOMPARE(notFolder.category(), u"invalid_request"_s);
        Got<FileListing> dangling;
        list(dir.filePath(u"dangling"_s), dangling);
        QCOMPARE(dangling.category(), u"invalid_request"_s);
        Got<FileListing> missing;
        list(dir.filePath(u"missing"_s), missing);
        QCOMPARE(missing.category(), u"not_found"_s);
        QVERIFY(missing.error().message.contains(u"missing"_s));
    }

    void signalFindsExactlyTheCall_data()
    {
        QTest::addColumn<QString>("signal");
        QTest::newRow("TERM") << u"TERM"_s;
        QTest::newRow("SIGKILL") << u"SIGKILL"_s;
    }
    void signalFindsExactlyTheCall()
    {
        QFETCH(QString, signal);
        const QString call = newId();
        const QString other = newId();
        const auto start = [](QProcess &process, const QString &id) {
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(u"PH_CALL"_s, id);
            process.setProcessEnvironment(environment);
            process.start(u"/bin/sh"_s, {u"-c"_s, u"echo up; exec sleep 600"_s});
        };
        QProcess target;
        QProcess bystander;
        start(target, call);
        start(bystander, other);
        QTRY_VERIFY(target.bytesAvailable() > 0 && bystander.bytesAvailable() > 0);

        SandboxFixture f;
        serve(f);
        QSignalSpy ended(&target, &QProcess::finished);
        Got<int> got;
        f.client->signalCall(u"sb-1"_s, call, signal, &f.context, got.reply());
        QTRY_COMPARE(got.count, 1);
        QVERIFY2(got.ok(), qPrintable(got.error().message));
        QVERIFY(got.result->value() >= 1);
        QTRY_COMPARE(ended.size(), 1);
        QCOMPARE(target.exitStatus(), QProcess::CrashExit);
        QCOMPARE(bystander.state(), QProcess::Running);

        Got<int> again;
        f.client->signalCall(u"sb-1"_s, call, signal, &f.context, again.reply());
        QTRY_COMPARE(again.count, 1);
        QCOMPARE(again.result->value(), 0);
        bystander.kill();
        QTRY_COMPARE(bystander.state(), QProcess::NotRunning);
    }
};

QTEST_GUILESS_MAIN(TestSandboxScripts)
#include "tst_sandboxscripts.moc"
