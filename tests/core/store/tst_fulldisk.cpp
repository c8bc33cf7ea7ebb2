// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/diskspace.h"
#include "store/logreader.h"
#include "store/store.h"
#include "support/testmain.h"

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000; // Milliseconds; only a failure takes as long.
constexpr int DiskSize = 3 * 1024 * 1024;

/// Where the disk of a few megabytes is mounted, in the process that bubblewrap started.
QString smallDisk() { return qEnvironmentVariable("PH_SMALL_DISK"); }

} // namespace

/// A disk that is full. Each test runs itself again on a small disk of its own.
class TestFullDisk : public Tests::Test {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// In the outer process: runs the current test inside. False in the inner one, which then does the work.
    bool ranInside()
    {
        if (!smallDisk().isEmpty())
            return false;
        QProcess inside;
        inside.setProcessChannelMode(QProcess::MergedChannels);
        inside.start(u"bwrap"_s,
                     {u"--dev-bind"_s, u"/"_s, u"/"_s, u"--size"_s, QString::number(DiskSize), u"--tmpfs"_s,
                      m_folder.path(), u"--setenv"_s, u"PH_SMALL_DISK"_s, m_folder.path(), u"--"_s,
                      QCoreApplication::applicationFilePath(),
                      QString::fromLatin1(QTest::currentTestFunction())});
        inside.waitForFinished(4 * Patience);
        const QByteArray said = inside.readAll();
        [&] {
            QVERIFY2(inside.exitStatus() == QProcess::NormalExit && inside.exitCode() == 0, said.constData());
        }();
        return true;
    }
    static void fill()
    {
        QFile file(smallDisk() + u"/filler"_s);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
        for (qint64 piece = 64 * 1024; piece > 0; piece /= 2) {
            while (file.write(QByteArray(piece, 'x')) == piece) { }
        }
        file.close();
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Append | QIODevice::Unbuffered));
        QVERIFY(file.write("x") < 1);
    }

private Q_SLOTS:
    void outputLeavesRoomForTheRest()
    {
        if (ranInside())
            return;
        const auto room = roomForOutput(smallDisk());
        QVERIFY(room.has_value());
        QVERIFY(*room > 0 && *room <= DiskSize * 3 / 4);
        fill();
        QCOMPARE(roomForOutput(smallDisk()).value_or(-1), 0);
        QVERIFY(!roomForOutput(u"/nowhere/at/all"_s).has_value());
    }

    void theLastEventsAreWritten()
    {
        if (ranInside())
            return;
        EventScript script;
        script.addCreated();
        const auto store = Store::open(smallDisk() + u"/data"_s, u"test"_s);
        QVERIFY(store);
        QVERIFY((*store)->writeNow(script.all()));
        fill();
        const qsizetype before = script.all().size();
        script.addTurn(1);
        QSignalSpy failed(store->get(), &Store::failed);
        QSignalSpy committed(store->get(), &Store::committed);
        (*store)->append(script.all().mid(before), true);
        QTRY_VERIFY_WITH_TIMEOUT(failed.size() + committed.size() == 1, Patience);
        QCOMPARE(failed.size(), 0);
    }

    void aFullDiskCanBeClearedByDeleting()
    {
        if (ranInside())
            return;
        const QString dir = smallDisk() + u"/data"_s;
        EventScript script;
        script.addCreated();
        script.addTurn(1);
        const QString call = newId();
        script.addOutput(1, 1, call, QByteArray(1536 * 1024, 'o'));
        {
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY(store);
            QVERIFY((*store)->writeNow(script.all()));
        }
        const QString spill = dir + u"/spill/"_s + script.conversation();
        QVERIFY(QFileInfo::exists(spill));
        fill();
        const auto store = Store::open(dir, u"test"_s);
        QVERIFY2(store, store ? "" : qPrintable(store.error().toText()));
        const auto marked =
            (*store)->writeNow({script.add(EventKind::ConversationDeleted, "{\"sandbox\":\"none\"}")});
        QVERIFY2(marked, marked ? "" : qPrintable(marked.error().toText()));
        QSignalSpy failed(store->get(), &Store::failed);
        QSignalSpy committed(store->get(), &Store::committed);
        (*store)->purge(script.conversation());
        QTRY_VERIFY_WITH_TIMEOUT(failed.size() + committed.size() == 1, Patience);
        QCOMPARE(committed.size(), 1);
        QVERIFY(!QFileInfo::exists(spill));
        const auto reader = LogReader::open(dir);
        QVERIFY(reader);
        QCOMPARE((*reader)->lastSeq(script.conversation()).value(), 0);
        // With room again, there is a reserve again.
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(dir + u"/reserve"_s), Patience);
    }
};

QTEST_GUILESS_MAIN(TestFullDisk)
#include "tst_fulldisk.moc"
