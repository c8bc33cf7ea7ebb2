// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "engine/engine.h"
#include "store/logreader.h"
#include "store/store.h"
#include "support/testmain.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000; // Milliseconds; only a failure takes as long.
constexpr int ManyEvents = 10'000;

/// A conversation whose program ended in the middle of a call.
void addBrokenTurn(EventScript &script)
{
    const QByteArray call =
        "{\"turn\":1,\"step\":1,\"callId\":\"" + newId().toUtf8() + "\",\"toolName\":\"bash\"";
    script.addCreated();
    script.add(EventKind::UserMessage,
               "{\"messageId\":\"" + newId().toUtf8() + "\",\"text\":\"Go on\",\"delivery\":\"now\"}");
    script.add(EventKind::TurnStart,
               "{\"turn\":1,\"parent\":null,\"messageIds\":[],\"provider\":\"demo\",\"model\":\"tour\"}");
    script.add(EventKind::StepStart, "{\"turn\":1,\"step\":1,\"attempt\":1}");
    script.add(EventKind::ToolCall, call + ",\"attempt\":1,\"args\":{\"command\":\"true\"}}");
    script.add(EventKind::ToolStart, call + ",\"args\":{\"command\":\"true\"}}");
}

} // namespace

/// A data folder that another process left in some state.
class TestReopening : public Tests::Test {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    EngineOptions m_options;

    static QStringList kindsOf(const QList<EventPtr> &events)
    {
        QStringList kinds;
        for (const EventPtr &event : events)
            kinds.append(eventKindName(event->kind));
        return kinds;
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        m_folder = std::make_unique<QTemporaryDir>();
        m_options = EngineOptions();
        m_options.program = u"test"_s;
        m_options.dataDir = m_folder->path();
        m_options.backend = u"local"_s;
        m_options.sandboxdProgram =
            u"/nowhere/pilothouse-sandboxd"_s; // Turns end early; the log matters here.
        m_options.environment = [](const QString &) { return QString(); };
    }

    void aBrokenTurnIsClosedBeforeAnythingElse()
    {
        QList<EventScript> scripts(5);
        {
            const auto store = Store::open(m_options.dataDir, u"test"_s);
            QVERIFY(store);
            for (EventScript &script : scripts) {
                addBrokenTurn(script);
                QVERIFY((*store)->writeNow(script.all()));
            }
        }
        const QString id = scripts.last().conversation();
        EventBatch heard;
        QStringList problems;
        {
            const auto engine = Engine::open(m_options);
            QVERIFY(engine);
            connect(engine->get(), &Engine::eventsReady, this,
                    [&heard](const EventBatch &batch) { heard += batch; });
            connect(engine->get(), &Engine::storageProblem, this,
                    [&problems](const Error &error) { problems.append(error.toText()); });
            bool isTaken = false;
            bool hasEnded = false;
            connect(engine->get(), &Engine::turnEnded, this, [&hasEnded] { hasEnded = true; });
            (*engine)->submit(id, u"The next message"_s, MessageDelivery::Now, this,
                              [&isTaken](const Result<Done, Error> &done) { isTaken = bool(done); });
            QTRY_VERIFY_WITH_TIMEOUT(hasEnded, Patience);
            QVERIFY(isTaken);
        }
        QCOMPARE(problems, QStringList());
        // What an earlier process did is no news of this one.
        for (const EventDelivery &delivery : std::as_const(heard)) {
            QCOMPARE(delivery.event->conversation, id);
            QVERIFY(delivery.event->seq > scripts.last().lastSeq() + 2);
        }
        const auto reader = LogReader::open(m_options.dataDir, LogReader::View::Stored);
        QVERIFY(reader);
        const auto events = (*reader)->events(id, 1, ManyEvents);
        QVERIFY(events);
        const QStringList kinds = kindsOf(*events);
        const qsizetype after = scripts.last().lastSeq();
        QCOMPARE(kinds.mid(after, 4),
                 QStringList({u"tool-result"_s, u"turn-finish"_s, u"user-message"_s, u"turn-start"_s}));
        QCOMPARE(events->value(after + 2)->json()[u"text"].toString(), u"The next message"_s);
        for (const EventScript &script : std::as_const(scripts))
            QCOMPARE((*reader)->conversation(script.conversation())->openTurnSeq, 0);
    }

    void aDamagedLogIsNotWrittenInto()
    {
        const QString fileName = m_options.dataDir + u"/log.db"_s;
        EventScript script;
        script.addCreated();
        for (int turn = 1; turn <= 40; ++turn)
            script.addTurn(turn);
        {
            const auto store = Store::open(m_options.dataDir, u"test"_s);
            QVERIFY(store);
            QVERIFY((*store)->writeNow(script.all()));
        }
        QFile file(fileName);
        QVERIFY(file.open(QIODevice::ReadWrite | QIODevice::ExistingOnly));
        // The last page: of no use to whoever only opens the file.
        constexpr qint64 PageSize = 4096;
        QVERIFY(file.size() > 20 * PageSize && file.size() % PageSize == 0);
        for (qint64 page = file.size() / PageSize - 10; page < file.size() / PageSize; ++page) {
            QVERIFY(file.seek(page * PageSize));
            QCOMPARE(file.write(QByteArray(300, '\xA5')), 300);
        }
        file.close();
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray before = file.readAll();
        file.close();
        const auto engine = Engine::open(m_options);
        QVERIFY(!engine);
        QCOMPARE(engine.error().kind, ErrorKind::Storage);
        QVERIFY2(engine.error().message.contains(u"damaged"_s), qPrintable(engine.error().message));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), before);

        // Looking at it is told in one line.
        m_options.onlyLooks = engine.error();
        const auto looking = Engine::open(m_options);
        QVERIFY(looking);
        QList<DoctorLine> lines;
        (*looking)->doctor(this, [&lines](const QList<DoctorLine> &found) { lines = found; });
        QTRY_VERIFY_WITH_TIMEOUT(!lines.isEmpty(), Patience);
        lines.removeIf([](const DoctorLine &line) { return line.topic != "store"_L1; });
        QCOMPARE(lines.size(), 1);
        QCOMPARE(lines.first().verdict, DoctorLine::Verdict::Problem);
        QVERIFY(lines.first().text.contains(u"damaged"_s));
    }

    void aDemoScriptIsNeverForgotten()
    {
        m_options.environment = [](const QString &name) {
            if (name == "PILOTHOUSE_MODEL"_L1)
                return u"anthropic/claude-sonnet-5-5"_s;
            return name == "ANTHROPIC_API_KEY"_L1 ? u"sk-ant-test-0123456789"_s : QString();
        };
        m_options.demoScript = m_options.dataDir + u"/script.json"_s;
        auto engine = Engine::open(m_options);
        QVERIFY(!engine); // Not there.
        QCOMPARE(engine.error().kind, ErrorKind::Usage);
        QVERIFY(engine.error().message.contains(u"script.json"_s));
        QFile file(m_options.demoScript);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "{\"format\":1,\"name\":\"s\",\"turns\":[{\"steps\":[{\"events\":[{\"text\":\"Hi.\"}]}]}]}");
        file.close();
        m_options.model = u"anthropic/claude-sonnet-5-5"_s;
        engine = Engine::open(m_options);
        QVERIFY(!engine);
        QCOMPARE(engine.error().kind, ErrorKind::Usage);
        m_options.model.clear();
        engine = Engine::open(m_options);
        QVERIFY2(engine, engine ? "" : qPrintable(engine.error().toText()));
        QString provider;
        (*engine)->defaults(this,
                            [&provider](const ConversationSettings &chosen) { provider = chosen.provider; });
        QTRY_COMPARE_WITH_TIMEOUT(provider, u"demo"_s, Patience);
        // Nor do its words go to the provider of a conversation that is there already.
        ConversationSettings real;
        real.provider = u"anthropic"_s;
        real.model = u"claude-sonnet-5-5"_s;
        const QString id = (*engine)->createConversation(real);
        QString refusal;
        (*engine)->submit(id, u"Go."_s, MessageDelivery::Now, this,
                          [&refusal](const Result<Done, Error> &done) {
                              refusal = done ? u"taken"_s : done.error().message;
                          });
        QTRY_VERIFY_WITH_TIMEOUT(!refusal.isEmpty(), Patience);
        QVERIFY2(refusal.contains(u"demo script"_s), qPrintable(refusal));
    }
};

QTEST_GUILESS_MAIN(TestReopening)
#include "tst_reopening.moc"
