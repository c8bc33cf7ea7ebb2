// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "net/wakewatch.h"
#include "support/loopbackserver.h"
#include "support/sleepyclock.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <memory>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int Patience = 10'000;
constexpr qint64 NinetyMinutes = 90LL * 60 * 1000;

} // namespace

/// The lid closes and opens again: what is noticed, when, and what becomes of open connections.
class TestWake : public Tests::Test {
    Q_OBJECT
    std::shared_ptr<SleepyClock> m_clock;
    RouteState m_routes;
    int m_looks = 0;

    NetworkSetup setup()
    {
        NetworkSetup made;
        made.clock = m_clock;
        made.routes = [this] {
            ++m_looks;
            return m_routes;
        };
        made.watchInterval = 50ms;
        made.checksLoopback = true;
        return made;
    }
    static RequestSpec streamOf(const LoopbackServer &server)
    {
        RequestSpec spec;
        spec.method = "POST";
        spec.body = "{}";
        spec.repeatable = false;
        spec.stream = true;
        spec.url = server.url("/stream");
        spec.silenceAfterWake = 400ms;
        return spec;
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        m_clock = std::make_shared<SleepyClock>();
        m_routes = {u"192.0.2.9"_s, {}};
        m_looks = 0;
    }

    void noticed_data()
    {
        QTest::addColumn<qint64>("slept");
        QTest::addColumn<QString>("v4");
        QTest::addColumn<QString>("v6");
        QTest::addColumn<int>("noticed");
        QTest::addColumn<int>("reachable");
        const QString same = u"192.0.2.9"_s;
        QTest::newRow("nothing") << qint64(0) << same << u""_s << 0 << 0;
        QTest::newRow("clock corrected") << qint64(2000) << same << u""_s << 0 << 0;
        QTest::newRow("clock set back") << qint64(-NinetyMinutes) << same << u""_s << 0 << 0;
        QTest::newRow("slept") << NinetyMinutes << same << u""_s << 1 << 1;
        QTest::newRow("slept, no network yet") << NinetyMinutes << u""_s << u""_s << 1 << 0;
        QTest::newRow("other address") << qint64(0) << u"198.51.100.7"_s << u""_s << 1 << 1;
        QTest::newRow("one family only") << qint64(0) << u""_s << u"2001:db8::7"_s << 1 << 1;
        QTest::newRow("a second family") << qint64(0) << same << u"2001:db8::7"_s << 0 << 0;
        QTest::newRow("network gone") << qint64(0) << u""_s << u""_s << 0 << 0;
    }
    void noticed()
    {
        QFETCH(qint64, slept);
        QFETCH(QString, v4);
        QFETCH(QString, v6);
        WakeWatch watch(
            m_clock, [this] { return m_routes; }, 50ms);
        watch.check();
        QSignalSpy noticed(&watch, &WakeWatch::noticed);
        QSignalSpy reachable(&watch, &WakeWatch::reachable);
        m_clock->sleep(slept);
        m_routes = {v4, v6};
        watch.check();
        QTEST(int(noticed.size()), "noticed");
        QTEST(int(reachable.size()), "reachable");
        watch.check(); // Once is enough.
        QTEST(int(noticed.size()), "noticed");
        QTEST(int(reachable.size()), "reachable");
        if (v4.isEmpty() && v6.isEmpty()) {
            const qsizetype before = reachable.size();
            m_routes = {u"192.0.2.9"_s, {}};
            watch.check();
            QCOMPARE(reachable.size(), before + noticed.size());
        }
    }

    /// A network without a way out of it: silence means something at once.
    void networkOfItsOwn()
    {
        m_routes = {};
        WakeWatch watch(
            m_clock, [this] { return m_routes; }, 50ms);
        watch.check();
        QSignalSpy reachable(&watch, &WakeWatch::reachable);
        m_clock->sleep(NinetyMinutes);
        watch.check();
        QCOMPARE(reachable.size(), 1);
    }

    /// An idle program wakes nobody up: it looks when something begins, not before.
    void nothingRunsWhenNothingIsInFlight()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200);
            connection->sendChunk("x");
        });
        NetworkAccess network(setup());
        QCOMPARE(network.findChildren<QTimer *>().size(), 0);
        const int before = m_looks;
        RequestSpec spec = streamOf(server);
        HttpJob *job = network.start(spec, Lane::Stream, this);
        QTRY_VERIFY_WITH_TIMEOUT(m_looks >= before + 4, Patience); // It looks while the stream is open.
        job->abandon();
        QCoreApplication::processEvents();
        QSignalSpy never(&network, &NetworkAccess::connectionsInDoubt);
        const int after = m_looks;
        QTimer other; // Long enough for several looks.
        QSignalSpy passed(&other, &QTimer::timeout);
        other.start(400ms);
        QTRY_COMPARE_WITH_TIMEOUT(passed.size(), 1, Patience);
        QCOMPARE(m_looks, after);
        m_clock->sleep(NinetyMinutes);
        QCOMPARE(never.size(), 0);
    }

    /// With the real intervals: in doubt within 5 s of waking, and soon after that it is known.
    void silentStreamEndsSoon()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200);
            connection->sendChunk("data: 1\n\n");
        });
        NetworkSetup real = setup();
        real.watchInterval = NetworkSetup().watchInterval;
        NetworkAccess network(real);
        RequestSpec spec = streamOf(server);
        spec.silenceAfterWake = 3s; // As of answers of models.
        HttpJob *job = network.start(spec, Lane::Stream, this);
        QSignalSpy body(job, &HttpJob::bodyReceived);
        std::optional<ApiError> error;
        connect(job, &HttpJob::finished, this, [&] { error = job->error(); });
        QTRY_COMPARE_WITH_TIMEOUT(body.size(), 1, Patience);
        QSignalSpy doubt(&network, &NetworkAccess::connectionsInDoubt);
        QSignalSpy settled(&network, &NetworkAccess::connectionsSettled);
        QElapsedTimer since;
        since.start();
        m_clock->sleep(NinetyMinutes);
        m_routes = {u"198.51.100.7"_s, {}};
        QTRY_COMPARE_WITH_TIMEOUT(doubt.size(), 1, Patience);
        QVERIFY2(since.elapsed() < 3000, qPrintable(QString::number(since.elapsed())));
        QVERIFY(doubt.constFirst().constFirst().value<std::chrono::milliseconds>() > 89min);
        QTRY_VERIFY_WITH_TIMEOUT(error.has_value(), Patience);
        QVERIFY2(since.elapsed() < 7000, qPrintable(QString::number(since.elapsed())));
        QCOMPARE(categoryName(error->category), u"truncated"_s);
        QVERIFY(error->retryable);
        QVERIFY(error->partial);
        QVERIFY2(error->message.contains(u"sleep"_s), qPrintable(error->message));
        QTRY_COMPARE_WITH_TIMEOUT(settled.size(), 1, Patience);
        QCOMPARE(doubt.size(), 1);
    }

    void streamThatGoesOnIsLeftAlone()
    {
        LoopbackServer server;
        QPointer<LoopbackConnection> open;
        server.setHandler([&open](const LoopbackRequest &, LoopbackConnection *connection) {
            open = connection;
            connection->sendHead(200);
            connection->sendChunk("1");
        });
        NetworkAccess network(setup());
        HttpJob *job = network.start(streamOf(server), Lane::Stream, this);
        QSignalSpy body(job, &HttpJob::bodyReceived);
        QSignalSpy finished(job, &HttpJob::finished);
        std::optional<ApiError> error;
        connect(job, &HttpJob::finished, this, [&] { error = job->error(); });
        QTRY_COMPARE_WITH_TIMEOUT(body.size(), 1, Patience);
        QSignalSpy doubt(&network, &NetworkAccess::connectionsInDoubt);
        QSignalSpy settled(&network, &NetworkAccess::connectionsSettled);
        m_clock->sleep(NinetyMinutes);
        QTRY_COMPARE_WITH_TIMEOUT(doubt.size(), 1, Patience);
        open->sendChunk("2");
        QTRY_COMPARE_WITH_TIMEOUT(settled.size(), 1, Patience);
        QTimer other;
        QSignalSpy passed(&other, &QTimer::timeout);
        other.start(800ms); // Twice the silence that would have ended it.
        QTRY_COMPARE_WITH_TIMEOUT(passed.size(), 1, Patience);
        QCOMPARE(finished.size(), 0);
        open->endChunks();
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
        QVERIFY(!error);
    }

    /// Before the network is back nothing can be told, and nothing is given up.
    void silenceCountsFromWhenTheNetworkIsBack()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200);
            connection->sendChunk("1");
        });
        NetworkAccess network(setup());
        HttpJob *job = network.start(streamOf(server), Lane::Stream, this);
        QSignalSpy body(job, &HttpJob::bodyReceived);
        QSignalSpy finished(job, &HttpJob::finished);
        QTRY_COMPARE_WITH_TIMEOUT(body.size(), 1, Patience);
        QSignalSpy doubt(&network, &NetworkAccess::connectionsInDoubt);
        m_routes = {};
        m_clock->sleep(NinetyMinutes);
        QTRY_COMPARE_WITH_TIMEOUT(doubt.size(), 1, Patience);
        QTimer other;
        QSignalSpy passed(&other, &QTimer::timeout);
        other.start(800ms);
        QTRY_COMPARE_WITH_TIMEOUT(passed.size(), 1, Patience);
        QCOMPARE(finished.size(), 0);
        m_routes = {u"198.51.100.7"_s, {}};
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
        QCOMPARE(doubt.size(), 2); // The address is another one, too.
    }

    void whatCannotBeRepeatedIsUnknown()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *) {});
        NetworkAccess network(setup());
        RequestSpec spec = streamOf(server);
        spec.stream = false;
        HttpJob *job = network.start(spec, Lane::Control, this);
        std::optional<ApiError> error;
        connect(job, &HttpJob::finished, this, [&] { error = job->error(); });
        QTRY_COMPARE_WITH_TIMEOUT(server.requests().size(), 1, Patience);
        m_clock->sleep(NinetyMinutes);
        QTRY_VERIFY_WITH_TIMEOUT(error.has_value(), Patience);
        QCOMPARE(categoryName(error->category), u"network"_s);
        QVERIFY(error->outcomeUnknown);
        QCOMPARE(server.requests().size(), 1);
    }

    /// Connections that were kept for reuse have died without a word; the first message must not go there.
    void nothingIsSentOverConnectionsThatSlept()
    {
        LoopbackServer server;
        server.setHandler(
            [](const LoopbackRequest &, LoopbackConnection *connection) { connection->respond(200, "{}"); });
        NetworkAccess network(setup());
        RequestSpec spec = streamOf(server);
        spec.stream = false;
        const auto call = [&] {
            HttpJob *job = network.start(spec, Lane::Control, this);
            QSignalSpy finished(job, &HttpJob::finished);
            QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, Patience);
        };
        call();
        call();
        QCOMPARE(server.connectionCount(), 1);
        m_clock->sleep(NinetyMinutes);
        call();
        QCOMPARE(server.connectionCount(), 2);
        QCOMPARE(server.requests().size(), 3);
    }

    void thisComputerIsNotWatched()
    {
        LoopbackServer server;
        server.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->sendHead(200);
            connection->sendChunk("1");
        });
        NetworkSetup usual = setup();
        usual.checksLoopback = false;
        NetworkAccess network(usual);
        HttpJob *job = network.start(streamOf(server), Lane::Stream, this);
        QSignalSpy body(job, &HttpJob::bodyReceived);
        QTRY_COMPARE_WITH_TIMEOUT(body.size(), 1, Patience);
        QCOMPARE(m_looks, 0);
        QVERIFY(!network.watch(server.url()));
        job->abandon();
    }

    void routesOfThisComputer()
    {
        const RouteState now = currentRoutes(); // Whatever it is: the same twice, and never loopback.
        const RouteState again = currentRoutes();
        QCOMPARE(again.v4, now.v4);
        QCOMPARE(again.v6, now.v6);
        QVERIFY(!now.v4.startsWith(u"127."_s));
        QVERIFY(now.v6 != u"::1"_s);
    }
};

QTEST_GUILESS_MAIN(TestWake)
#include "tst_wake.moc"
