// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "text/excerpt.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestExcerpt : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void shortOutputIsWhole()
    {
        Excerpt excerpt(10, 10);
        excerpt.append("0123456789");
        excerpt.append("abcdefghij");
        QVERIFY(!excerpt.isTruncated());
        QCOMPARE(excerpt.toText(), u"0123456789abcdefghij"_s);
    }

    void longOutputKeepsHeadAndTail()
    {
        Excerpt excerpt(4, 4);
        for (int i = 0; i < 1000; ++i)
            excerpt.append("x");
        excerpt.append("tail");
        QCOMPARE(excerpt.totalBytes(), 1004);
        QCOMPARE(excerpt.leftOutBytes(), 996);
        QCOMPARE(excerpt.toText(), u"xxxx\n[… 996 bytes left out here …]\ntail"_s);
    }

    void charactersAreNotCut()
    {
        Excerpt excerpt(5, 5); // Each é is two bytes: both borders fall into a character.
        excerpt.append(QString(100, u'é').toUtf8());
        const QString text = excerpt.toText();
        QVERIFY(!text.contains(QChar::ReplacementCharacter));
        QVERIFY(text.startsWith(u"éé\n"_s));
        QVERIFY(text.endsWith(u"\néé"_s));
        QVERIFY(text.contains(u"192 bytes"_s));
    }

    void anySplitGivesTheSame()
    {
        QByteArray bytes;
        for (int i = 0; i < 500; ++i)
            bytes += "line " + QByteArray::number(i) + " ünïcode \xff\n";
        Excerpt whole(100, 60);
        whole.append(bytes);
        for (const int size : {1, 7, 64, 1000}) {
            Excerpt pieces(100, 60);
            for (qsizetype at = 0; at < bytes.size(); at += size)
                pieces.append(QByteArrayView(bytes).sliced(at, std::min<qsizetype>(size, bytes.size() - at)));
            QCOMPARE(pieces.toText(), whole.toText());
            QCOMPARE(pieces.leftOutBytes(), whole.leftOutBytes());
        }
    }
};

QTEST_GUILESS_MAIN(TestExcerpt)
#include "tst_excerpt.moc"
