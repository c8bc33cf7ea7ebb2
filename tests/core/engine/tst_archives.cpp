// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/downloadjob.h"
#include "engine/zipfile.h"
#include "net/networkaccess.h"
#include "sandbox/sandboxclient.h"
#include "support/loopbackserver.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <archive.h>
#include <archive_entry.h>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000;

struct Item {
    QByteArray name;
    QByteArray bytes;
    QByteArray link;
    int mode = 0644;
};

QByteArray zipOf(const QList<Item> &items, const char *compression = "deflate")
{
    QByteArray bytes(64 * 1024 * 1024, Qt::Uninitialized);
    size_t used = 0;
    archive *writer = archive_write_new();
    archive_write_set_format_zip(writer);
    archive_write_set_format_option(writer, "zip", "compression", compression);
    archive_write_open_memory(writer, bytes.data(), size_t(bytes.size()), &used);
    for (const Item &item : items) {
        archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, item.name.constData());
        archive_entry_set_perm(entry, __LA_MODE_T(item.mode));
        archive_entry_set_filetype(entry,
                                   !item.link.isEmpty()          ? AE_IFLNK
                                       : item.name.endsWith('/') ? AE_IFDIR
                                                                 : AE_IFREG);
        if (!item.link.isEmpty())
            archive_entry_set_symlink(entry, item.link.constData());
        archive_entry_set_size(entry, item.link.isEmpty() ? item.bytes.size() : 0);
        archive_write_header(writer, entry);
        archive_write_data(writer, item.bytes.constData(), size_t(item.bytes.size()));
        archive_entry_free(entry);
    }
    archive_write_close(writer);
    archive_write_free(writer);
    return bytes.first(qsizetype(used));
}

QList<Item> tree()
{
    return {{"out/", {}, {}, 0755},
            {"out/a.txt", "hello", {}, 0644},
            {"out/run", "#!/bin/sh\n", {}, 0755},
            {"out/empty/", {}, {}, 0755},
            {"out/deep/er/\xC3\xA4 b", QByteArray(300000, 'x'), {}, 0644}};
}

} // namespace

/// Folders that come as archives, and archives that must not be believed.
class TestArchives : public Tests::Test {
    Q_OBJECT

    QString write(const QTemporaryDir &folder, const QByteArray &bytes)
    {
        QFile file(folder.filePath(u"a.zip"_s));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write");
        return file.fileName();
    }

private Q_SLOTS:
    void guards_data()
    {
        QTest::addColumn<QByteArray>("zip");
        QTest::addColumn<QString>("words"); // Empty: it is taken.
        const auto with = [](const Item &item) { return zipOf(tree() << item); };
        QTest::newRow("good") << zipOf(tree()) << QString();
        QTest::newRow("dots inside of a name") << with({"out/a..b", "x", {}}) << QString();
        QTest::newRow("upwards") << with({"out/../../evil", "x", {}}) << u"below the folder"_s;
        QTest::newRow("upwards at once") << with({"../evil", "x", {}}) << u"below the folder"_s;
        QTest::newRow("absolute") << with({"/etc/evil", "x", {}}) << u"below the folder"_s;
        QTest::newRow("backslash") << with({"out\\..\\evil", "x", {}}) << u"below the folder"_s;
        QTest::newRow("drive") << with({"C:evil", "x", {}}) << u"below the folder"_s;
        QTest::newRow("another root") << with({"in/a", "x", {}}) << u"outside"_s;
        QTest::newRow("a file as root") << zipOf({{"out", "x", {}}}) << u"outside"_s;
        QTest::newRow("link") << with({"out/link", {}, "/etc/passwd"}) << u"a link"_s;
        QTest::newRow("bomb") << with({"out/zeros", QByteArray(70'000'000, '\0'), {}}) << u"far more"_s;
        QTest::newRow("deep") << with({"out/" + QByteArray("d/").repeated(201) + 'f', "x", {}})
                              << u"too deeply"_s;
        const QByteArray good = zipOf(tree());
        for (const int part : {1, 10, 50, 90, 99})
            QTest::addRow("cut at %d %%", part) << good.first(good.size() * part / 100) << u"whole zip"_s;
        QTest::newRow("no archive") << QByteArray("<html>Log in</html>") << u"whole zip"_s;
        QTest::newRow("nothing") << QByteArray() << u"whole zip"_s;
    }
    void guards()
    {
        QFETCH(QByteArray, zip);
        QFETCH(QString, words);
        const QTemporaryDir folder;
        const QString path = write(folder, zip);
        const auto seen = ZipFile::check(path, "out");
        QVERIFY(QDir().mkdir(folder.filePath(u"into"_s)));
        const auto into = LocalFolder::open(folder.filePath(u"into"_s));
        const auto done = ZipFile::unpack(path, "out", *into, std::atomic_bool(false));
        // Whatever it was, nothing stands outside of the folder.
        QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot).join(u' '),
                 u"a.zip into"_s);
        if (!words.isEmpty()) {
            QVERIFY(!seen);
            QVERIFY2(seen.error().message.contains(words), qPrintable(seen.error().message));
            QVERIFY(!done);
            return;
        }
        QVERIFY2(seen, seen ? "" : qPrintable(seen.error().message));
        QVERIFY(done);
        QCOMPARE(done->files, seen->files);
        QCOMPARE(done->failed, qint64(0));
        QCOMPARE(done->bytes, seen->bytes);
        QVERIFY(QFileInfo(folder.filePath(u"into/run"_s)).isExecutable());
        QVERIFY(!QFileInfo(folder.filePath(u"into/a.txt"_s)).isExecutable());
        QVERIFY(QFileInfo(folder.filePath(u"into/empty"_s)).isDir());
        QCOMPARE(QFileInfo(folder.filePath(u"into/deep/er/\u00e4 b"_s)).size(), 300000);
    }

    void damagedFilesAreNotKept()
    {
        const QTemporaryDir folder;
        QByteArray zip = zipOf({{"out/a", QByteArray("abcdefgh"), {}}, {"out/b", "whole", {}}}, "store");
        const qsizetype at = zip.indexOf("abcdefgh");
        zip[at] = char(zip[at] ^ 0x55);
        const QString path = write(folder, zip);
        QVERIFY(QDir().mkdir(folder.filePath(u"into"_s)));
        const auto done = ZipFile::unpack(path, "out", *LocalFolder::open(folder.filePath(u"into"_s)),
                                          std::atomic_bool(false));
        QVERIFY(!QFileInfo::exists(folder.filePath(u"into/a"_s)));
        QVERIFY(done);
        QCOMPARE(done->failed, qint64(1));
        QVERIFY(QFileInfo::exists(folder.filePath(u"into/b"_s))); // The others go on.
    }

    /// A whole download from a service that makes archives, and from such as do not or make bad ones: then
    /// the files are asked for one by one.
    void downloads_data()
    {
        QTest::addColumn<QByteArray>("zip"); // Empty: answered with `status`.
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("count");
        QTest::addColumn<bool>("byArchive");
        const QByteArray good = zipOf(tree());
        QTest::newRow("whole") << good << 200 << QByteArray("3 1 2") << true;
        QTest::newRow("grown meanwhile") << good << 200 << QByteArray("2 1 0") << true;
        QTest::newRow("incomplete without a mark") << good << 200 << QByteArray("4 1 0") << false;
        QTest::newRow("too many for one") << good << 200 << QByteArray("100000 1 0") << false;
        QTest::newRow("cut") << good.chopped(30) << 200 << QByteArray("3 1 0") << false;
        QTest::newRow("hostile") << zipOf(tree() << Item{"../evil", "x", {}}) << 200 << QByteArray("3 1 0")
                                 << false;
        QTest::newRow("501") << QByteArray() << 501 << QByteArray("3 1 0") << false;
        QTest::newRow("400") << QByteArray() << 400 << QByteArray("3 1 0") << false;
        QTest::newRow("500") << QByteArray() << 500 << QByteArray("3 1 0") << false;
        QTest::newRow("not counted") << good << 200 << QByteArray("?") << false;
    }
    void downloads()
    {
        QFETCH(QByteArray, zip);
        QFETCH(int, status);
        QFETCH(QByteArray, count);
        QFETCH(bool, byArchive);
        LoopbackServer server;
        bool isListed = false;
        const QByteArray sandbox = "{\"id\":\"sb-1\",\"status\":\"active\",\"access_token\":\"t\"}";
        server.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path() == "/exec")
                return connection->respond(
                    200, "{\"stdout\":\"" + count + "\\n\",\"stderr\":\"\",\"exit_code\":0}");
            if (request.path() == "/exec/stream") {
                isListed = true; // A folder with one file.
                const QByteArray records = QByteArray("f 3 1 1 1 644 one\0\0rc 0 2\0", 26).toBase64();
                connection->sendHead(200, {{"Content-Type", "text/event-stream"}});
                connection->sendChunk("data: {\"stdout\":\"" + records
                                      + "\"}\n\ndata: {\"exit_code\":0,\"finished\":true}\n\n");
                return connection->endChunks();
            }
            if (request.isWebSocketUpgrade())
                return connection->respond(404);
            if (!request.target.startsWith("/files"))
                return connection->respond(200, sandbox);
            if (!request.target.contains("format=zip"))
                return connection->respond(200, "one", {{"Content-Type", "text/plain"}});
            if (status != 200)
                return connection->respond(status, "{\"error\":\"no\"}");
            connection->sendHead(200, {{"Content-Type", "application/zip"}});
            connection->sendChunk(zip);
            connection->endChunks();
        });
        NetworkAccess network;
        SandboxEndpoint endpoint;
        endpoint.backend = u"superserve"_s;
        endpoint.control = server.url();
        endpoint.apiKey = Secret(QByteArray("ss_test_1"));
        SandboxClient client(&network, endpoint);
        const QTemporaryDir folder;
        std::optional<Result<TransferSum, FileFault>> result;
        {
            QObject scope;
            auto *job = new DownloadJob(&client, u"sb-1"_s, &scope);
            job->start({{"/home/user/out", true}}, folder.path(), {}, {},
                       [&result](const Result<TransferSum, FileFault> &sum) { result = sum; });
            QTRY_VERIFY_WITH_TIMEOUT(result.has_value(), Patience);
        }
        QVERIFY(result->has_value());
        QCOMPARE(isListed, !byArchive);
        const TransferSum sum = result->value();
        QCOMPARE(sum.failed, 0);
        QCOMPARE(sum.files, byArchive ? 3 : 1);
        QCOMPARE(QFileInfo::exists(folder.filePath(u"out/a.txt"_s)), byArchive);
        QCOMPARE(QFileInfo::exists(folder.filePath(u"out/one"_s)), !byArchive);
        QCOMPARE(sum.linksSkipped, byArchive ? count.right(1).toInt() : 0);
        QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList(u"out"_s)); // Nothing is left of the archive.
    }
};

QTEST_GUILESS_MAIN(TestArchives)
#include "tst_archives.moc"
