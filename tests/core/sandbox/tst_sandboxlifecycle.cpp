// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/sandbox/sandboxfixture.h"
#include "support/testmain.h"

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

/// One scripted answer: "200 paused" (a sandbox in that state), "409", "204", "202", "410", "lost" (read and
/// closed).
void answer(LoopbackConnection *connection, const QByteArray &script)
{
    if (script == "lost")
        return connection->close();
    const QList<QByteArray> words = script.split(' ');
    const int status = words.constFirst().toInt();
    if (words.size() > 1)
        return connection->respond(status, SandboxFixture::sandbox(words[1]));
    connection->respond(status, status >= 400 ? "{\"error\":{\"code\":\"c\",\"message\":\"m\"}}" : "");
}

} // namespace

/// The algorithms over scripted services. A script is what POST (or DELETE) and what GET answer, one after
/// the other; the last answer of each is repeated.
class TestSandboxLifecycle : public Tests::Test {
    Q_OBJECT

    static void columns()
    {
        QTest::addColumn<QStringList>("acts");
        QTest::addColumn<QStringList>("looks");
        QTest::addColumn<QString>("category");
        QTest::addColumn<int>("actCount"); // -1: not checked
    }

    static void play(SandboxFixture &f, const QStringList &acts, const QStringList &looks)
    {
        f.server.setHandler([acts, looks, act = qsizetype(0), look = qsizetype(0)](
                                const LoopbackRequest &request, LoopbackConnection *connection) mutable {
            const bool looking = request.method == "GET";
            const QStringList &list = looking ? looks : acts;
            qsizetype &at = looking ? look : act;
            answer(connection, list[std::min(at, list.size() - 1)].toLatin1());
            ++at;
        });
    }

    static int acts(const SandboxFixture &f)
    {
        int count = 0;
        for (const LoopbackRequest &request : f.server.requests())
            count += request.method == "GET" ? 0 : 1;
        return count;
    }

private Q_SLOTS:
    void connectTo_data()
    {
        columns();
        const QStringList none = {u"500"_s};
        QTest::newRow("at once") << QStringList{u"200 active"_s} << none << u"ok"_s << 1;
        QTest::newRow("pausing, paused")
            << QStringList{u"409"_s, u"200 active"_s}
            << QStringList{u"200 pausing"_s, u"200 pausing"_s, u"200 paused"_s} << u"ok"_s << 2;
        QTest::newRow("already active")
            << QStringList{u"409"_s, u"200 active"_s} << QStringList{u"200 active"_s} << u"ok"_s << 2;
        QTest::newRow("resuming, active") << QStringList{u"409"_s, u"200 active"_s}
                                          << QStringList{u"200 resuming"_s, u"200 active"_s} << u"ok"_s << 2;
        QTest::newRow("unknown word") << QStringList{u"409"_s, u"200 active"_s}
                                      << QStringList{u"200 hibernating"_s, u"200 paused"_s} << u"ok"_s << 2;
        QTest::newRow("three rounds")
            << QStringList{u"409"_s} << QStringList{u"200 paused"_s} << u"conflict"_s << 3;
        QTest::newRow("failed") << QStringList{u"409"_s} << QStringList{u"200 failed"_s} << u"conflict"_s
                                << 1;
        QTest::newRow("stuck") << QStringList{u"409"_s} << QStringList{u"200 pausing"_s} << u"timeout"_s << 1;
        QTest::newRow("gone") << QStringList{u"404"_s} << none << u"not_found"_s << 1;
        QTest::newRow("gone while waiting")
            << QStringList{u"409"_s} << QStringList{u"200 pausing"_s, u"404"_s} << u"not_found"_s << 1;
        QTest::newRow("lost") << QStringList{u"410"_s} << none << u"gone"_s << 1;
        QTest::newRow("limit") << QStringList{u"429"_s} << none << u"rate_limit"_s << 1;
        QTest::newRow("no capacity") << QStringList{u"503"_s} << none << u"overloaded"_s << 1;
    }
    void connectTo()
    {
        QFETCH(QStringList, acts);
        QFETCH(QStringList, looks);
        QFETCH(int, actCount);
        SandboxFixture f;
        play(f, acts, looks);
        Got<SandboxInfo> got;
        f.client->activate(u"sb-1"_s, &f.context, got.reply());
        QTRY_COMPARE(got.count, 1);
        QTEST(got.category(), "category");
        QCOMPARE(this->acts(f), actCount);
    }

    void pause_data()
    {
        columns();
        const QStringList none = {u"500"_s};
        const QStringList paused = {u"200 paused"_s};
        QTest::newRow("204: done, nothing is asked") << QStringList{u"204"_s} << none << u"ok"_s << 1;
        QTest::newRow("202, not yet")
            << QStringList{u"202"_s} << QStringList{u"200 pausing"_s, u"200 active"_s, u"200 paused"_s}
            << u"ok"_s << 1;
        QTest::newRow("202") << QStringList{u"202"_s}
                             << QStringList{u"200 active"_s, u"200 pausing"_s, u"200 paused"_s} << u"ok"_s
                             << 1;
        QTest::newRow("deleted when it pauses")
            << QStringList{u"202"_s} << QStringList{u"200 pausing"_s, u"404"_s} << u"ok"_s << 1;
        QTest::newRow("deleted state")
            << QStringList{u"202"_s} << QStringList{u"200 deleted"_s} << u"ok"_s << 1;
        QTest::newRow("gone already") << QStringList{u"404"_s} << none << u"not_found"_s << 1;
        QTest::newRow("fails") << QStringList{u"202"_s} << QStringList{u"200 pausing"_s, u"200 failed"_s}
                               << u"conflict"_s << 1;
        QTest::newRow("stays active")
            << QStringList{u"202"_s} << QStringList{u"200 active"_s} << u"conflict"_s << 1;
        QTest::newRow("stuck") << QStringList{u"202"_s} << QStringList{u"200 pausing"_s} << u"timeout"_s << 1;
        QTest::newRow("paused already") << QStringList{u"409"_s} << paused << u"ok"_s << 1;
        QTest::newRow("pausing already")
            << QStringList{u"409"_s} << QStringList{u"200 pausing"_s, u"200 paused"_s} << u"ok"_s << 1;
        QTest::newRow("resuming") << QStringList{u"409"_s, u"204"_s}
                                  << QStringList{u"200 resuming"_s, u"200 active"_s, u"200 paused"_s}
                                  << u"ok"_s << 2;
        QTest::newRow("refused for ever")
            << QStringList{u"409"_s} << QStringList{u"200 active"_s} << u"conflict"_s << 3;
        QTest::newRow("lost machine") << QStringList{u"410"_s} << none << u"gone"_s << 1;
        QTest::newRow("key") << QStringList{u"401"_s} << none << u"auth"_s << 1;
        // The answer is lost, the pause happened. (Qt itself repeats a bodyless POST; that is harmless, hence
        // no count.)
        QTest::newRow("lost answer") << QStringList{u"lost"_s}
                                     << QStringList{u"200 pausing"_s, u"200 paused"_s} << u"ok"_s << -1;
        QTest::newRow("gateway gave up")
            << QStringList{u"504"_s} << QStringList{u"200 pausing"_s, u"200 paused"_s} << u"ok"_s << 1;
        QTest::newRow("gateway gave up, nothing happened")
            << QStringList{u"504"_s} << QStringList{u"200 active"_s} << u"timeout"_s << 1;
    }
    void pause()
    {
        QFETCH(QStringList, acts);
        QFETCH(QStringList, looks);
        QFETCH(int, actCount);
        SandboxFixture f;
        play(f, acts, looks);
        Got<Done> got;
        f.client->pause(u"sb-1"_s, &f.context, got.reply());
        QTRY_COMPARE(got.count, 1);
        QTEST(got.category(), "category");
        if (actCount >= 0)
            QCOMPARE(this->acts(f), actCount);
        QVERIFY(!f.server.requests()[0].hasHeader("Prefer"));
        QCOMPARE(f.server.requests()[0].header("Content-Length"), QByteArray("0"));
    }

    void remove_data()
    {
        columns();
        QTest::newRow("204") << QStringList{u"204"_s} << QStringList{u"500"_s} << u"ok"_s << 1;
        QTest::newRow("404") << QStringList{u"404"_s} << QStringList{u"500"_s} << u"ok"_s << 1;
        QTest::newRow("in transition")
            << QStringList{u"409"_s, u"204"_s}
            << QStringList{u"200 pausing"_s, u"200 pausing"_s, u"200 paused"_s} << u"ok"_s << 2;
        QTest::newRow("409 then 404")
            << QStringList{u"409"_s, u"404"_s} << QStringList{u"404"_s} << u"ok"_s << 2;
        QTest::newRow("stuck") << QStringList{u"409"_s} << QStringList{u"200 pausing"_s} << u"conflict"_s
                               << 1;
        QTest::newRow("refused for ever")
            << QStringList{u"409"_s} << QStringList{u"200 paused"_s} << u"conflict"_s << -1;
        QTest::newRow("key") << QStringList{u"401"_s} << QStringList{u"500"_s} << u"auth"_s << 1;
    }
    void remove()
    {
        QFETCH(QStringList, acts);
        QFETCH(QStringList, looks);
        QFETCH(int, actCount);
        SandboxFixture f;
        play(f, acts, looks);
        Got<Done> got;
        f.client->remove(u"sb-1"_s, &f.context, got.reply());
        QTRY_COMPARE(got.count, 1);
        QTEST(got.category(), "category");
        if (actCount >= 0)
            QCOMPARE(this->acts(f), actCount);
    }

    void contextMayDieWhilePolling()
    {
        SandboxFixture f;
        play(f, {u"409"_s}, {u"200 pausing"_s});
        auto context = std::make_unique<QObject>();
        Got<SandboxInfo> got;
        f.client->activate(u"sb-1"_s, context.get(), got.reply());
        QTRY_VERIFY(f.server.count("GET", "/sandboxes/sb-1") >= 2);
        context.reset();
        const qsizetype sent = f.server.requests().size();
        Got<SandboxInfo> other;
        f.client->get(u"sb-1"_s, &f.context, other.reply());
        QTRY_COMPARE(other.count, 1);
        QCOMPARE(got.count, 0);
        QVERIFY(f.server.requests().size() <= sent + 2); // Its own, and at most one that was on its way.
    }
};

QTEST_GUILESS_MAIN(TestSandboxLifecycle)
#include "tst_sandboxlifecycle.moc"
