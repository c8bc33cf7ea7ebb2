// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/apierror.h"
#include "net/backoff.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using Category = ApiError::Category;

namespace {

ApiError makeError(Category category, bool retryable = true)
{
    ApiError error;
    error.category = category;
    error.retryable = retryable;
    return error;
}

} // namespace

class TestBackoff : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void attempts()
    {
        QCOMPARE(Backoff::attemptsFor(makeError(Category::RateLimit)), 5);
        QCOMPARE(Backoff::attemptsFor(makeError(Category::Overloaded)), 5);
        QCOMPARE(Backoff::attemptsFor(makeError(Category::Server)), 3);
        QCOMPARE(Backoff::attemptsFor(makeError(Category::Timeout)), 3);
        QCOMPARE(Backoff::attemptsFor(makeError(Category::Truncated)), 3);
        QCOMPARE(Backoff::attemptsFor(makeError(Category::Auth, false)), 1);
        QCOMPARE(Backoff::attemptsFor(makeError(Category::Overloaded, false)), 1); // x-should-retry: false
    }

    void growsToALimit_data()
    {
        QTest::addColumn<int>("category");
        QTest::addColumn<int>("attempt");
        QTest::addColumn<qint64>("most");
        const auto row = [](const char *name, Category category, int attempt, qint64 most) {
            QTest::newRow(name) << static_cast<int>(category) << attempt << most;
        };
        row("first", Category::Server, 1, 500);
        row("second", Category::Server, 2, 1000);
        row("sixth", Category::Server, 6, 16'000);
        row("limit", Category::Server, 7, 30'000);
        row("no overflow", Category::Server, 1'000'000, 30'000);
        row("nonsense", Category::Server, -3, 500);
        row("overload starts later", Category::Overloaded, 1, 2000);
        row("overload doubles", Category::Overloaded, 3, 8000);
    }
    void growsToALimit()
    {
        QFETCH(int, category);
        QFETCH(int, attempt);
        QFETCH(qint64, most);
        qint64 lowest = most;
        qint64 highest = 0;
        for (int i = 0; i < 2000; ++i) {
            const qint64 wait = Backoff::waitMs(makeError(static_cast<Category>(category)), attempt);
            lowest = qMin(lowest, wait);
            highest = qMax(highest, wait);
        }
        QVERIFY(highest <= most);
        QVERIFY(lowest >= most - most / 4);
        QVERIFY(highest - lowest > most / 8); // it does vary
    }

    void theServicesWishCounts()
    {
        ApiError error = makeError(Category::RateLimit);
        error.retryAfterMs = 7000;
        QCOMPARE(Backoff::waitMs(error, 1), 7000);
        QCOMPARE(Backoff::waitMs(error, 4), 7000);
        error.retryAfterMs = -5;
        QCOMPARE(Backoff::waitMs(error, 1), 0);
    }

    void control()
    {
        ApiError error = makeError(Category::Server);
        error.status = 503;
        error.retryAfterMs = 7000; // not honoured here
        for (int i = 0; i < 500; ++i) {
            const qint64 wait = Backoff::controlWaitMs(error, 2);
            QVERIFY(wait >= 160 && wait <= 240);
        }
        QVERIFY(Backoff::controlWaitMs(error, 60) <= 30'000);
        error.status = 429;
        QCOMPARE(Backoff::controlWaitMs(error, 1), 7000);
        error.retryAfterMs = 90'000;
        QCOMPARE(Backoff::controlWaitMs(error, 1), 30'000);
    }

    void retryAfter_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<qint64>("ms"); // -1: empty
        const auto row = [](const char *value, qint64 ms) {
            QTest::newRow(value) << QByteArray(value) << ms;
        };
        row("7", 7000);
        row(" 0 ", 0);
        row("86401", 86'400'000);
        row("99999999999999999999", 86'400'000);
        row("-1", -1);
        row("", -1);
        row("soon", -1);
        row("1.5s", -1);
        row("Sun, 29 Nov 2026 12:00:07 GMT", 7000);
        row("Sun, 29 Nov 2026 11:59:59 GMT", -1);
        row("Sun, 29 Nov 2026 12:00:07 UTC", -1);
        row("Mon, 29 Nov 2027 12:00:07 GMT", 86'400'000);
        row("Sun, 32 Nov 2026 12:00:07 GMT", -1);
    }
    void retryAfter()
    {
        QFETCH(QByteArray, value);
        QFETCH(qint64, ms);
        constexpr qint64 Noon = 1'795'953'600'000; // 2026-11-29 12:00:00 UTC
        QCOMPARE(Backoff::retryAfterMs(value, Noon).value_or(-1), ms);
    }
};

QTEST_GUILESS_MAIN(TestBackoff)
#include "tst_backoff.moc"
