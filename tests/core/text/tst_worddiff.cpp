// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "text/worddiff.h"

#include <QElapsedTimer>
#include <QStringList>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

QStringList parts(const QString &text, const QList<WordDiff::Range> &ranges)
{
    QStringList out;
    for (const WordDiff::Range &range : ranges)
        out.append(text.mid(range.start, range.length));
    return out;
}

} // namespace

class TestWordDiff : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void words_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QStringList>("removed");
        QTest::addColumn<QStringList>("added");
        QTest::newRow("equal") << u"git push"_s << u"git push"_s << QStringList() << QStringList();
        QTest::newRow("an option") << u"git push --force-with-lease origin HEAD:fix"_s
                                   << u"git push --dry-run origin HEAD:fix"_s
                                   << QStringList{u"--force-with-lease"_s} << QStringList{u"--dry-run"_s};
        QTest::newRow("added at the end")
            << u"make"_s << u"make -n all"_s << QStringList() << QStringList{u"-n all"_s};
        QTest::newRow("two places") << u"a b c d e"_s << u"a x c e f"_s << QStringList{u"b"_s, u"d"_s}
                                    << QStringList{u"x"_s, u"f"_s};
        QTest::newRow("borders") << u"rm a;ls"_s << u"rm b;ls"_s << QStringList{u"a"_s}
                                 << QStringList{u"b"_s};
        QTest::newRow("white space only") << u"a  b"_s << u"a b"_s << QStringList() << QStringList();
        QTest::newRow("all") << u"a b"_s << QString() << QStringList{u"a b"_s} << QStringList();
        QTest::newRow("a word again") << u"x x"_s << u"x x x"_s << QStringList() << QStringList{u"x"_s};
    }
    void words()
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        const WordDiff diff = wordDiff(before, after);
        QTEST(parts(before, diff.removed), "removed");
        QTEST(parts(after, diff.added), "added");
    }

    void isBounded()
    {
        QString before = u"same "_s;
        QString after = u"same "_s;
        for (int i = 0; i < 100'000; ++i) {
            before += u"a%1 "_s.arg(i);
            after += u"b%1 "_s.arg(i);
        }
        QElapsedTimer timer;
        timer.start();
        const WordDiff diff = wordDiff(before, after);
        QVERIFY(timer.elapsed() < 2000);
        QCOMPARE(diff.removed.size(), 1);
        QCOMPARE(diff.removed.first().start, 5);
        QCOMPARE(diff.added.size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestWordDiff)
#include "tst_worddiff.moc"
