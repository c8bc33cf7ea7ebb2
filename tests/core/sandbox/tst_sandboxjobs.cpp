// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/sandbox/sandboxfixture.h"
#include "sandbox/sandboxjobs.h"
#include "support/sandboxdfixture.h"
#include "support/testmain.h"

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {
constexpr int Patience = 20'000;
} // namespace

/// Jobs on machines of the real local service.
class TestSandboxJobs : public Tests::Test {
    Q_OBJECT

    SandboxdFixture m_service;
    NetworkAccess m_network;
    std::unique_ptr<SandboxClient> m_client;
    QString m_id;

    [[nodiscard]] std::unique_ptr<SandboxClient> newClient()
    {
        SandboxEndpoint endpoint;
        endpoint.backend = u"local"_s;
        endpoint.control = m_service.base();
        endpoint.data = m_service.data();
        endpoint.apiKey = Secret(m_service.key());
        return std::make_unique<SandboxClient>(&m_network, endpoint);
    }
    Result<Done, ApiError> start(const QString &name, const QString &command)
    {
        Got<Done> got;
        SandboxJobs(m_client.get()).start(m_id, {name, command, {{u"A"_s, u"a b"_s}}, {}}, this, got.reply());
        if (!QTest::qWaitFor([&] { return got.count == 1; }, Patience))
            return fail(ApiError());
        return *got.result;
    }
    Result<JobStatus, ApiError> look(const QString &name)
    {
        Got<JobStatus> got;
        SandboxJobs(m_client.get()).look(m_id, name, this, got.reply());
        if (!QTest::qWaitFor([&] { return got.count == 1; }, Patience))
            return fail(ApiError());
        return *got.result;
    }
    bool comesTo(const QString &name, JobStatus::State state)
    {
        JobStatus status;
        for (int i = 0; i < 200; ++i) {
            const auto now = look(name);
            if (now && now->state == state)
                return true;
        }
        return false;
    }

private Q_SLOTS:
    void initTestCase()
    {
        Test::initTestCase();
        QVERIFY2(m_service.start(), m_service.errorText().constData());
        m_client = newClient();
        Got<SandboxInfo> made;
        CreateSandbox create;
        create.name = u"jobs"_s;
        m_client->create(create, this, made.reply());
        QTRY_COMPARE_WITH_TIMEOUT(made.count, 1, Patience);
        QVERIFY2(made.ok(), qPrintable(made.error().message));
        m_id = made.result->value().id;
    }

    void runsAndEnds()
    {
        const auto started =
            start(u"j-1"_s, u"echo \"$A\"; echo no >&2; read line || echo nothing to read; exit 7"_s);
        QVERIFY2(started, started ? "" : qPrintable(started.error().message));
        QVERIFY(comesTo(u"j-1"_s, JobStatus::State::Ended));
        const auto status = look(u"j-1"_s);
        QCOMPARE(status->exitCode.value_or(-1), 7);
        QCOMPARE(status->errBytes, qint64(3));
        Got<FilePart> out;
        SandboxJobs(m_client.get()).output(m_id, u"j-1"_s, OutputChannel::Stdout, 2, 100, this, out.reply());
        QTRY_COMPARE_WITH_TIMEOUT(out.count, 1, Patience);
        QVERIFY2(out.ok(), qPrintable(out.error().message));
        QCOMPARE(out.result->value().bytes, QByteArray("b\nnothing to read\n"));
    }

    /// A start whose answer was lost may be asked for again.
    void neverRunsTwice()
    {
        const QString command = u"echo x >>/home/user/runs; sleep 600"_s;
        QVERIFY(start(u"j-2"_s, command));
        const auto again = start(u"j-2"_s, command);
        QVERIFY(!again);
        QCOMPARE(again.error().code, u"exists"_s);
        QVERIFY(comesTo(u"j-2"_s, JobStatus::State::Running));
        Got<QByteArray> runs;
        m_client->readFile(m_id, u"/home/user/runs"_s, 100, this, runs.reply());
        QTRY_COMPARE_WITH_TIMEOUT(runs.count, 1, Patience);
        QCOMPARE(runs.result->value_or(QByteArray()), QByteArray("x\n"));
    }

    /// Everything of ours is closed, the machine is paused and woken: the job goes on.
    void outlivesUsAndAPause()
    {
        QVERIFY(start(u"j-3"_s, u"i=0; while [ ! -e /home/user/enough ]; do sleep 0.05; done; exit 3"_s));
        m_client = newClient();
        Got<Done> paused;
        m_client->pause(m_id, this, paused.reply());
        QTRY_COMPARE_WITH_TIMEOUT(paused.count, 1, Patience);
        QVERIFY2(paused.ok(), qPrintable(paused.error().message));
        const auto whilePaused = look(u"j-3"_s); // Looking wakes nothing.
        QVERIFY(!whilePaused);
        QCOMPARE(whilePaused.error().code, u"sandbox_not_active"_s);
        Got<SandboxInfo> woken;
        m_client->activate(m_id, this, woken.reply());
        QTRY_COMPARE_WITH_TIMEOUT(woken.count, 1, Patience);
        QCOMPARE(look(u"j-3"_s).value_or({}).state, JobStatus::State::Running);
        Got<Done> written;
        m_client->writeFile(m_id, u"/home/user/enough"_s, "x", this, written.reply());
        QTRY_COMPARE_WITH_TIMEOUT(written.count, 1, Patience);
        QVERIFY(comesTo(u"j-3"_s, JobStatus::State::Ended));
        QCOMPARE(look(u"j-3"_s)->exitCode.value_or(-1), 3);
    }

    /// With everything that it has started.
    void isStopped()
    {
        QVERIFY(start(u"j-4"_s, u"sleep 601 & sleep 602"_s));
        QVERIFY(comesTo(u"j-4"_s, JobStatus::State::Running));
        Got<Done> killed;
        SandboxJobs(m_client.get()).signal(m_id, u"j-4"_s, u"SIGKILL"_s, this, killed.reply());
        QTRY_COMPARE_WITH_TIMEOUT(killed.count, 1, Patience);
        QVERIFY(killed.ok());
        QVERIFY(comesTo(u"j-4"_s, JobStatus::State::Vanished));
        Got<Done> removed;
        SandboxJobs(m_client.get()).remove(m_id, u"j-4"_s, this, removed.reply());
        QTRY_COMPARE_WITH_TIMEOUT(removed.count, 1, Patience);
        QVERIFY(removed.ok());
        const auto after = look(u"j-4"_s);
        QCOMPARE(categoryName(after.error().category), u"not_found"_s);
    }

    void badNamesSendNothing_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"", "../x", "a b", "a/b", "x.y"})
            QTest::newRow(name) << QString::fromLatin1(name);
        QTest::newRow("long") << QString(65, u'x');
        QTest::newRow("letters of others") << u"\u00e4"_s;
    }
    void badNamesSendNothing()
    {
        QFETCH(QString, name);
        const auto started = start(name, u"true"_s);
        QVERIFY(!started);
        QCOMPARE(categoryName(started.error().category), u"local"_s);
        Got<FilePart> out;
        SandboxJobs(m_client.get()).output(m_id, name, OutputChannel::Stdout, 0, 10, this, out.reply());
        QTRY_COMPARE_WITH_TIMEOUT(out.count, 1, Patience);
        QCOMPARE(out.category(), u"local"_s);
    }
};

QTEST_GUILESS_MAIN(TestSandboxJobs)
#include "tst_sandboxjobs.moc"
