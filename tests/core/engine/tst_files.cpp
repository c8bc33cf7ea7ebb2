// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "enginefixture.h"

#include "engine/filesservice.h"
#include "engine/localfolder.h"
#include "support/testmain.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

/// What a call replied.
template <typename T>
struct Got {
    std::optional<Result<T, FileFault>> result;
    int count = 0;
    [[nodiscard]] FilesService::Reply<T> reply()
    {
        return [this](const Result<T, FileFault> &value) {
            ++count;
            result = value;
        };
    }
    [[nodiscard]] bool ok() const { return result && result->has_value(); }
    [[nodiscard]] QByteArray why() const
    {
        return !result ? QByteArray("no reply")
            : ok()     ? QByteArray("ok")
                       : result->error().error.toText().toUtf8();
    }
    [[nodiscard]] FileFault::Kind kind() const
    {
        return result && !result->has_value() ? result->error().kind : FileFault::Kind::Other;
    }
};

constexpr int Wait = 30000;

QByteArray named(const QByteArray &folder, const QByteArray &name) { return QByteArray(folder + '/' + name); }

} // namespace

class TestFiles : public Tests::Test {
    Q_OBJECT
private:
    std::unique_ptr<Tests::EngineFixture> m_fixture;
    MachinePlace m_place;

    [[nodiscard]] FilesService *files() const { return m_fixture->engine->files(); }

    /// Runs a command in the sandbox; fails the test if it does not end with 0.
    void shell(const QString &command)
    {
        int code = -1;
        m_fixture->engine->execInSandbox(
            u"superserve"_s, m_place.sandboxId, command, this, [](OutputChannel, const QByteArray &) {},
            [&code](const Result<CommandOutcome, Error> &ended) {
                code = ended ? ended->exitCode.value_or(-2) : -3;
            });
        QTRY_VERIFY_WITH_TIMEOUT(code != -1, Wait);
        QCOMPARE(code, 0);
    }

    Result<FileListEnd, FileFault> list(const QByteArray &path, QList<FileEntry> *entries,
                                        qint64 *firstMs = nullptr)
    {
        Got<FileListEnd> got;
        QElapsedTimer timer;
        timer.start();
        files()->list(
            m_place, path, this,
            [&](const QList<FileEntry> &some) {
                if (firstMs && entries->isEmpty())
                    *firstMs = timer.elapsed();
                *entries += some;
            },
            got.reply());
        [&] { QTRY_VERIFY_WITH_TIMEOUT(got.count == 1, Wait); }();
        return got.result ? *got.result : Result<FileListEnd, FileFault>(fail(FileFault()));
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_fixture = std::make_unique<Tests::EngineFixture>();
        m_fixture->startServices();
        m_fixture->openEngine();
        std::optional<Result<SandboxInfo, Error>> made;
        m_fixture->engine->createSandbox(u"superserve"_s, u"files"_s, this,
                                         [&](const Result<SandboxInfo, Error> &info) { made = info; });
        QTRY_VERIFY_WITH_TIMEOUT(made.has_value(), Wait);
        QVERIFY2(*made, *made ? "" : qPrintable(made->error().toText()));
        m_place = {u"superserve"_s, (*made)->id};
    }

    void cleanupTestCase()
    {
        m_fixture.reset();
        Test::cleanupTestCase();
    }

    void oddNamesAreListedRenamedAndRemovedExactly()
    {
        shell(
            u"mkdir -p /home/user/odd && cd /home/user/odd && touch -- -rf 'a\nb' \"$(printf 'bad\\377')\" "
            "\"$(printf 'x\\342\\200\\256y')\" Case case \"$(printf '%0255d' 0)\" && ln -s . loop && mkdir sub"_s);
        const QByteArray folder = "/home/user/odd";
        QList<FileEntry> entries;
        const auto end = list(folder, &entries);
        QVERIFY(end);
        QVERIFY(end->complete);
        QVERIFY(end->machineClock > 1.7e9);
        QSet<QByteArray> names;
        for (const FileEntry &entry : entries) {
            names.insert(entry.name);
            if (entry.name == "loop")
                QCOMPARE(entry.type, u'l');
        }
        const QSet<QByteArray> expected{"-rf",  "a\nb", "bad\377", "x\342\200\256y",    "Case",
                                        "case", "loop", "sub",     QByteArray(255, '0')};
        QCOMPARE(names, expected);

        Got<Done> renamed;
        files()->rename(m_place, named(folder, "bad\377"), named(folder, "good\376\n"), this,
                        renamed.reply());
        QTRY_VERIFY_WITH_TIMEOUT(renamed.count == 1, Wait);
        QVERIFY2(renamed.ok(), renamed.why().constData());
        Got<Done> taken;
        files()->rename(m_place, named(folder, "-rf"), named(folder, "case"), this, taken.reply());
        QTRY_VERIFY_WITH_TIMEOUT(taken.count == 1, Wait);
        QCOMPARE(taken.kind(), FileFault::Kind::Exists);
        Got<Done> removed;
        files()->remove(m_place, named(folder, "a\nb"), this, removed.reply());
        QTRY_VERIFY_WITH_TIMEOUT(removed.count == 1, Wait);
        QVERIFY2(removed.ok(), removed.why().constData());
        Got<Done> again;
        files()->remove(m_place, named(folder, "a\nb"), this, again.reply());
        QTRY_VERIFY_WITH_TIMEOUT(again.count == 1, Wait);
        QCOMPARE(again.kind(), FileFault::Kind::Missing);
        Got<Done> made;
        files()->makeFolder(m_place, named(folder, "new\376"), this, made.reply());
        QTRY_VERIFY_WITH_TIMEOUT(made.count == 1, Wait);
        QVERIFY2(made.ok(), made.why().constData());
        Got<Done> madeAgain;
        files()->makeFolder(m_place, named(folder, "new\376"), this, madeAgain.reply());
        QTRY_VERIFY_WITH_TIMEOUT(madeAgain.count == 1, Wait);
        QCOMPARE(madeAgain.kind(), FileFault::Kind::Exists);

        entries.clear();
        QVERIFY(list(folder, &entries));
        names.clear();
        for (const FileEntry &entry : entries)
            names.insert(entry.name);
        QVERIFY(names.contains("good\376\n"));
        QVERIFY(names.contains("-rf"));
        QVERIFY(names.contains("new\376"));
        QVERIFY(!names.contains("a\nb"));
    }

    void missingAndWrongKindsAreToldApart()
    {
        QList<FileEntry> none;
        auto missing = list("/home/user/nothing", &none);
        QVERIFY(!missing);
        QCOMPARE(missing.error().kind, FileFault::Kind::Missing);
        shell(u"printf x >/home/user/plain"_s);
        auto file = list("/home/user/plain", &none);
        QVERIFY(!file);
        QCOMPARE(file.error().kind, FileFault::Kind::NotFolder);
        Got<FilePart> part;
        files()->read(m_place, "/home/user/nothing", 0, 10, this, part.reply());
        QTRY_VERIFY_WITH_TIMEOUT(part.count == 1, Wait);
        QCOMPARE(part.kind(), FileFault::Kind::Missing);
        Got<Done> root;
        files()->remove(m_place, "/", this, root.reply());
        QTRY_VERIFY_WITH_TIMEOUT(root.count == 1, Wait);
        QVERIFY(!root.ok());
        Got<Done> climbing;
        files()->remove(m_place, "/home/user/../../etc", this, climbing.reply());
        QTRY_VERIFY_WITH_TIMEOUT(climbing.count == 1, Wait);
        QVERIFY(!climbing.ok());
    }

    void partsOfFilesAndEmptyOnes()
    {
        shell(u"printf 0123456789 >/home/user/ten; : >/home/user/empty"_s);
        Got<FilePart> middle;
        files()->read(m_place, "/home/user/ten", 3, 4, this, middle.reply());
        QTRY_VERIFY_WITH_TIMEOUT(middle.count == 1, Wait);
        QVERIFY2(middle.ok(), middle.why().constData());
        QCOMPARE((*middle.result)->bytes, QByteArray("3456"));
        QCOMPARE((*middle.result)->total, 10);
        Got<FilePart> empty;
        files()->read(m_place, "/home/user/empty", 0, 100, this, empty.reply());
        QTRY_VERIFY_WITH_TIMEOUT(empty.count == 1, Wait);
        QVERIFY2(empty.ok(), empty.why().constData());
        QCOMPARE((*empty.result)->bytes, QByteArray());
        QCOMPARE((*empty.result)->total, 0);
    }

    void aSurveySeesTheTreeButNotWhatToolsKeep()
    {
        shell(u"cd /home/user && rm -rf proj && mkdir -p proj/src proj/.git/objects proj/node_modules/x && "
              "echo a >proj/src/a.py && echo b >proj/.git/objects/b && echo c >proj/node_modules/x/c.js"_s);
        Got<FileSurvey> survey;
        files()->survey(m_place, "/home/user/proj", 0, this, survey.reply());
        QTRY_VERIFY_WITH_TIMEOUT(survey.count == 1, Wait);
        QVERIFY2(survey.ok(), survey.why().constData());
        QSet<QByteArray> names;
        for (const FileEntry &entry : (*survey.result)->entries)
            names.insert(entry.name);
        const QSet<QByteArray> expected{"src", "src/a.py", ".git", "node_modules"};
        QCOMPARE(names, expected);
        QVERIFY((*survey.result)->complete);
    }

    void aTreeGoesUpAndComesDownTheSame()
    {
        QTemporaryDir local;
        const QByteArray root = QFile::encodeName(local.path());
        QVERIFY(QDir(local.path()).mkpath(u"tree/empty"_s));
        QVERIFY(QDir(local.path()).mkpath(u"tree/deep/er"_s));
        const QByteArray big(20 * 1024 * 1024 + 7, 'x'); // In pieces.
        const QList<std::pair<QByteArray, QByteArray>> contents{{"tree/deep/er/a.txt", "hello\n"},
                                                                {"tree/bad\377name", "raw"},
                                                                {"tree/big", big},
                                                                {"tree/nothing", ""}};
        for (const auto &[name, bytes] : contents) {
            const int fd = ::open(named(root, name).constData(), O_WRONLY | O_CREAT, 0644);
            QVERIFY(fd >= 0);
            QCOMPARE(::write(fd, bytes.constData(), size_t(bytes.size())), ssize_t(bytes.size()));
            ::close(fd);
        }
        QVERIFY(::symlink("..", named(root, "tree/loop").constData()) == 0);

        Got<TransferSum> up;
        QList<TransferProgress> progress;
        files()->upload(
            m_place, {local.filePath(u"tree"_s)}, "/home/user", this,
            [&progress](const TransferProgress &state) { progress.append(state); }, up.reply());
        QTRY_VERIFY_WITH_TIMEOUT(up.count == 1, Wait);
        QVERIFY2(up.ok(), up.why().constData());
        QCOMPARE((*up.result)->files, 4);
        QCOMPARE((*up.result)->failed, 0);
        QCOMPARE((*up.result)->linksSkipped, 1);
        QCOMPARE((*up.result)->bytes, big.size() + 9);
        QVERIFY(!progress.isEmpty());
        QCOMPARE(progress.last().filesTotal, 4);
        QList<FileEntry> there;
        QVERIFY(list("/home/user/tree", &there));
        QCOMPARE(there.size(), 5); // Nothing hidden was left: empty, deep, bad name, big, nothing.

        shell(u"ln -s / /home/user/tree/out && chmod 755 /home/user/tree/deep/er/a.txt"_s);
        QTemporaryDir target;
        QVERIFY(QDir(target.path()).mkdir(u"tree"_s)); // Taken: it must not be written into.
        Got<TransferSum> down;
        files()->download(
            m_place, {{"/home/user/tree", true}}, target.path(), {}, this, [](const TransferProgress &) {},
            down.reply());
        QTRY_VERIFY_WITH_TIMEOUT(down.count == 1, Wait);
        QVERIFY2(down.ok(), down.why().constData());
        QCOMPARE((*down.result)->files, 4);
        QCOMPARE((*down.result)->failed, 0);
        QCOMPARE((*down.result)->linksSkipped, 1);
        QCOMPARE((*down.result)->place, target.filePath(u"tree (2)"_s));
        const QByteArray got = QFile::encodeName(target.path());
        for (const auto &[name, bytes] : contents) {
            const QByteArray path = named(got, "tree (2)" + name.sliced(4));
            struct stat info = {};
            QVERIFY2(::stat(path.constData(), &info) == 0, path.constData());
            QCOMPARE(info.st_size, bytes.size());
            const int fd = ::open(path.constData(), O_RDONLY);
            QByteArray read(bytes.size(), Qt::Uninitialized);
            QCOMPARE(::read(fd, read.data(), size_t(read.size())), ssize_t(read.size()));
            ::close(fd);
            QVERIFY(read == bytes);
        }
        // QTemporaryDir cannot name these when it cleans up.
        QCOMPARE(::unlink(named(root, "tree/bad\377name").constData()), 0);
        QCOMPARE(::unlink(named(got, "tree (2)/bad\377name").constData()), 0);
        QVERIFY(QFileInfo(target.filePath(u"tree (2)/empty"_s)).isDir());
        QVERIFY(QFileInfo(target.filePath(u"tree (2)/deep/er/a.txt"_s)).isExecutable());
        QCOMPARE(QDir(target.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(),
                 2);
    }

    void aDownloadStaysInItsFolder()
    {
        shell(u"printf secret >/home/user/plain.txt"_s);
        QTemporaryDir outer;
        QVERIFY(QDir(outer.path()).mkpath(u"in/ner"_s));
        Got<TransferSum> down;
        files()->download(
            m_place, {{"/home/user/plain.txt", false}}, outer.filePath(u"in/ner"_s), u"../../x"_s, this,
            [](const TransferProgress &) {}, down.reply());
        QTRY_VERIFY_WITH_TIMEOUT(down.count == 1, Wait);
        QVERIFY2(down.ok(), down.why().constData());
        QVERIFY(QFile::exists(outer.filePath(u"in/ner/x"_s)));
        QVERIFY(!QFile::exists(outer.filePath(u"x"_s)));

        QCOMPARE(LocalFolder::safeName("../../x"), QByteArray("x"));
        QCOMPARE(LocalFolder::safeName(".."), QByteArray("unnamed"));
        QCOMPARE(LocalFolder::safeName("/"), QByteArray("unnamed"));
        QCOMPARE(LocalFolder::safeName("a\xFF\n-"), QByteArray("a\xFF\n-"));
        QCOMPARE(LocalFolder::safeName(QByteArray(400, 'x')).size(), 255);
        // A link with the name of the file does not lead out either.
        QVERIFY(QFile::link(outer.filePath(u"stolen"_s), outer.filePath(u"in/ner/linked"_s)));
        Got<TransferSum> linked;
        files()->download(
            m_place, {{"/home/user/plain.txt", false}}, outer.filePath(u"in/ner"_s), u"linked"_s, this,
            [](const TransferProgress &) {}, linked.reply());
        QTRY_VERIFY_WITH_TIMEOUT(linked.count == 1, Wait);
        QVERIFY2(linked.ok(), linked.why().constData());
        QVERIFY(!QFile::exists(outer.filePath(u"stolen"_s)));
        Got<TransferSum> vanished;
        files()->download(
            m_place, {{"/home/user/never", false}}, outer.path(), u"never"_s, this,
            [](const TransferProgress &) {}, vanished.reply());
        QTRY_VERIFY_WITH_TIMEOUT(vanished.count == 1, Wait);
        QCOMPARE(vanished.kind(), FileFault::Kind::Missing);
        QVERIFY(!QFile::exists(outer.filePath(u"never"_s)));
    }

    void aCancelledDownloadLeavesNothing()
    {
        shell(u"head -c 60000000 /dev/zero >/home/user/zeros"_s);
        QTemporaryDir target;
        Got<TransferSum> down;
        FilesService::Call call = 0;
        call = files()->download(
            m_place, {{"/home/user/zeros", false}}, target.path(), u"zeros"_s, this,
            [this, &call](const TransferProgress &) { files()->cancel(call); }, down.reply());
        QTRY_VERIFY_WITH_TIMEOUT(down.count == 1, Wait);
        QCOMPARE(down.kind(), FileFault::Kind::Cancelled);
        QTRY_VERIFY_WITH_TIMEOUT(QDir(target.path()).isEmpty(), Wait);
    }

    // PH_MANY_ENTRIES=200000 for the figure; making that many files can take a slow disk minutes.
    void manyEntries()
    {
        constexpr int Count = 200'000;
        constexpr int Piece = 20'000; // Each within the time of one command, also where the disk is busy.
        const auto inPieces = [this](const QString &command) {
            for (int i = 0; i < Count; i += Piece)
                shell(u"mkdir -p /home/user/many && cd /home/user/many && seq %1 %2 | xargs %3"_s.arg(i + 1)
                          .arg(i + Piece)
                          .arg(command));
        };
        inPieces(u"touch"_s);
        QList<FileEntry> entries;
        qint64 firstMs = -1;
        QElapsedTimer timer;
        timer.start();
        const auto end = list("/home/user/many", &entries, &firstMs);
        QVERIFY2(end, end ? "" : qPrintable(end.error().error.toText()));
        QVERIFY(end->complete);
        QCOMPARE(entries.size(), Count);
        qInfo("%d entries: first after %lld ms, all after %lld ms", Count, firstMs, timer.elapsed());
        QVERIFY(firstMs < 3000); // The bound on a quiet machine is 300 ms.
        inPieces(u"rm"_s);
    }

    void nothingWakesAPausedMachine()
    {
        std::optional<Result<Done, Error>> paused;
        m_fixture->engine->pauseSandbox(u"superserve"_s, m_place.sandboxId, this,
                                        [&](const Result<Done, Error> &done) { paused = done; });
        QTRY_VERIFY_WITH_TIMEOUT(paused.has_value(), Wait);
        QVERIFY(*paused);
        const qsizetype before = m_fixture->calls().size();
        QList<FileEntry> none;
        const auto listed = list("/home/user", &none);
        QVERIFY(!listed);
        QCOMPARE(listed.error().kind, FileFault::Kind::NotActive);
        Got<FilePart> read;
        files()->read(m_place, "/home/user/ten", 0, 5, this, read.reply());
        QTRY_VERIFY_WITH_TIMEOUT(read.count == 1, Wait);
        QCOMPARE(read.kind(), FileFault::Kind::NotActive);
        Got<Done> removed;
        files()->remove(m_place, "/home/user/ten", this, removed.reply());
        QTRY_VERIFY_WITH_TIMEOUT(removed.count == 1, Wait);
        QCOMPARE(removed.kind(), FileFault::Kind::NotActive);
        const QStringList calls = m_fixture->calls().mid(before);
        QVERIFY(!calls.isEmpty());
        for (const QString &call : calls)
            QVERIFY2(!call.contains("activate"_L1) && !call.contains("resume"_L1), qPrintable(call));
    }
};

QTEST_GUILESS_MAIN(TestFiles)
#include "tst_files.moc"
