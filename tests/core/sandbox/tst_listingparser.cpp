// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/listingparser.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

QByteArray record(const QByteArray &name, char type = 'f', const QByteArray &target = {})
{
    return QByteArray(1, type) + " 12 1700000000.5 1700000001.25 -1.-000000010 644 " + name + '\0' + target
        + '\0';
}

QByteArray end(int code = 0)
{
    return "rc " + QByteArray::number(code) + " 1700000009.75" + QByteArray(1, '\0');
}

QByteArray encoded(const QByteArray &text) { return text.toBase64(); }

} // namespace

class TestListingParser : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void anySplitGivesTheSame()
    {
        const QByteArray odd = "-rf a\nb \xFF\xE2\x80\xAE";
        const QByteArray text = QByteArray(record(odd) + record("link", 'l', "../x y")
                                           + record(QByteArray(255, 'n'), 'd') + end())
                                    .toBase64();
        for (const qsizetype size : {1, 2, 3, 5, 7, 64, 100000}) {
            ListingParser parser(ListingParser::Names::OneFolder);
            QList<FileEntry> entries;
            for (qsizetype at = 0; at < text.size(); at += size)
                entries += parser.feed(text.mid(at, size));
            QCOMPARE(entries.size(), 3);
            QCOMPARE(entries[0].name, odd);
            QCOMPARE(entries[0].size, 12);
            QCOMPARE(entries[0].modified, 1700000000.5);
            QCOMPARE(entries[0].changed, 1700000001.25);
            QCOMPARE(entries[0].born, 0.0); // Not known.
            QCOMPARE(entries[0].mode, 0644);
            QCOMPARE(entries[1].linkTarget, QByteArray("../x y"));
            QCOMPARE(entries[2].type, u'd');
            QVERIFY(parser.isComplete());
            QCOMPARE(parser.machineClock(), 1700000009.75);
        }
    }

    void whatIsCutOrDamagedIsNeverComplete()
    {
        ListingParser cut(ListingParser::Names::OneFolder);
        QCOMPARE(cut.feed(encoded(record("a") + record("b"))).size(), 2);
        QVERIFY(!cut.isComplete());

        ListingParser failed(ListingParser::Names::OneFolder);
        QCOMPARE(failed.feed(encoded(record("a") + end(1))).size(), 1);
        QVERIFY(failed.sawEnd());
        QVERIFY(!failed.isComplete());

        ListingParser noBase64(ListingParser::Names::OneFolder);
        QVERIFY(noBase64.feed("<html>*</html>!!").isEmpty());
        QVERIFY(noBase64.overflowed());
        QVERIFY(!noBase64.isComplete());

        ListingParser after(ListingParser::Names::OneFolder);
        QCOMPARE(after.feed(encoded(end() + record("late"))).size(), 0);
        QVERIFY(!after.isComplete());
    }

    void namesThatWouldLeaveTheFolderAreDropped()
    {
        ListingParser parser(ListingParser::Names::OneFolder);
        const QList<FileEntry> entries =
            parser.feed(encoded(record("../../x") + record("..") + record(".") + record("/etc/passwd")
                                + record("") + record("good") + end()));
        QCOMPARE(entries.size(), 1);
        QCOMPARE(entries.first().name, QByteArray("good"));
        QVERIFY(!parser.isComplete());

        ListingParser tree(ListingParser::Names::Tree);
        const QList<FileEntry> below =
            tree.feed(encoded(record("a/b/c") + record("a/../c") + record("/a") + record("a//b") + end()));
        QCOMPARE(below.size(), 1);
        QCOMPARE(below.first().name, QByteArray("a/b/c"));
    }

    void aRecordWithoutEndIsGivenUp()
    {
        ListingParser parser(ListingParser::Names::OneFolder);
        for (int i = 0; i < 20 && !parser.overflowed(); ++i)
            QVERIFY(parser.feed(QByteArray(9000, 'Q')).isEmpty());
        QVERIFY(parser.overflowed());
        QVERIFY(!parser.isComplete());
    }
};

QTEST_GUILESS_MAIN(TestListingParser)
#include "tst_listingparser.moc"
