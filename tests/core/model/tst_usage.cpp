// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/usage.h"
#include "support/testmain.h"

#include <QTest>

#include <limits>

using namespace Pilothouse;

class TestUsage : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void jsonBothWays()
    {
        Usage usage;
        usage.input = 12;
        usage.reasoning = 0;
        const QByteArray json = usage.toJson().toJson();
        QCOMPARE(
            json,
            QByteArray(
                "{\"input\":12,\"output\":null,\"cacheRead\":null,\"cacheWrite\":null,\"reasoning\":0}"));
        QVERIFY(Usage::fromJson(*parseJson(json)) == usage);
        QVERIFY(Usage::fromJson(Json()) == Usage());
        QVERIFY(Usage::fromJson(*parseJson("{\"input\":\"12\",\"output\":1.5}")) == Usage());
    }

    void anUnknownAddendMakesTheSumUnknown()
    {
        Usage first;
        first.input = 5;
        first.output = 1;
        Usage second;
        second.input = 7;
        const Usage sum = Usage::sum({first, second});
        QCOMPARE(sum.input, 12);
        QVERIFY(!sum.output);
        QVERIFY(!sum.cacheRead);
        QVERIFY(Usage::sum({}) == Usage());
        first.input = std::numeric_limits<qint64>::max();
        QVERIFY(!Usage::sum({first, second}).input);
    }
};

QTEST_GUILESS_MAIN(TestUsage)
#include "tst_usage.moc"
