// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/engine/manystreams.h"
#include "support/testmain.h"

#include <QTest>

#include <algorithm>

using namespace Pilothouse;
using namespace Pilothouse::Tests;

/// Coarse, for any machine; the figure itself is measured by the bench.
class TestManyStreams : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void controlCallsAreAnsweredWhileFiftyModelsWrite()
    {
        constexpr int Streams = 50;
        constexpr int Calls = 50;
        const ManyStreams seen = runManyStreams(Streams, 50, Calls);
        QVERIFY2(seen.problem.isEmpty(), qPrintable(seen.problem));
        QCOMPARE(seen.writing, Streams);
        QCOMPARE(seen.callsMs.size(), Calls);
        const double longest = *std::max_element(seen.callsMs.begin(), seen.callsMs.end());
        QVERIFY2(longest < 2000, QByteArray::number(longest).constData());
        QVERIFY2(seen.tokensPerSecond > 100, QByteArray::number(seen.tokensPerSecond).constData());
    }
};

QTEST_GUILESS_MAIN(TestManyStreams)
#include "tst_manystreams.moc"
