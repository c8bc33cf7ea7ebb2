// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "transcript/rowpages.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

TranscriptRow row(int place, qsizetype length = 10)
{
    TranscriptRow made;
    made.row = place + 1;
    made.kind = TranscriptRow::Kind::Text;
    made.closed = true;
    made.text = QString(length, u'x');
    return made;
}

bool never(const TranscriptRow &) { return false; }

} // namespace

class TestRowPages : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void stubsHaveTheirNumbers()
    {
        RowPages pages;
        pages.resize(130);
        QCOMPARE(pages.count(), 130);
        for (const int place : {0, 63, 64, 129}) {
            QVERIFY(!pages.isHere(place));
            QCOMPARE(pages.at(place).row, place + 1);
            QVERIFY(pages.at(place).text.isEmpty());
        }
        pages.set(row(64));
        QVERIFY(pages.isHere(64));
        QVERIFY(!pages.isHere(65));
        QVERIFY(!pages.isHere(-1));
        QVERIFY(!pages.isHere(130));
        QCOMPARE(pages.at(64).text.size(), 10);
        pages.set(row(500)); // Not a place.
        QCOMPARE(pages.held(), 1);
        pages.resize(64);
        QCOMPARE(pages.held(), 0);
        pages.resize(65);
        QVERIFY(!pages.isHere(64));
        QVERIFY(pages.at(64).text.isEmpty());
    }

    void absentRowsComeAPageAtATime()
    {
        RowPages pages;
        pages.resize(200);
        QVERIFY(pages.absent(10, 20) == RowPages::Range(0, 63));
        QVERIFY(pages.absent(70, 150) == RowPages::Range(64, 127));
        QVERIFY(pages.absent(195, 400) == RowPages::Range(192, 199));
        for (int place = 150; place < 200; ++place)
            pages.set(row(place));
        QVERIFY(pages.absent(140, 199) == RowPages::Range(128, 149));
        QVERIFY(!pages.absent(150, 199).has_value());
        QVERIFY(pages.areHere(150, 199));
        QVERIFY(!pages.areHere(149, 199));
        pages.drop(160);
        QVERIFY(pages.absent(150, 199) == RowPages::Range(160, 160));
        QVERIFY(!pages.absent(-40, -1).has_value());
        pages.setMissing(160); // It is known that there is none.
        QVERIFY(pages.areHere(150, 199));
    }

    void farRowsAreDropped()
    {
        RowPages pages;
        const int count = RowPages::MostRows + 10 * RowPages::PageRows;
        pages.resize(count);
        for (int place = 0; place < count; ++place)
            pages.set(row(place));
        const QList<RowPages::Range> dropped = pages.trim(count - 10, count - 1, never);
        QVERIFY(!dropped.isEmpty());
        QVERIFY(pages.held() <= RowPages::MostRows);
        QVERIFY(pages.held() > RowPages::MostRows - RowPages::PageRows); // Not more than it has to.
        QVERIFY(!pages.isHere(0)); // The farthest.
        QVERIFY(pages.areHere(count - 1000, count - 1));
        QVERIFY(pages.trim(count - 10, count - 1, never).isEmpty());
    }

    void longTextsAreDroppedSooner()
    {
        RowPages pages;
        pages.resize(1000);
        for (int place = 0; place < 1000; ++place)
            pages.set(row(place, 20'000)); // 20 million units.
        Q_UNUSED(pages.trim(500, 510, never));
        QVERIFY(pages.held() * 20'000 <= RowPages::MostText);
        QVERIFY(pages.areHere(450, 560));
        QVERIFY(!pages.isHere(0));
        QVERIFY(!pages.isHere(999));
        // Whatever bounds say, what is kept is kept.
        for (int place = 0; place < 1000; ++place)
            pages.set(row(place, 20'000));
        const auto isFirst = [](const TranscriptRow &row) { return row.row == 1; };
        Q_UNUSED(pages.trim(500, 510, isFirst));
        QVERIFY(pages.isHere(0));
        QVERIFY(!pages.isHere(RowPages::PageRows));
    }

    void aNumberThatIsDamageDoesNotTakeMemory()
    {
        RowPages pages;
        pages.resize(std::numeric_limits<int>::max());
        QCOMPARE(pages.count(), RowPages::MostCount);
    }
};

QTEST_MAIN(TestRowPages)
#include "tst_rowpages.moc"
