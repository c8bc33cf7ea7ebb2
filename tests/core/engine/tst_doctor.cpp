// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "enginefixture.h"
#include "net/networkaccess.h"
#include "sandbox/sandboxclient.h"
#include "support/testmain.h"
#include "util/ids.h"

#include <QSettings>
#include <QTest>

#include <memory>
#include <optional>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

/// The self-check: what it calls an orphan, and what it says when it may only look.
class TestDoctor : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<EngineFixture> f;
    std::unique_ptr<NetworkAccess> m_network;
    std::unique_ptr<SandboxClient> m_client;

    QList<DoctorLine> check(Engine *engine)
    {
        std::optional<QList<DoctorLine>> lines;
        engine->doctor(this, [&lines](const QList<DoctorLine> &all) { lines = all; });
        (void)QTest::qWaitFor([&] { return lines.has_value(); }, 20000);
        return lines.value_or(QList<DoctorLine>());
    }
    static DoctorLine line(const QList<DoctorLine> &lines, const QString &topic)
    {
        for (const DoctorLine &one : lines) {
            if (one.topic == topic)
                return one;
        }
        return {DoctorLine::Verdict::Problem, topic, u"no such line"_s};
    }
    [[nodiscard]] QString installId() const
    {
        return QSettings(f->folder.filePath(u"settings.ini"_s), QSettings::IniFormat)
            .value(u"installId"_s)
            .toString();
    }
    /// As an earlier run of `install` would have made it for `conversation`.
    QString makeSandbox(const QString &install, const QString &conversation)
    {
        CreateSandbox request;
        request.name = u"left"_s;
        request.metadata = {
            {u"ph_install"_s, install}, {u"ph_conversation"_s, conversation}, {u"ph_attempt"_s, newId()}};
        QString id;
        bool done = false;
        m_client->create(request, this, [&](const Result<SandboxInfo, ApiError> &info) {
            done = true;
            id = info ? info->id : QString();
        });
        (void)QTest::qWaitFor([&done] { return done; }, 20000);
        return id;
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        f = std::make_unique<EngineFixture>();
        f->startServices();
        f->options.backend = u"superserve"_s;
        f->openEngine();
        m_network = std::make_unique<NetworkAccess>();
        m_client = std::make_unique<SandboxClient>(
            m_network.get(),
            SandboxEndpoint::superserve(Secret(f->sandboxd.key()), f->sandboxd.base().toString(), QString()));
    }
    void cleanup()
    {
        m_client.reset();
        m_network.reset();
        f.reset();
    }

    void aSandboxOfAnInterruptedCreateIsNoOrphan()
    {
        f->model.enqueue(ModelReply().text(u"Done."_s));
        const QString served = f->begin(f->settings(u"served"_s, {}, {u"bash"_s}, u"pause"_s), u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        // A conversation whose create never got an answer: it has no sandbox by the log.
        const QString waiting = f->engine->createConversation(f->settings(u"w"_s, {}, {}, u"pause"_s));
        const QString own = installId();
        QVERIFY(isId(own));
        const QString interrupted = makeSandbox(own, waiting);
        const QString foreign = makeSandbox(newId(), newId());
        QVERIFY(!interrupted.isEmpty() && !foreign.isEmpty());
        DoctorLine orphans = line(check(f->engine.get()), u"orphans"_s);
        QVERIFY2(orphans.verdict == DoctorLine::Verdict::Ok, qPrintable(orphans.text));

        // One without its conversation is, and so is a second one of a conversation that has its own.
        const QString lost = makeSandbox(own, newId());
        const QString second = makeSandbox(own, served);
        orphans = line(check(f->engine.get()), u"orphans"_s);
        QCOMPARE(orphans.verdict, DoctorLine::Verdict::Warning);
        QVERIFY(orphans.text.contains(lost) && orphans.text.contains(second));
        QVERIFY2(!orphans.text.contains(interrupted) && !orphans.text.contains(foreign),
                 qPrintable(orphans.text));
    }

    void keysAreToldByWhereTheyCameFrom()
    {
        const QString before = line(check(f->engine.get()), u"keychain"_s).text;
        QVERIFY2(before.contains(u"keys from the environment: SUPERSERVE_API_KEY"_s), qPrintable(before));
        QVERIFY2(!before.contains(u"session"_s), qPrintable(before));
        // One that nobody set, and one in place of the variable's.
        for (const QString &variable : {u"MOONSHOT_API_KEY"_s, u"SUPERSERVE_API_KEY"_s})
            f->engine->setSessionKey(variable, Secret(f->sandboxd.key()), this,
                                     [](const Result<Done, Error> &) {});
        const QString after = line(check(f->engine.get()), u"keychain"_s).text;
        QVERIFY2(after.contains(u"keys entered for this session: SUPERSERVE_API_KEY, MOONSHOT_API_KEY"_s),
                 qPrintable(after));
        QVERIFY2(!after.contains(u"environment: SUPERSERVE_API_KEY"_s), qPrintable(after));
    }

    void onlyLooking()
    {
        EngineOptions options = f->options;
        const auto refused = Engine::open(options);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::NotOwner);
        options.onlyLooks = refused.error();
        auto looking = Engine::open(options);
        QVERIFY2(looking, looking ? "" : qPrintable(looking.error().toText()));
        const QList<DoctorLine> lines = check(looking->get());
        const DoctorLine store = line(lines, u"store"_s);
        QCOMPARE(store.verdict, DoctorLine::Verdict::Warning);
        QVERIFY2(store.text.contains(u"in use by test"_s), qPrintable(store.text));
        QCOMPARE(line(lines, u"sandbox"_s).verdict, DoctorLine::Verdict::Ok);
        QCOMPARE(line(lines, u"orphans"_s).verdict, DoctorLine::Verdict::Ok);
        // Nothing can be written through it, and nothing crashes for want of a log.
        std::optional<Error> error;
        const QString id = (*looking)->createConversation({});
        (*looking)->submit(
            id, u"Go."_s, MessageDelivery::Now, this,
            [&error](const Result<Done, Error> &taken) { error = taken ? Error() : taken.error(); });
        QTRY_VERIFY_WITH_TIMEOUT(error.has_value(), 20000);
        QCOMPARE(error->kind, ErrorKind::NotOwner);
        looking->reset();
        // The owner did not notice.
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(f->settings(u"s"_s, {}, {u"bash"_s}, u"delete"_s), u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
    }
};

QTEST_GUILESS_MAIN(TestDoctor)
#include "tst_doctor.moc"
