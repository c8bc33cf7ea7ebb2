// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/logreader.h"
#include "store/store.h"
#include "support/testmain.h"
#include "util/ids.h"

#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 30'000;

QString program() { return QCoreApplication::applicationDirPath() + u"/logwriterprogram"_s; }

// The next whole line of the program's output; empty when it ended or took too long.
QByteArray nextLine(QProcess &process)
{
    while (!process.canReadLine()) {
        if (!process.waitForReadyRead(Patience))
            return {};
    }
    return process.readLine().trimmed();
}

// Every event from 1 on, and each tool-output's bytes where it says they are.
void checkWhole(LogReader &reader, const QString &conversation, qint64 atLeast)
{
    qint64 seq = 0;
    qint64 outputEnd = 0;
    while (true) {
        const auto page = reader.events(conversation, seq + 1, 1000);
        QVERIFY2(page, page ? "" : qPrintable(page.error().toText()));
        if (page->isEmpty())
            break;
        for (const EventPtr &event : *page) {
            QCOMPARE(event->seq, ++seq);
            if (event->kind != EventKind::ToolOutput)
                continue;
            const Json payload = event->json();
            const qint64 length = payload[u"length"].toInteger(0);
            QCOMPARE(payload[u"offset"].toInteger(-1), outputEnd);
            const auto bytes =
                reader.output(conversation, payload[u"callId"].toString(), u"stdout"_s, outputEnd, length);
            QVERIFY(bytes);
            QVERIFY(bytes->startsWith(QByteArray(QByteArray::number(seq - 1) + ' ')));
            QVERIFY(bytes->endsWith('\n'));
            QCOMPARE(bytes->size(), length);
            outputEnd += length;
        }
    }
    QVERIFY2(seq >= atLeast, qPrintable(u"%1 of %2"_s.arg(seq).arg(atLeast)));
    QCOMPARE(reader.lastSeq(conversation).value(), seq);
    const auto summary = reader.conversation(conversation);
    QVERIFY(summary);
    QCOMPARE(summary->lastSeq, seq); // Derived tables are of the same transaction.
}

} // namespace

class TestDurability : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;

private Q_SLOTS:
    void whatWasCommittedSurvivesAKill()
    {
        QRandomGenerator random(11);
        for (int round = 0; round < 10; ++round) {
            const QString dir = m_temp.filePath(u"kill%1"_s.arg(round));
            const QString conversation = newId();
            QProcess process;
            process.start(program(), {dir, u"write"_s, conversation});
            QVERIFY(process.waitForStarted(Patience));
            const int commits = 1 + int(random.bounded(300));
            qint64 reported = 0;
            for (int i = 0; i < commits; ++i) {
                const QByteArray line = nextLine(process);
                QVERIFY(!line.isEmpty());
                reported = line.toLongLong();
            }
            process.kill();
            QVERIFY(process.waitForFinished(Patience));
            // What it had said before the kill arrived counts as well.
            while (process.canReadLine())
                reported = process.readLine().trimmed().toLongLong();
            {
                const auto reader = LogReader::open(dir);
                QVERIFY(reader);
                checkWhole(**reader, conversation, reported);
                QCOMPARE((*reader)->openTurns().value(), QStringList{conversation});
            }
            // The next owner gets in at once: the lock died with the process.
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY2(store, store ? "" : qPrintable(store.error().toText()));
            const auto reader = LogReader::open(dir);
            QVERIFY(reader);
            checkWhole(**reader, conversation, reported);
        }
    }

    void aFullDiskKeepsWhatComes_data()
    {
        QTest::addColumn<int>("limit");
        QTest::addColumn<int>("outputSize");
        QTest::newRow("the log, soon") << 300'000 << 900;
        QTest::newRow("the log, later") << 2'000'000 << 900;
        QTest::newRow("the output file") << 1'500'000 << 200'000;
    }
    void aFullDiskKeepsWhatComes()
    {
        QFETCH(int, limit);
        QFETCH(int, outputSize);
        const QString dir = m_temp.filePath(u"full%1"_s.arg(limit));
        const QString conversation = newId();
        QProcess process;
        process.start(program(),
                      {dir, u"fill"_s, conversation, QString::number(limit), QString::number(outputSize)});
        QVERIFY(process.waitForStarted(Patience));
        QByteArray line;
        qint64 reported = 0;
        do {
            line = nextLine(process);
            if (!line.isEmpty() && !line.startsWith("failed"))
                reported = line.toLongLong();
        } while (!line.isEmpty() && !line.startsWith("failed"));
        QVERIFY2(line.startsWith("failed storage "), line.constData());
        QVERIFY(line.contains("kept in memory"));
        QCOMPARE(line.contains(".stdout"), outputSize > 100'000);
        QVERIFY(line.contains("try again"));
        QVERIFY(reported > 3);
        // What was written is there for every reader while the rest waits.
        const QByteArray pending = nextLine(process);
        QVERIFY2(pending.startsWith("pending "), pending.constData());
        QVERIFY(pending.mid(8).toLongLong() > 2000);
        const QByteArray retried = nextLine(process);
        QVERIFY2(retried.startsWith("retried "), retried.constData());
        QVERIFY(process.waitForFinished(Patience));
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(process.readAllStandardError(), QByteArray());
        const auto reader = LogReader::open(dir);
        QVERIFY(reader);
        checkWhole(**reader, conversation, retried.mid(8).toLongLong());
    }

    void anotherProcessOwnsTheFolder()
    {
        const QString dir = m_temp.filePath(u"owned"_s);
        QProcess owner;
        owner.start(program(), {dir, u"hold"_s});
        QCOMPARE(nextLine(owner), QByteArray("ready"));
        const auto store = Store::open(dir, u"test"_s);
        QVERIFY(!store);
        QCOMPARE(store.error().kind, ErrorKind::NotOwner);
        QVERIFY(store.error().message.contains(u"logwriterprogram (process %1)"_s.arg(owner.processId())));
        QVERIFY(LogReader::open(dir));
        owner.closeWriteChannel();
        QVERIFY(owner.waitForFinished(Patience));
        QVERIFY(Store::open(dir, u"test"_s));
    }
};

QTEST_GUILESS_MAIN(TestDurability)
#include "tst_durability.moc"
