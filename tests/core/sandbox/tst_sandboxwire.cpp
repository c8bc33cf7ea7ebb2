// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/sandboxclient.h"
#include "sandbox/sandboxwire.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestSandboxWire : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void ids_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<bool>("good");
        QTest::newRow("uuid") << u"3b0d2c54-7a51-4f0a-9a77-1f2e3d4c5b6a"_s << true;
        QTest::newRow("region") << u"sb-use-3b0d2c54"_s << true;
        QTest::newRow("64") << QString(64, u'a') << true;
        QTest::newRow("65") << QString(65, u'a') << false;
        QTest::newRow("empty") << QString() << false;
        QTest::newRow("dash first") << u"-a"_s << false;
        QTest::newRow("slash") << u"a/../b"_s << false;
        QTest::newRow("dot") << u"a.evil.example"_s << false;
        QTest::newRow("line end") << u"a\r\nX: y"_s << false;
        QTest::newRow("letter of another script") << u"ä"_s << false;
    }
    void ids()
    {
        QFETCH(QString, id);
        QTEST(SandboxWire::isSandboxId(id), "good");
    }

    void commandBody()
    {
        CommandRequest request;
        request.command = u"echo \"$X\""_s;
        request.env = {{u"X"_s, u"ä\n"_s}, {u"PH_CALL"_s, u"c"_s}};
        request.workingDir = u"/home/user"_s;
        request.timeout = 2500ms;
        QCOMPARE(
            SandboxWire::commandBody(request),
            QByteArray("{\"command\":\"echo \\\"$X\\\"\",\"env\":{\"X\":\"\xC3\xA4\\n\",\"PH_CALL\":\"c\"},"
                       "\"working_dir\":\"/home/user\",\"timeout_s\":3}"));
        request.env.clear();
        request.workingDir.clear();
        request.timeout = 0ms; // 0 would mean the service's own 30 s.
        QCOMPARE(SandboxWire::commandBody(request),
                 QByteArray("{\"command\":\"echo \\\"$X\\\"\",\"timeout_s\":1}"));
        request.timeout = 10000h;
        QCOMPARE(SandboxWire::timeoutSeconds(request), 4000000);
    }

    void createAndPatch()
    {
        CreateSandbox create;
        create.name = u"n"_s;
        QCOMPARE(SandboxWire::createBody(create), QByteArray("{\"name\":\"n\"}"));
        create.fromTemplate = u"t"_s;
        create.timeoutSeconds = 60;
        create.autoDeleteSeconds = 0;
        create.metadata = {{u"z"_s, u"1"_s}, {u"a"_s, u"2"_s}};
        QCOMPARE(
            SandboxWire::createBody(create),
            QByteArray(
                "{\"name\":\"n\",\"from_template\":\"t\",\"timeout_seconds\":60,\"auto_delete_seconds\":0,"
                "\"metadata\":{\"z\":\"1\",\"a\":\"2\"}}"));
        PatchSandbox patch;
        QCOMPARE(SandboxWire::patchBody(patch), QByteArray("{}"));
        patch.timeoutSeconds = std::optional<qint64>(); // Never.
        patch.autoDeleteSeconds = std::optional<qint64>(5);
        patch.metadata = QList<QPair<QString, QString>>();
        QCOMPARE(SandboxWire::patchBody(patch),
                 QByteArray("{\"metadata\":{},\"timeout_seconds\":null,\"auto_delete_seconds\":5}"));
    }

    void listQuery()
    {
        ListSandboxes filter;
        filter.metadata = {{u"ph_conversation"_s, u"a b+c&d=e"_s}};
        filter.status = u"paused"_s;
        QCOMPARE(
            SandboxWire::listQuery(filter, 200, 400),
            QByteArray("?limit=200&offset=400&metadata.ph_conversation=a%20b%2Bc%26d%3De&status=paused"));
    }

    void sandboxes_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<bool>("good");
        QTest::addColumn<bool>("token");
        const QByteArray head = "{\"id\":\"a\",\"status\":\"active\"";
        QTest::newRow("least") << QByteArray(head + "}") << true << false;
        QTest::newRow("token") << QByteArray(head + ",\"access_token\":\"mcap.v1.x\"}") << true << true;
        QTest::newRow("token with a line end")
            << QByteArray(head + ",\"access_token\":\"a\\r\\nX: 1\"}") << true << false;
        QTest::newRow("token with a comma")
            << QByteArray(head + ",\"access_token\":\"a, b\"}") << true << false;
        QTest::newRow("token that is no string")
            << QByteArray(head + ",\"access_token\":7}") << true << false;
        QTest::newRow("no id") << QByteArray("{\"status\":\"active\"}") << false << false;
        QTest::newRow("bad id") << QByteArray("{\"id\":\"a/b\",\"status\":\"active\"}") << false << false;
        QTest::newRow("no status") << QByteArray("{\"id\":\"a\"}") << false << false;
        QTest::newRow("array") << QByteArray("[]") << false << false;
        QTest::newRow("empty") << QByteArray() << false << false;
        QTest::newRow("cut") << QByteArray(head) << false << false;
    }
    void sandboxes()
    {
        QFETCH(QByteArray, body);
        QFETCH(bool, good);
        const auto answer = SandboxWire::readSandbox(body);
        QCOMPARE(answer.has_value(), good);
        if (good)
            QTEST(!answer->token.isEmpty(), "token");
        else
            QCOMPARE(categoryName(answer.error().category), u"protocol"_s);
    }

    void execResult_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<int>("exitCode"); // -1: an error of unknown outcome
        for (const int code : {0, 7, 124, 137}) {
            QTest::addRow("%d", code) << QByteArray("{\"stdout\":\"o\",\"stderr\":\"e\",\"exit_code\":"
                                                    + QByteArray::number(code) + ",\"truncated\":true}")
                                      << code;
        }
        QTest::newRow("missing") << QByteArray("{\"stdout\":\"o\",\"stderr\":\"e\"}") << -1;
        QTest::newRow("text") << QByteArray("{\"exit_code\":\"0\"}") << -1;
        QTest::newRow("huge") << QByteArray("{\"exit_code\":99999999999}") << -1;
        QTest::newRow("html") << QByteArray("<html>") << -1;
    }
    void execResult()
    {
        QFETCH(int, exitCode);
        QFETCH(QByteArray, body);
        const Result<ExecResult, ApiError> result = SandboxWire::readExecResult(body);
        if (exitCode < 0) {
            QVERIFY(!result);
            QVERIFY(result.error().outcomeUnknown);
            return;
        }
        QVERIFY(result.has_value());
        QCOMPARE(result->exitCode, exitCode);
        QCOMPARE(result->standardOutput, QByteArray("o"));
        QCOMPARE(result->standardError, QByteArray("e"));
        QVERIFY(result->truncated);
    }

    void listing()
    {
        const QByteArray records = QByteArray("f 12 1700000000.5 644 a b\n\xff") + '\0' + '\0'
            + "l 3 1 777 link" + '\0' + "to where" + '\0' + "d 4096 2 1755 dir" + '\0' + '\0' + "rc 0" + '\0';
        const FileListing all = SandboxWire::readListing(records.toBase64() + "\n");
        QVERIFY(all.complete);
        QCOMPARE(all.entries.size(), 3);
        QCOMPARE(all.entries[0].name, QByteArray("a b\n\xff"));
        QCOMPARE(all.entries[0].size, 12);
        QCOMPARE(all.entries[0].mode, 0644);
        QCOMPARE(all.entries[0].modified, 1700000000.5);
        QCOMPARE(all.entries[1].type, QChar(u'l'));
        QCOMPARE(all.entries[1].linkTarget, QByteArray("to where"));
        QCOMPARE(all.entries[2].mode, 01755);

        // Cut anywhere, it is never taken for the whole.
        for (qsizetype length = 0; length < records.size() - 1; ++length) {
            QVERIFY2(!SandboxWire::readListing(records.left(length).toBase64()).complete,
                     qPrintable(QString::number(length)));
        }
        QVERIFY(!SandboxWire::readListing("not base64!").complete);
        QByteArray failed = records;
        failed.replace("rc 0", "rc 1");
        QVERIFY(!SandboxWire::readListing(failed.toBase64()).complete);
        QVERIFY(!SandboxWire::readListing(QByteArray("f x 1 644 n\0\0rc 0\0", 18).toBase64()).complete);
        QVERIFY(!SandboxWire::readListing(QByteArray("f 1 1 644 a/b\0\0rc 0\0", 20).toBase64()).complete);
        QVERIFY(SandboxWire::readListing(QByteArray("rc 0\0", 5).toBase64()).complete); // An empty folder.
    }

    void paths_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<bool>("good");
        QTest::newRow("plain") << u"/home/user/a.txt"_s << true;
        QTest::newRow("root") << u"/"_s << true;
        QTest::newRow("dots inside") << u"/a..b/..c/d.."_s << true;
        QTest::newRow("odd names") << u"/a b+%#&?\nä"_s << true;
        QTest::newRow("relative") << u"a"_s << false;
        QTest::newRow("empty") << u""_s << false;
        QTest::newRow("home") << u"~/a"_s << false;
        QTest::newRow("parent") << u"/a/../b"_s << false;
        QTest::newRow("parent at the end") << u"/a/.."_s << false;
        QTest::newRow("nul") << QString(u"/a"_s + QChar(u'\0') + u"b"_s) << false;
    }
    void paths()
    {
        QFETCH(QString, path);
        QTEST(SandboxClient::pathProblem(path).isEmpty(), "good");
    }

    void encodedPaths()
    {
        const QUrl url =
            SandboxWire::dataUrl(SandboxEndpoint::superserve(Secret("k"), u"http://127.0.0.1:1"_s, {}),
                                 "/files?path=" + SandboxWire::encoded(u"/a b+c%20;?&#[]\nä"_s));
        QCOMPARE(url.toEncoded(),
                 QByteArray("http://127.0.0.1:1/files?path=%2Fa%20b%2Bc%2520%3B%3F%26%23%5B%5D%0A%C3%A4"));
    }
};

QTEST_GUILESS_MAIN(TestSandboxWire)
#include "tst_sandboxwire.moc"
