// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "apiclient.h"
#include "support/sandboxdfixture.h"
#include "support/testmain.h"

#include <QFile>
#include <QTest>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

/// /files: names, ranges, refusals, and that no path leads out of the sandbox.
class TestFiles : public Test {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(m_service.start(), m_service.errorText().constData());
        m_sandbox = ApiClient(m_service).create();
        QVERIFY(!m_sandbox.id.isEmpty());
    }

    void roundTripsNames_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("space") << QByteArray("a b");
        QTest::newRow("plus") << QByteArray("a+b");
        QTest::newRow("percent") << QByteArray("a%20b");
        QTest::newRow("reserved") << QByteArray("a#b&c?d=e;f");
        QTest::newRow("newline") << QByteArray("a\nb");
        QTest::newRow("not ASCII") << QByteArray("\xC3\xA4\xE2\x82\xAC");
        QTest::newRow("not UTF-8") << QByteArray("a\xFF\xFE");
        QTest::newRow("dots") << QByteArray("a..b");
        QTest::newRow("missing tree") << QByteArray("p/q/r/file");
    }
    void roundTripsNames()
    {
        QFETCH(QByteArray, name);
        const ApiClient client(m_service);
        const QByteArray target = "/files?path=" + QByteArray("/home/user/names/" + name).toPercentEncoding();
        const QByteArray bytes("\0\xFFsome bytes\n", 13);
        const Answer written = client.data(m_sandbox, "POST", target, bytes);
        QCOMPARE(written.status, 200);
        QCOMPARE(written.json()[u"size"].toInteger(-1), bytes.size());
        const Answer read = client.data(m_sandbox, "GET", target);
        QCOMPARE(read.status, 200);
        QCOMPARE(read.body, bytes);
        QVERIFY(!read.header("Last-Modified").isEmpty());
        // The same name as the file system sees it.
        QFile file(
            QString::fromLocal8Bit(m_service.dataFolder().toLocal8Bit() + "/sandboxes/" + m_sandbox.id));
        const QByteArray path = file.fileName().toLocal8Bit() + "/home/names/" + name;
        FILE *const stream = ::fopen(path.constData(), "rb");
        QVERIFY(stream);
        ::fclose(stream);
    }

    void overwritesAndTruncates()
    {
        const ApiClient client(m_service);
        const QByteArray target = "/files?path=/tmp/over";
        QCOMPARE(client.data(m_sandbox, "POST", target, "a long text").status, 200);
        QCOMPARE(client.exec(m_sandbox, u"chmod 755 /tmp/over"_s)[u"exit_code"].toInteger(-1), 0);
        QCOMPARE(client.data(m_sandbox, "POST", target, "short").status, 200);
        QCOMPARE(client.data(m_sandbox, "GET", target).body, QByteArray("short"));
        QCOMPARE(client.exec(m_sandbox, u"stat -c '%a %u' /tmp/over"_s)[u"stdout"].toString(), u"755 0\n"_s);
        QCOMPARE(client.data(m_sandbox, "POST", target).status, 200);
        const Answer empty = client.data(m_sandbox, "GET", target);
        QCOMPARE(empty.status, 200);
        QVERIFY(empty.body.isEmpty() && empty.isWhole);
    }

    void carriesLargeBodies()
    {
        const ApiClient client(m_service);
        QByteArray bytes(20 * 1024 * 1024, Qt::Uninitialized);
        for (qsizetype i = 0; i < bytes.size(); ++i)
            bytes[i] = char(i * 7 + i / 4096);
        QCOMPARE(client.data(m_sandbox, "POST", "/files?path=/tmp/large", bytes).status, 200);
        const Answer read = client.data(m_sandbox, "GET", "/files?path=/tmp/large");
        QVERIFY(read.isWhole);
        QVERIFY(read.body == bytes);
    }

    void acceptsChunkedBodiesAndExpect()
    {
        const ApiClient client(m_service);
        Headers headers = ApiClient::dataHeaders(m_sandbox);
        headers += {{"Transfer-Encoding", "chunked"}, {"Expect", "100-continue"}};
        QTcpSocket socket;
        socket.connectToHost(u"127.0.0.1"_s, m_service.port());
        QVERIFY(socket.waitForConnected(5000));
        QByteArray head =
            "POST /files?path=/tmp/chunked HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n";
        for (const auto &[name, value] : headers)
            head += name + ": " + value + "\r\n";
        socket.write(head + "\r\n");
        QVERIFY(socket.waitForReadyRead(5000));
        QCOMPARE(socket.readAll(), QByteArray("HTTP/1.1 100 Continue\r\n\r\n"));
        socket.write("3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n");
        QCOMPARE(ApiClient::finish(socket).json()[u"size"].toInteger(-1), 7);
        QCOMPARE(client.data(m_sandbox, "GET", "/files?path=/tmp/chunked").body, QByteArray("abcdefg"));
    }

    void removesPartialUpload()
    {
        const ApiClient client(m_service);
        QTcpSocket socket;
        socket.connectToHost(u"127.0.0.1"_s, m_service.port());
        QVERIFY(socket.waitForConnected(5000));
        QByteArray head =
            "POST /files?path=/tmp/partial HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10000000\r\n";
        for (const auto &[name, value] : ApiClient::dataHeaders(m_sandbox))
            head += name + ": " + value + "\r\n";
        socket.write(head + "\r\n" + QByteArray(3000000, 'x'));
        QTRY_VERIFY_WITH_TIMEOUT(
            client.exec(m_sandbox, u"test -s /tmp/partial"_s)[u"exit_code"].toInteger(-1) == 0, 5000);
        socket.abort();
        QTRY_VERIFY_WITH_TIMEOUT(
            client.exec(m_sandbox, u"test -e /tmp/partial"_s)[u"exit_code"].toInteger(-1) == 1, 5000);
    }

    void servesRanges_data()
    {
        QTest::addColumn<QByteArray>("range");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("contentRange");
        const auto row = [](const char *range, int status, const char *body, const char *contentRange) {
            QTest::newRow(range) << QByteArray(range) << status << QByteArray(body)
                                 << QByteArray(contentRange);
        };
        row("bytes=2-4", 206, "cde", "bytes 2-4/10");
        row("bytes=7-", 206, "hij", "bytes 7-9/10");
        row("bytes=-2", 206, "ij", "bytes 8-9/10");
        row("bytes=-99", 206, "abcdefghij", "bytes 0-9/10");
        row("bytes=5-99", 206, "fghij", "bytes 5-9/10");
        row("bytes=10-", 416, nullptr, "bytes */10");
        row("bytes=4-2", 200, "abcdefghij", "");
        row("bytes=1-2,4-5", 200, "abcdefghij", "");
        row("lines=1-2", 200, "abcdefghij", "");
        row("bytes=a-b", 200, "abcdefghij", "");
    }
    void servesRanges()
    {
        QFETCH(QByteArray, range);
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, contentRange);
        const ApiClient client(m_service);
        QCOMPARE(client.data(m_sandbox, "POST", "/files?path=/tmp/ten", "abcdefghij").status, 200);
        const Answer answer = client.data(m_sandbox, "GET", "/files?path=/tmp/ten", {}, {{"Range", range}});
        QCOMPARE(answer.status, status);
        QVERIFY(answer.isWhole);
        if (!body.isNull())
            QCOMPARE(answer.body, body);
        QCOMPARE(answer.header("Content-Range"), contentRange);
    }

    void refusesBadPathsBeforeToken_data()
    {
        QTest::addColumn<QByteArray>("query");
        QTest::newRow("none") << QByteArray();
        QTest::newRow("empty") << QByteArray("?path=");
        QTest::newRow("relative") << QByteArray("?path=home/user/a");
        QTest::newRow("parent") << QByteArray("?path=/home/user/../../etc/passwd");
        QTest::newRow("parent, encoded") << QByteArray("?path=%2Fhome%2F%2E%2E%2Fx");
        QTest::newRow("NUL") << QByteArray("?path=/tmp/a%00b");
        QTest::newRow("too long") << "?path=/" + QByteArray(5000, 'x');
    }
    void refusesBadPathsBeforeToken()
    {
        QFETCH(QByteArray, query);
        const ApiClient client(m_service);
        const SandboxRef wrong = {m_sandbox.id, "no token"};
        QCOMPARE(client.data(wrong, "GET", "/files" + query).status, 400);
        QCOMPARE(client.data(wrong, "POST", "/files" + query, "x").status, 400);
        QVERIFY(client.data(wrong, "GET", "/files" + query).json()[u"error"].isString());
        QCOMPARE(client.data(wrong, "GET", "/files?path=/tmp/fine").status, 401);
    }

    void refusesWhatIsNoFile_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<int>("readStatus");
        QTest::addColumn<int>("writeStatus");
        const auto row = [](const char *path, int readStatus, int writeStatus) {
            QTest::newRow(path) << QByteArray(path) << readStatus << writeStatus;
        };
        row("/", 400, 400);
        row("/proc/version", 400, 400);
        row("//proc/./version", 400, 400);
        row("/dev/null", 400, 400);
        row("/dev/zero", 400, 400);
        row("/sys/x", 400, 400);
        row("/sbin/init", 400, 400);
        row("/.pilothouse-init", 400, 400);
        row("/tmp", 400, 400);
        row("/home/user/", 400, 400);
        row("/home/user/fifo", 400, 400);
        row("/home/user/toproc/version", 400, 500);
        row("/home/user/toself/mem", 400, 400);
        row("/home/user/loop", 500, 500);
        row("/home/user/missing", 404, 200);
        row("/home/user/plain/below", 404, 500);
        row("/etc/passwd", 200, 500);
        row("/etc/new", 404, 500);
        row("/new", 404, 500);
        row("/usr/bin/env", 200, 500);
        row("/usr/new", 404, 500);
    }
    void refusesWhatIsNoFile()
    {
        QFETCH(QByteArray, path);
        QFETCH(int, readStatus);
        QFETCH(int, writeStatus);
        const ApiClient client(m_service);
        QCOMPARE(client
                     .exec(m_sandbox,
                           u"rm -rf missing; [ -e plain ] || { mkfifo fifo; ln -s /proc toproc; "
                           "ln -s /proc/1 toself; ln -s loop loop; touch plain; }"_s)[u"exit_code"]
                     .toInteger(-1),
                 0);
        const QByteArray target = "/files?path=" + path;
        const Answer read = client.data(m_sandbox, "GET", target);
        QCOMPARE(read.status, readStatus);
        if (readStatus != 200)
            QVERIFY(!read.json()[u"error"].toString().isEmpty());
        QCOMPARE(client.data(m_sandbox, "POST", target, "x").status, writeStatus);
    }

    void saysWhichPath()
    {
        const ApiClient client(m_service);
        const auto text = [&client, this](const QByteArray &method, const QByteArray &query) {
            return client.data(m_sandbox, method, "/files?" + query, method == "POST" ? "x" : "")
                .json()[u"error"]
                .toString();
        };
        QCOMPARE(text("GET", "path=/home/user/gone"), u"file not found: /home/user/gone"_s);
        QCOMPARE(text("GET", "path=/etc/passwd/x"), u"file not found: /etc/passwd/x"_s);
        QCOMPARE(text("GET", "path=/gone%1B&format=json"), u"file not found: /gone\\u{1b}"_s);
        QCOMPARE(text("GET", "path=/etc"), u"path is a directory: /etc"_s);
        QCOMPARE(text("GET", "path=/etc/passwd&format=json"), u"not a directory: /etc/passwd"_s);
        QCOMPARE(text("POST", "path=/proc/1/mem"), u"path is not allowed: /proc/1/mem"_s);
        QVERIFY(text("POST", "path=/usr/new").endsWith(u": /usr/new"_s));
        // A long path keeps its start and its end.
        const QString cut = text("GET", "path=/tmp/" + QByteArray(2000, 'x') + "/last");
        QVERIFY2(cut.contains(u": /tmp/x"_s) && cut.endsWith(u"x/last"_s) && cut.size() < 300,
                 qPrintable(cut));
    }

    void linksStayInside()
    {
        const ApiClient client(m_service);
        // A file that only the host has, right beside the sandbox's own folders.
        const QString secret = m_service.dataFolder() + u"/outside.txt"_s;
        QFile file(secret);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("host secret");
        file.close();
        const QString line =
            u"ln -sfn %1 out; ln -sfn %2 folder; ln -sfn ../../../../../..%1 up; ln -sfn / root; "
            "ln -sfn /etc/hostname name"_s.arg(secret, m_service.dataFolder());
        QCOMPARE(client.exec(m_sandbox, line)[u"exit_code"].toInteger(-1), 0);
        for (const char *path : {"out", "folder/outside.txt", "up"}) {
            QCOMPARE(client.data(m_sandbox, "GET", QByteArray("/files?path=/home/user/") + path).status, 404);
            QVERIFY(client.data(m_sandbox, "POST", QByteArray("/files?path=/home/user/") + path, "x").status
                    >= 400);
        }
        QVERIFY(client.data(m_sandbox, "GET", "/files?path=/home/user/root" + secret.toLocal8Bit()).status
                >= 400);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("host secret"));
        // An absolute link means the sandbox's own file.
        QCOMPARE(client.data(m_sandbox, "GET", "/files?path=/home/user/name").body, QByteArray("sandbox\n"));
        QCOMPARE(client.data(m_sandbox, "GET", "/files?path=/home/user/root/etc/hostname").body,
                 QByteArray("sandbox\n"));
    }

    void listsFolders()
    {
        const ApiClient client(m_service);
        QCOMPARE(client
                     .exec(m_sandbox,
                           u"mkdir -p /tmp/l/d; printf abc >/tmp/l/f; ln -s f /tmp/l/k; touch '/tmp/l/a b'"_s)
                         [u"exit_code"]
                     .toInteger(-1),
                 0);
        const Answer answer = client.data(m_sandbox, "GET", "/files?path=/tmp/l&format=json");
        QCOMPARE(answer.status, 200);
        const Json json = answer.json();
        QCOMPARE(json[u"entries"].size(), 4);
        QVERIFY(!json[u"truncated"].toBool(true));
        for (const Json &entry : json[u"entries"].elements()) {
            QCOMPARE(entry[u"is_dir"].toBool(), entry[u"name"].toString() == "d"_L1);
            if (entry[u"name"].toString() == "f"_L1)
                QCOMPARE(entry[u"size"].toInteger(-1), 3);
            QVERIFY(entry[u"modified_unix"].toInteger(0) > 1000000000);
        }
        QCOMPARE(client.data(m_sandbox, "GET", "/files?path=/&format=json").status, 200);
        QCOMPARE(client.data(m_sandbox, "GET", "/files?path=/tmp/l/f&format=json").status, 400);
        QCOMPARE(client.data(m_sandbox, "GET", "/files?path=/tmp/none&format=json").status, 404);
        QCOMPARE(client.data(m_sandbox, "GET", "/files?path=/proc&format=json").status, 400);
        QCOMPARE(client.data(m_sandbox, "GET", "/files?path=/tmp/l&format=zip").status, 501);
        QCOMPARE(client.data(m_sandbox, "GET", "/files?path=/tmp/l&format=tar").status, 400);
    }

private:
    SandboxdFixture m_service;
    SandboxRef m_sandbox;
};

} // namespace Pilothouse::Tests

QTEST_GUILESS_MAIN(Pilothouse::Tests::TestFiles)
#include "tst_files.moc"
