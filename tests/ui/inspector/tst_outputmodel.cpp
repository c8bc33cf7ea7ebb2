// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/outputcopier.h"
#include "inspector/outputmodel.h"
#include "support/testmain.h"

#include <QSignalSpy>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Channel = LineStore::Channel;

namespace {

constexpr int Patience = 20'000;

// Files of two channels that grow behind the model's back.
struct Files {
    QByteArray bytes[2];
    int reads = 0;
    bool fails = false;

    OutputModel::Reader reader()
    {
        return [this](Channel channel, qint64 offset, qint64 length, QObject *context,
                      const OutputModel::ReadReply &reply) {
            ++reads;
            const QByteArray part = bytes[int(channel)].mid(offset, length);
            QMetaObject::invokeMethod(
                context,
                [reply, part, failed = fails] {
                    if (failed)
                        reply(fail(Error{ErrorKind::Storage, u"gone"_s, {}, {}}));
                    else
                        reply(part);
                },
                Qt::QueuedConnection);
        };
    }
};

QString textOf(OutputModel *model, qint64 row)
{
    const LineStore::Row *at = model->row(row);
    return at ? rowText(*at) : u"?"_s;
}

} // namespace

class TestOutputModel : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void piecesAtHandNeedNoReading()
    {
        Files files;
        OutputModel model;
        model.reset(files.reader());
        QSignalSpy changed(&model, &OutputModel::changed);
        model.addPiece(Channel::Stdout, 0, 8, "one\ntwo\n");
        model.addPiece(Channel::Stderr, 0, 4, "bad\n");
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 3, Patience);
        QCOMPARE(textOf(&model, 1), u"two"_s);
        QCOMPARE(textOf(&model, 2), u"bad"_s);
        QCOMPARE(model.row(2)->channel, Channel::Stderr);
        QCOMPARE(files.reads, 0);
        QCOMPARE(changed.size(), 1);
        QVERIFY(model.isSettled());
    }

    void whatIsNotAtHandIsRead()
    {
        Files files;
        for (int i = 0; i < 60'000; ++i)
            files.bytes[0] += "line " + QByteArray::number(i) + "\n";
        OutputModel model;
        model.reset(files.reader());
        model.addPiece(Channel::Stdout, 0, files.bytes[0].size(), {});
        model.finish();
        QSignalSpy loaded(&model, &OutputModel::loaded);
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 60'000, Patience);
        QCOMPARE(textOf(&model, 59'999), u"line 59999"_s); // The end is at hand.
        QCOMPARE(textOf(&model, 17), u"?"_s);
        QTRY_COMPARE_WITH_TIMEOUT(loaded.size(), 1, Patience);
        QCOMPARE(textOf(&model, 17), u"line 17"_s);
        QVERIFY(model.memoryBytes() < 8'000'000);
    }

    void theQueueIsBounded()
    {
        Files files;
        OutputModel model;
        model.reset(files.reader());
        const QByteArray piece = QByteArray("0123456789abcde\n").repeated(64 * 1024); // 1 MiB
        qint64 offset = 0;
        for (int i = 0; i < 40; ++i) {
            files.bytes[0] += piece;
            model.addPiece(Channel::Stdout, offset, piece.size(), piece);
            offset += piece.size();
        }
        QVERIFY(model.memoryBytes() <= OutputModel::MostQueued + 1'000'000);
        QTRY_COMPARE_WITH_TIMEOUT(model.store().byteCount(), offset, Patience);
        QCOMPARE(model.rowCount(), offset / 16);
        QCOMPARE(textOf(&model, model.rowCount() - 1), u"0123456789abcde"_s);
    }

    void bytesThatAreNotOnTheDiskYetAreWaitedFor()
    {
        Files files;
        files.bytes[0] = "one\n";
        OutputModel model;
        model.reset(files.reader());
        model.addPiece(Channel::Stdout, 0, 8, {});
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, Patience);
        QVERIFY(!model.isSettled());
        files.bytes[0] += "two\n";
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, Patience);
        QCOMPARE(textOf(&model, 1), u"two"_s);
    }

    void whatWasMissedIsRead()
    {
        Files files;
        files.bytes[0] = "one\ntwo\nthree\n";
        OutputModel model;
        model.reset(files.reader());
        model.addPiece(Channel::Stdout, 0, 4, "one\n");
        model.addPiece(Channel::Stdout, 0, 4, "one\n"); // Told twice.
        model.addPiece(Channel::Stdout, 8, 6, "three\n");
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 3, Patience);
        QCOMPARE(textOf(&model, 0), u"one"_s);
        QCOMPARE(textOf(&model, 1), u"two"_s);
        QCOMPARE(textOf(&model, 2), u"three"_s);
    }

    void aProblemIsToldOnceAndEndsTheReading()
    {
        Files files;
        files.fails = true;
        OutputModel model;
        model.reset(files.reader());
        QSignalSpy failed(&model, &OutputModel::readFailed);
        model.addPiece(Channel::Stdout, 0, 8, {});
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(model.isSettled(), Patience);
        QVERIFY(model.readError().has_value());
    }

    void answersToAnOlderOutputAreDropped()
    {
        Files files;
        files.bytes[0] = "old\n";
        OutputModel model;
        model.reset(files.reader());
        model.addPiece(Channel::Stdout, 0, 4, {});
        model.setText("new\n");
        QCOMPARE(model.rowCount(), 1);
        QCoreApplication::processEvents();
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(textOf(&model, 0), u"new"_s);
    }

    void textIsCopiedAsShown()
    {
        OutputModel model;
        model.setText("one\n\x1b[31mtwo\x1b[0m \u6f22x\nthree\n");
        QString got;
        auto *copier = new OutputCopier(&model, {0, 1}, {1, 6});
        connect(copier, &OutputCopier::finished, this, [&](const QString &text, bool) { got = text; });
        QTRY_COMPARE_WITH_TIMEOUT(got, u"ne\ntwo \u6f22"_s, Patience);
    }

    void aHugeCopyIsCutAndSaysSo()
    {
        Files files;
        files.bytes[0] = QByteArray(QByteArray(1000, 'x') + '\n').repeated(12'000);
        OutputModel model;
        model.reset(files.reader());
        model.addPiece(Channel::Stdout, 0, files.bytes[0].size(), {});
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 12'000, Patience);
        qsizetype size = 0;
        bool cut = false;
        auto *copier = new OutputCopier(&model, {}, {12'000, 0});
        connect(copier, &OutputCopier::finished, this, [&](const QString &text, bool isCut) {
            size = text.size();
            cut = isCut;
        });
        QTRY_VERIFY_WITH_TIMEOUT(size > 0, Patience);
        QVERIFY(cut);
        QVERIFY(size < OutputCopier::LongestText + 10'000);
        QVERIFY(model.memoryBytes() < 10'000'000);
    }

    void wrapping_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("columns");
        QTest::addColumn<QList<int>>("starts");
        QTest::newRow("fits") << QByteArray("one two") << 7 << QList<int>{0};
        QTest::newRow("at a space") << QByteArray("one two three") << 8 << QList<int>{0, 8};
        QTest::newRow("before a word") << QByteArray("one two three") << 10 << QList<int>{0, 8};
        QTest::newRow("a long word") << QByteArray("abcdefghij") << 4 << QList<int>{0, 4, 8};
        QTest::newRow("wide") << QByteArray("\u6f22\u5b57 ab cd") << 6 << QList<int>{0, 5};
        QTest::newRow("empty") << QByteArray("\n") << 6 << QList<int>{0};
    }
    void wrapping()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, columns);
        OutputModel model;
        model.setText(text);
        const std::vector<int> starts = wrapStarts(*model.row(0), columns);
        QTEST(QList<int>(starts.cbegin(), starts.cend()), "starts");
    }
};

QTEST_GUILESS_MAIN(TestOutputModel)
#include "tst_outputmodel.moc"
