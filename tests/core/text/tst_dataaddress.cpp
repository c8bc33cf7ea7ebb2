// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "text/dataaddress.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestDataAddress : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void placesAreFound()
    {
        const QString text = u"a [x](b) ![p](DATA:image/png;base64,AAAA) and ![q](data:x"_s;
        const auto first = findDataAddress(text);
        QVERIFY(first && first->closed);
        QCOMPARE(text.mid(first->begin, first->end - first->begin), u"DATA:image/png;base64,AAAA"_s);
        const auto second = nthDataAddress(text, 1);
        QVERIFY(second && !second->closed);
        QCOMPARE(text.mid(second->begin), u"data:x"_s);
        QVERIFY(!nthDataAddress(text, 2));
        QVERIFY(!findDataAddress(u"![x](http://host/data:y) ](dat"_s));
    }

    void onlyTheBeginIsKept()
    {
        const QString text = u"one ![p](data:image/png;base64,"_s + QString(1000, u'A') + u") two"_s;
        QCOMPARE(shortenDataAddresses(text, 22, 500, u"…"), u"one ![p](data:image/png;base64,…) two"_s);
        QCOMPARE(shortenDataAddresses(text, 22, 20, u"…").size(), 20);
        QCOMPARE(shortenDataAddresses(text, 22, 5000, u"…", 5000), text);
    }

    // Wherever a text is cut into pieces, what has to be looked at again is found.
    void theOpenEnd()
    {
        const QString text = u"one ![p](data:abc) ![q](data:defg"_s;
        const qsizetype open = text.indexOf(u"](data:defg"_s);
        for (qsizetype end = open + 1; end <= text.size(); ++end)
            QCOMPARE(openDataAddress(QStringView(text).left(end)), open);
        QCOMPARE(openDataAddress(QStringView(text).left(open)), open);
        QCOMPARE(openDataAddress(u"a](b"), qsizetype(4));
        QCOMPARE(openDataAddress(u""), qsizetype(0));
        const QString far = u"](data:"_s + QString(DataAddress::Kept * 2, u'A');
        QCOMPARE(openDataAddress(far), far.size());
    }
};

QTEST_GUILESS_MAIN(TestDataAddress)
#include "tst_dataaddress.moc"
