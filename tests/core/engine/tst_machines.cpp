// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/filesservice.h"
#include "enginefixture.h"
#include "support/loopbackserver.h"
#include "support/testmain.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <memory>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {
constexpr int Patience = 20'000;
const QByteArray Mark = "{\"command\":\"echo once >> /home/user/count; echo up; sleep 600\"}";
const QByteArray Count = "{\"command\":\"wc -l < /home/user/count\"}";
} // namespace

/// Machines that change behind the conversation's back, and conversations whose service is another one now.
class TestMachines : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<EngineFixture> f;

    void openReal()
    {
        f->startServices();
        f->openEngine();
    }
    /// A conversation with one finished turn. Returns its id.
    QString oneTurn(const ConversationSettings &settings)
    {
        f->model.enqueue(ModelReply().text(u"Hello."_s));
        return f->begin(settings, u"Go."_s);
    }
    [[nodiscard]] ConversationSettings settings(const QString &afterTurn = u"pause"_s) const
    {
        return EngineFixture::settings(u"s"_s, {}, {u"bash"_s}, afterTurn, 9);
    }
    [[nodiscard]] QString states() const
    {
        QStringList all;
        for (const Json &payload : f->payloads(EventKind::SandboxState))
            all.append(payload[u"state"].toString());
        return all.join(u' ');
    }
    [[nodiscard]] QString sandboxId() const
    {
        for (const Json &payload : f->payloads(EventKind::SandboxState)) {
            if (!payload[u"sandboxId"].toString().isEmpty())
                return payload[u"sandboxId"].toString();
        }
        return {};
    }
    /// What a call of the engine replied: "ok" or the error's message.
    QString replied(const std::function<void(std::function<void(const Result<Done, Error> &)>)> &call)
    {
        QString text;
        call([&text](const Result<Done, Error> &done) {
            text = done ? u"ok"_s : QString(done.error().message + u" | "_s + done.error().todo);
        });
        if (!QTest::qWaitFor([&] { return !text.isEmpty(); }, Patience))
            return u"no reply"_s;
        return text;
    }
    QString release(const QString &conversation)
    {
        return replied([&](auto reply) { f->engine->releaseMachine(conversation, f.get(), reply); });
    }
    [[nodiscard]] QString noteTexts() const
    {
        QString all;
        for (const Json &payload : f->payloads(EventKind::Note))
            all += payload[u"text"].toString() + u'\n';
        return all;
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        f = std::make_unique<EngineFixture>();
    }
    void cleanup()
    {
        f->closeEngine();
        f.reset();
    }

    void deletedBetweenTurns()
    {
        openReal();
        const QString conversation = oneTurn(settings());
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        const QString first = sandboxId();
        QCOMPARE(
            replied([&](auto reply) { f->engine->deleteSandbox(u"superserve"_s, first, f.get(), reply); }),
            u"ok"_s);
        f->submit(conversation, u"Again."_s);
        QCOMPARE(f->waitForEnd(), u"sandbox-error"_s);
        const Json error = f->payloads(EventKind::Error).last();
        QVERIFY2(error[u"todo"].toString().contains(u"new machine"_s), error.toJson().constData());
        QCOMPARE(states(), u"creating active paused gone"_s);
        QCOMPARE(f->calls().count(u"POST /sandboxes"_s), 1); // No silent replacement.

        // The person chooses.
        QCOMPARE(release(conversation), u"ok"_s);
        QCOMPARE(f->calls().count(u"POST /sandboxes"_s), 1);
        f->model.enqueue(ModelReply().text(u"Here again."_s));
        f->submit(conversation, u"And now?"_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(states(), u"creating active paused gone released creating active paused"_s);
        QVERIFY2(noteTexts().contains(u"new, empty machine"_s), qPrintable(noteTexts()));
        QVERIFY(f->payloads(EventKind::SandboxState).last()[u"sandboxId"].toString() != first);
    }

    void pausedDuringATurn()
    {
        openReal();
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, Mark));
        f->model.enqueue(ModelReply().call(u"t2"_s, u"bash"_s, Count));
        f->model.enqueue(ModelReply().text(u"Done."_s));
        f->begin(settings(), u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(f->payloads(EventKind::ToolOutput).size(), 1, Patience);
        QCOMPARE(replied([&](auto reply) {
                     f->engine->pauseSandbox(u"superserve"_s, sandboxId(), f.get(), reply);
                 }),
                 u"ok"_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        const QList<Json> results = f->payloads(EventKind::ToolResult);
        QCOMPARE(results.size(), 2);
        QCOMPARE(results[0][u"outcome"].toString(), u"unknown"_s);
        QCOMPARE(results[1][u"result"][u"stdout"].toString().trimmed(), u"1"_s); // It ran once.
        QCOMPARE(states(), u"creating active paused active paused"_s);
        QVERIFY2(noteTexts().contains(u"paused outside this conversation"_s), qPrintable(noteTexts()));
    }

    void deletedDuringATurn()
    {
        openReal();
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, Mark));
        f->begin(settings(), u"Go."_s);
        QTRY_COMPARE_WITH_TIMEOUT(f->payloads(EventKind::ToolOutput).size(), 1, Patience);
        QCOMPARE(replied([&](auto reply) {
                     f->engine->deleteSandbox(u"superserve"_s, sandboxId(), f.get(), reply);
                 }),
                 u"ok"_s);
        QCOMPARE(f->waitForEnd(), u"sandbox-error"_s);
        QCOMPARE(f->payloads(EventKind::ToolResult).last()[u"outcome"].toString(), u"unknown"_s);
        QCOMPARE(states(), u"creating active gone"_s);
        QCOMPARE(f->calls().count(u"POST /sandboxes"_s), 1);
        QCOMPARE(f->calls().count(u"model"_s), 1);
    }

    /// A service that loses machines, and one that gives the place of a machine to another one.
    void lostOrReplaced_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("end");
        const auto sandbox = [](const QByteArray &id, const QByteArray &created,
                                const QByteArray &metadata) -> QByteArray {
            return "{\"id\":\"" + id + "\",\"status\":\"active\",\"access_token\":\"t\",\"created_at\":\""
                + created + "\",\"metadata\":{" + metadata + "}}";
        };
        const QByteArray time = "2026-01-01T00:00:00Z";
        QTest::newRow("same") << 200 << sandbox("sb-1", "2026-01-01T00:00:00.4Z", {}) << u"finished"_s;
        QTest::newRow("long spelling") << 200 << sandbox("sb-use-sb-1", time, {}) << u"finished"_s;
        QTest::newRow("lost") << 410 << QByteArray("{\"error\":{\"code\":\"gone\",\"message\":\"lost\"}}")
                              << u"lost"_s;
        QTest::newRow("younger") << 200 << sandbox("sb-1", "2026-01-02T00:00:00Z", {}) << u"lost"_s;
        QTest::newRow("other id") << 200 << sandbox("sb-2", time, {}) << u"lost"_s;
        QTest::newRow("of another conversation")
            << 200 << sandbox("sb-1", time, "\"ph_conversation\":\"other\"") << u"lost"_s;
    }
    void lostOrReplaced()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(QString, end);
        LoopbackServer service;
        service.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.path() == "/sandboxes")
                return connection->respond(201,
                                           "{\"id\":\"sb-1\",\"status\":\"active\",\"access_token\":\"t\","
                                           "\"created_at\":\"2026-01-01T00:00:00Z\"}");
            if (request.path().endsWith("/pause"))
                return connection->respond(204);
            connection->respond(status, body);
        });
        f->environment[u"SUPERSERVE_API_KEY"_s] = u"ss_test_1"_s;
        f->environment[u"SUPERSERVE_BASE_URL"_s] = service.url().toString();
        f->environment[u"ANTHROPIC_BASE_URL"_s] = f->model.baseUrl().toString();
        f->openEngine();
        const QString conversation = oneTurn(settings());
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        if (end == "finished"_L1)
            f->model.enqueue(ModelReply().text(u"Still here."_s));
        f->submit(conversation, u"Again."_s);
        if (end == "finished"_L1) {
            QCOMPARE(f->waitForEnd(), u"finished"_s);
            return;
        }
        QCOMPARE(f->waitForEnd(), u"sandbox-error"_s);
        QCOMPARE(f->payloads(EventKind::SandboxState).last()[u"state"].toString(), end);
        QCOMPARE(service.count("POST", "/sandboxes"), 1);
        QCOMPARE(f->calls().count(u"model"_s), 1); // And nothing was run on the stranger.
        QVERIFY(f->payloads(EventKind::Error).last()[u"todo"].toString().contains(u"new machine"_s));
        f->closeEngine();
    }

    /// Whether a machine was made is not known, and the list does not tell: nothing is made over and over.
    void createIsNotRepeatedForEver_data()
    {
        QTest::addColumn<QByteArray>("body"); ///< Of 201; empty: no answer at all.
        QTest::addColumn<int>("creates");
        QTest::newRow("no members") << QByteArray("{}") << 1;
        QTest::newRow("a list") << QByteArray("[]") << 1;
        QTest::newRow("no id of ours") << QByteArray("{\"id\":\"../../etc\",\"status\":\"active\"}") << 1;
        QTest::newRow("a page") << QByteArray("<html>Welcome to the hotel</html>") << 1;
        QTest::newRow("no answer") << QByteArray() << 2;
    }
    void createIsNotRepeatedForEver()
    {
        QFETCH(QByteArray, body);
        QFETCH(int, creates);
        LoopbackServer service;
        service.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.method == "GET")
                connection->respond(200, "[]");
            else if (body.isEmpty())
                connection->close();
            else
                connection->respond(201, body);
        });
        f->environment[u"SUPERSERVE_API_KEY"_s] = u"ss_test_1"_s;
        f->environment[u"SUPERSERVE_BASE_URL"_s] = service.url().toString();
        f->environment[u"ANTHROPIC_BASE_URL"_s] = f->model.baseUrl().toString();
        f->openEngine();
        const QString conversation = f->begin(settings(), u"Go."_s);
        QCOMPARE(f->waitForEnd(), u"sandbox-error"_s);
        QCOMPARE(service.count("POST", "/sandboxes"), creates);
        QCOMPARE(f->calls(), QStringList()); // The model was not asked.
        const Json error = f->payloads(EventKind::Error).last();
        QVERIFY2(error[u"message"].toString().contains(u"Outcome unknown"_s), error.toJson().constData());
        // The next turn looks first, and begins to count anew.
        f->submit(conversation, u"Again."_s);
        QCOMPARE(f->waitForEnd(), u"sandbox-error"_s);
        QCOMPARE(service.count("POST", "/sandboxes"), 2 * creates);
        f->closeEngine();
    }

    /// The address was changed: the new one is not asked for a machine that it never made.
    void machinesStayWithTheirOrigin()
    {
        openReal();
        const QString conversation = oneTurn(settings());
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        f->closeEngine();
        LoopbackServer other;
        const QString before = f->environment[u"SUPERSERVE_BASE_URL"_s];
        f->environment[u"SUPERSERVE_BASE_URL"_s] = other.url().toString();
        f->openEngine();

        const MachinePlace place{u"superserve"_s, sandboxId()};
        QString fault; // Files of a conversation that is not even open.
        f->engine->files()->list(
            place, "/home/user", f.get(), [](const QList<FileEntry> &) {},
            [&fault](const Result<FileListEnd, FileFault> &end) {
                fault = end ? u"none"_s : end.error().error.message;
            });
        QTRY_VERIFY_WITH_TIMEOUT(!fault.isEmpty(), Patience);
        QVERIFY2(fault.contains(u"was made at"_s), qPrintable(fault));

        f->submit(conversation, u"Again."_s);
        QCOMPARE(f->waitForEnd(), u"sandbox-error"_s);
        const Json error = f->payloads(EventKind::Error).last();
        QVERIFY2(error[u"message"].toString().contains(u"was made at"_s), error.toJson().constData());
        for (const MachineChange change :
             {MachineChange::Pause, MachineChange::Resume, MachineChange::Delete}) {
            const QString text =
                replied([&](auto reply) { f->engine->changeMachine(conversation, change, f.get(), reply); });
            QVERIFY2(text.contains(u"was made at"_s), qPrintable(text));
        }
        const QString removal =
            replied([&](auto reply) { f->engine->remove(conversation, true, f.get(), reply); });
        QVERIFY2(removal.contains(u"was made at"_s), qPrintable(removal));
        QCOMPARE(other.connectionCount(), 0);

        // Back at its own address everything is as it was.
        f->closeEngine();
        f->environment[u"SUPERSERVE_BASE_URL"_s] = before;
        f->openEngine();
        f->model.enqueue(ModelReply().text(u"Home."_s));
        f->submit(conversation, u"And here?"_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QCOMPARE(f->calls().count(u"POST /sandboxes"_s), 1);
    }

    void settingsGoIntoCreate()
    {
        openReal();
        ConversationSettings wanted = settings();
        wanted.sandboxTemplate = u"superserve/base"_s;
        wanted.sandboxTimeoutSeconds = 1234;
        wanted.sandboxAutoDeleteSeconds = ConversationSettings::NoLimit;
        wanted.network = {{u"pypi.org"_s, u"*.example.org"_s}, {u"0.0.0.0/0"_s}};
        const QString conversation = oneTurn(wanted);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        const Json body = parseJson(f->body("POST")).value_or(Json());
        QCOMPARE(body[u"from_template"].toString(), u"superserve/base"_s);
        QCOMPARE(body[u"timeout_seconds"].toInteger(0), 1234);
        QVERIFY(!body.contains(u"auto_delete_seconds"));
        QCOMPARE(body[u"network"].toJson(),
                 QByteArray("{\"allow_out\":[\"pypi.org\",\"*.example.org\"],\"deny_out\":[\"0.0.0.0/0\"]}"));

        // They are in the log, and a change holds for the next machine.
        f->closeEngine();
        f->openEngine();
        QCOMPARE(replied([&](auto reply) {
                     f->engine->changeSettings(conversation,
                                               "{\"sandboxTimeoutSeconds\":null,\"networkAllow\":[],"
                                               "\"sandboxAutoDeleteSeconds\":0}",
                                               f.get(), reply);
                 }),
                 u"ok"_s);
        QCOMPARE(release(conversation), u"ok"_s);
        f->model.enqueue(ModelReply().text(u"Anew."_s));
        f->submit(conversation, u"Again."_s);
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        Json last;
        for (const ProxiedCall &call : f->proxy->calls()) {
            if (call.method == "POST" && call.target == "/sandboxes")
                last = parseJson(call.body).value_or(Json());
        }
        QCOMPARE(last[u"timeout_seconds"].toInteger(0), 3600);
        QCOMPARE(last[u"auto_delete_seconds"].toInteger(-1), 0);
        QCOMPARE(last[u"network"].toJson(), QByteArray("{\"allow_out\":[],\"deny_out\":[\"0.0.0.0/0\"]}"));
    }

    /// No file of the data folder holds a key or a token.
    void nothingSecretIsWritten()
    {
        openReal();
        f->model.enqueue(ModelReply().call(u"t1"_s, u"bash"_s, "{\"command\":\"echo ok\"}"));
        oneTurn(settings());
        QCOMPARE(f->waitForEnd(), u"finished"_s);
        QList<QByteArray> secrets{f->sandboxd.key(), f->environment[u"ANTHROPIC_API_KEY"_s].toUtf8()};
        static const QRegularExpression token(u"(?:X-Access-Token: |token\\.)([A-Za-z0-9._-]{16,})"_s,
                                              QRegularExpression::CaseInsensitiveOption);
        for (auto it = token.globalMatch(QString::fromLatin1(f->proxy->everything())); it.hasNext();)
            secrets.append(it.next().captured(1).toLatin1());
        QVERIFY(secrets.size() > 2);
        f->closeEngine();
        int files = 0;
        for (QDirIterator it(f->options.dataDir, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
             it.hasNext();) {
            QFile file(it.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray bytes = file.readAll();
            ++files;
            for (const QByteArray &secret : std::as_const(secrets))
                QVERIFY2(!bytes.contains(secret), qPrintable(file.fileName()));
        }
        QVERIFY(files > 0);
    }
};

QTEST_GUILESS_MAIN(TestMachines)
#include "tst_machines.moc"
