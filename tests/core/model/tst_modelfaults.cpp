// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "turnrig.h"

#include <QElapsedTimer>
#include <QLoggingCategory>
#include <QTest>
#include <QTimer>

using namespace Pilothouse;
using namespace Pilothouse::Tests;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

Q_DECLARE_METATYPE(ModelProtocol)

namespace {

const QByteArray Key = TurnRig::Key;
constexpr qsizetype DrippedBytes = 300; // Of a good answer; the end of its call among them.

constexpr auto Again = "Send the message again, or choose another model.";
constexpr auto Url = "Check the base URL of this provider.";
constexpr auto Wait = "Wait a little and send the message again.";
constexpr auto CheckNetwork = "Check the network, or that the local server runs, and send the message again.";

/// Something that goes wrong. `play` is the answer to each request; none: nobody listens.
struct Fault {
    QByteArray name;
    std::function<void(const TurnRig &, const LoopbackRequest &, LoopbackConnection *)> play;
    QString category; ///< As the retries say; empty: the turn ends well.
    int attempts = 1; ///< Requests if it goes wrong each time.
    qint64 longestWaitMs = 0; ///< Of all waits between them, as told to the person.
    QString words; ///< In the error.
    QString todo; ///< The whole of it.
    bool isSilence = false; ///< Ends by a time limit of ours; the limits are shortened.
};

/// One byte now and then until the other side gives up.
void drip(LoopbackConnection *connection, const QByteArray &bytes, std::chrono::milliseconds pace)
{
    auto *timer = new QTimer(connection);
    QObject::connect(connection, &LoopbackConnection::closed, timer, &QTimer::stop);
    QObject::connect(timer, &QTimer::timeout, connection, [connection, bytes, at = qsizetype(0)]() mutable {
        if (at < bytes.size())
            connection->send(bytes.mid(at++, 1));
    });
    timer->start(pace);
}

QByteArray head(const QByteArray &rest = "Connection: close\r\n")
{
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + rest + "\r\n";
}

/// An error of the service in the form of the protocol; it gives back the key that it was sent.
QByteArray echo(ModelProtocol protocol)
{
    const QByteArray message = "\"no: " + Key + "\"";
    return protocol == ModelProtocol::Anthropic
        ? QByteArray("{\"type\":\"error\",\"error\":{\"message\":" + message + "}}")
        : QByteArray("{\"error\":{\"message\":" + message + ",\"type\":null,\"code\":null}}");
}

QList<Fault> faults(const QUrl &elsewhere)
{
    using R = LoopbackRequest;
    using C = LoopbackConnection;
    const auto status = [](int code, const LoopbackHeaders &headers = {}) {
        return [code, headers](const TurnRig &rig, const R &, C *connection) {
            connection->respond(code, echo(rig.protocol), headers);
        };
    };
    const auto whole = [](const TurnRig &rig, const R &request) { return rig.goodEvents(request).join(); };
    const QByteArray other = elsewhere.toEncoded();
    // Half a second, doubled, less a random part.
    constexpr qint64 TwoWaits = 500 + 1000;
    constexpr qint64 FourWaits = TwoWaits + 2000 + 4000;
    constexpr qint64 FourLongWaits = 2000 + 4000 + 8000 + 16000;
    return {
        {"refused", {}, u"network"_s, 0, 0, u"refused the connection"_s, CheckNetwork},
        {"reset", [](const TurnRig &, const R &, C *c) { c->reset(); }, u"truncated"_s, 3, TwoWaits,
         u"127.0.0.1"_s, Again},
        {"closed", [](const TurnRig &, const R &, C *c) { c->close(); }, u"truncated"_s, 3, TwoWaits,
         u"closed the connection without an answer"_s, Again},
        {"head cut",
         [](const TurnRig &, const R &, C *c) {
             c->send("HTTP/1.1 200 OK\r\nContent-Ty");
             c->close();
         },
         u"truncated"_s, 3, TwoWaits, u"127.0.0.1"_s, Again},
        {"silent", [](const TurnRig &, const R &, C *) {}, u"timeout"_s, 3, TwoWaits,
         u"did not answer within"_s, Again, true},
        {"dripping head",
         [](const TurnRig &, const R &, C *c) { drip(c, head() + QByteArray(999, ' '), 20ms); }, u"timeout"_s,
         3, TwoWaits, u"did not answer within"_s, Again, true},
        {"silent after the head", [](const TurnRig &, const R &, C *c) { c->send(head()); }, u"timeout"_s, 3,
         TwoWaits, u"sent nothing for"_s, Again, true},
        // What was shown is withdrawn once, not again and again.
        {"silent in the answer",
         [](const TurnRig &rig, const R &request, C *c) {
             const QList<QByteArray> events = rig.goodEvents(request);
             c->send(head() + events.mid(0, events.size() - 3).join());
         },
         u"timeout"_s, 2, 500, u"sent nothing for"_s, Again, true},
        {"reset in the answer",
         [](const TurnRig &rig, const R &request, C *c) {
             const QList<QByteArray> events = rig.goodEvents(request);
             c->send(head() + events.mid(0, events.size() - 3).join());
             c->reset();
         },
         u"truncated"_s, 2, 500, u"127.0.0.1"_s, Again},
        {"nothing in it",
         [](const TurnRig &, const R &, C *c) {
             c->sendHead(200);
             c->endChunks();
         },
         u"truncated"_s, 3, TwoWaits, u"ended before it was complete"_s, Again},
        // Slow is not wrong: every byte is a sign of life.
        {"dripping answer",
         [whole](const TurnRig &rig, const R &request, C *c) {
             const QByteArray bytes = whole(rig, request);
             c->send(head() + bytes.chopped(DrippedBytes));
             drip(c, bytes.right(DrippedBytes), 1ms);
         },
         {},
         2,
         0,
         {},
         {},
         true},
        // But an error's reason is not waited for for ever.
        {"dripping error",
         [](const TurnRig &, const R &, C *c) {
             c->send("HTTP/1.1 500 No\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n");
             drip(c, QByteArray(100'000, 'x'), 20ms);
         },
         u"server"_s, 3, TwoWaits, u"status 500"_s, Again, true},
        // Qt takes a size that is none for the end of the answer.
        {"bad chunk",
         [](const TurnRig &, const R &, C *c) {
             c->send(head("Transfer-Encoding: chunked\r\n") + "zz\r\ndata: {}\r\n");
             c->close();
         },
         u"truncated"_s, 3, TwoWaits, u"ended before it was complete"_s, Again},
        {"redirect 302", [other](const TurnRig &, const R &, C *c) { c->redirect(302, other); },
         u"redirect"_s, 1, 0, u"redirects elsewhere"_s, Url},
        {"redirect 307", [other](const TurnRig &, const R &, C *c) { c->redirect(307, other); },
         u"redirect"_s, 1, 0, u"redirects elsewhere"_s, Url},
        {"page with 502",
         [](const TurnRig &, const R &, C *c) {
             c->respond(502, "<html><title>Bad gateway " + Key + "</title><body>" + Key + "</body></html>",
                        {{"Content-Type", "text/html"}});
         },
         u"server"_s, 3, TwoWaits, u"status 502: Bad gateway"_s, Again},
        {"page with 200",
         [](const TurnRig &, const R &, C *c) {
             c->respond(200, "<html><title>Log in " + Key + "</title></html>",
                        {{"Content-Type", "text/html"}});
         },
         u"protocol"_s, 1, 0, u"it is a web page (\"Log in"_s, Url},
        {"wrong type, right answer",
         [whole](const TurnRig &rig, const R &request, C *c) {
             c->respond(200, whole(rig, request), {{"Content-Type", "image/png"}});
         },
         {},
         2,
         0,
         {},
         {}},
        {"wrong type and answer",
         [](const TurnRig &, const R &, C *c) {
             c->respond(200, QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16),
                        {{"Content-Type", "image/png"}});
         },
         u"protocol"_s, 1, 0, u"image/png"_s, Url},
        {"JSON that is no answer", [](const TurnRig &, const R &, C *c) { c->respond(200, "{\"ok\":true}"); },
         u"protocol"_s, 1, 0, u"no message of a model"_s, Url},
        {"an event that is no JSON",
         [](const TurnRig &, const R &, C *c) {
             c->sendHead(200);
             c->sendChunk("data: {\"a\":\n\n");
         },
         u"protocol"_s, 1, 0, u"not JSON"_s, Url},
        {"not UTF-8",
         [whole](const TurnRig &rig, const R &request, C *c) {
             c->respond(200, whole(rig, request).replace("Buil", "B\xff\xc3(l"),
                        {{"Content-Type", "text/event-stream"}});
         },
         {},
         2,
         0,
         {},
         {}},
        {"400", status(400), u"invalid_request"_s, 1, 0, u"no: [redacted]"_s, Again},
        {"401", status(401), u"auth"_s, 1, 0, u"The key of this service was refused: no: [redacted]"_s,
         u"Check the key of this provider and send the message again."_s},
        {"402", status(402), u"billing"_s, 1, 0, u"no: [redacted]"_s,
         u"Money or quota at the provider is used up; add some, or choose another model."_s},
        {"403", status(403), u"permission"_s, 1, 0, u"no: [redacted]"_s,
         u"Check what the key of this provider may be used for, or choose another model."_s},
        {"404", status(404), u"not_found"_s, 1, 0, u"no: [redacted]"_s,
         u"Check the model's name and the base URL."_s},
        {"408", status(408), u"timeout"_s, 3, TwoWaits, u"no: [redacted]"_s, Again},
        {"409", status(409), u"conflict"_s, 1, 0, u"no: [redacted]"_s, Again},
        {"410", status(410), u"gone"_s, 1, 0, u"no: [redacted]"_s,
         u"The provider no longer has what was asked for; choose another model, or check the base URL."_s},
        {"413", status(413), u"too_large"_s, 1, 0, u"no: [redacted]"_s,
         u"Send a shorter message, or start a new conversation from a summary."_s},
        {"429", status(429), u"rate_limit"_s, 5, FourWaits, u"no: [redacted]"_s, Wait},
        {"429 later", status(429, {{"Retry-After", "1"}}), u"rate_limit"_s, 5, 4000, u"no: [redacted]"_s,
         Wait},
        {"429 in ms", status(429, {{"retry-after-ms", "1500"}}), u"rate_limit"_s, 5, 6000,
         u"no: [redacted]"_s, Wait},
        {"429 much later", status(429, {{"Retry-After", "3600"}}), u"rate_limit"_s, 1, 0, u"no: [redacted]"_s,
         u"The provider asks to wait 60 minutes. Send the message again after that, or choose another model."_s},
        {"429 never", status(429, {{"Retry-After", "soon"}}), u"rate_limit"_s, 5, FourWaits,
         u"no: [redacted]"_s, Wait},
        {"429 not again", status(429, {{"x-should-retry", "false"}}), u"rate_limit"_s, 1, 0,
         u"no: [redacted]"_s, Wait},
        {"500", status(500), u"server"_s, 3, TwoWaits, u"no: [redacted]"_s, Again},
        {"502", status(502), u"server"_s, 3, TwoWaits, u"no: [redacted]"_s, Again},
        {"503", status(503), u"overloaded"_s, 5, FourLongWaits, u"no: [redacted]"_s, Wait},
        {"503 later", status(503, {{"Retry-After", "2"}}), u"overloaded"_s, 5, 8000, u"no: [redacted]"_s,
         Wait},
        {"504", status(504), u"timeout"_s, 3, TwoWaits, u"no: [redacted]"_s, Again},
        {"529", status(529), u"overloaded"_s, 5, FourLongWaits, u"no: [redacted]"_s, Wait},
    };
}

/// Everything that was logged, for the scan.
QByteArray *s_logged = nullptr;
QtMessageHandler s_before = nullptr;

void keepLog(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (s_logged)
        *s_logged += text.toUtf8() + '\n';
    if (s_before && type != QtDebugMsg && type != QtInfoMsg)
        s_before(type, context, text);
}

const QList<QPair<QByteArray, ModelProtocol>> &protocols()
{
    static const QList<QPair<QByteArray, ModelProtocol>> all{{"anthropic", ModelProtocol::Anthropic},
                                                             {"responses", ModelProtocol::Responses},
                                                             {"chat", ModelProtocol::Chat}};
    return all;
}

/// The first event with which an answer is complete, whatever follows.
qsizetype completeAt(ModelProtocol protocol, qsizetype count)
{
    switch (protocol) {
    case ModelProtocol::Anthropic:
        return count - 2; // The stop reason; the marker follows.
    case ModelProtocol::Responses:
        return count - 1;
    case ModelProtocol::Chat:
        return count - 3; // The finish reason; counters and the marker follow.
    }
    return count;
}

} // namespace

/// The fault table of the model services: every protocol, every way in which a request can go wrong, and what
/// a person sees of it.
class TestModelFaults : public Tests::Test {
    Q_OBJECT

    QByteArray m_log;

    static void shorten(TurnRig &rig, const Fault &fault)
    {
        if (fault.isSilence)
            rig.endpoint.timing = {250ms, fault.category.isEmpty() ? 5000ms : 250ms, 250ms};
    }

    static void rows()
    {
        QTest::addColumn<ModelProtocol>("protocol");
        QTest::addColumn<int>("fault");
        const QList<Fault> table = faults(QUrl());
        for (const auto &[name, protocol] : protocols()) {
            for (int i = 0; i < table.size(); ++i)
                QTest::addRow("%s: %s", name.constData(), table[i].name.constData()) << protocol << i;
        }
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        m_log.clear();
        s_logged = &m_log;
        s_before = qInstallMessageHandler(keepLog);
        QLoggingCategory::setFilterRules(u"pilothouse.*=true"_s);
    }
    void cleanup()
    {
        qInstallMessageHandler(s_before);
        s_logged = nullptr;
        QLoggingCategory::setFilterRules({});
    }

    /// It goes wrong each time.
    void always_data() { rows(); }
    void always()
    {
        QFETCH(ModelProtocol, protocol);
        QFETCH(int, fault);
        LoopbackServer elsewhere;
        const Fault how = faults(elsewhere.url("/stolen")).at(fault);
        TurnRig rig(protocol);
        shorten(rig, how);
        rig.model.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            how.play(rig, request, connection);
        });
        if (!how.play)
            rig.model.stopListening();
        QElapsedTimer clock;
        clock.start();
        rig.run();
        QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);

        QCOMPARE(rig.model.requests().size(), how.attempts);
        QCOMPARE(elsewhere.connectionCount(), 0);
        rig.scan(m_log);
        rig.checkCallsEnded();
        if (how.category.isEmpty()) {
            QCOMPARE(rig.end(), u"finished"_s);
            QCOMPARE(rig.tool->runs, QList<QByteArray>{TurnRig::Arguments});
            QCOMPARE(rig.journal.payloads(EventKind::Retry).size(), 0);
            return;
        }
        QCOMPARE(rig.end(), u"model-error"_s);
        QCOMPARE(rig.tool->runs, QList<QByteArray>()); // Nothing of an answer that broke off is run.
        QCOMPARE(rig.error().kind, ErrorKind::Model);
        QVERIFY2(rig.error().message.contains(how.words), qPrintable(rig.error().message));
        QVERIFY2(!rig.error().message.contains(u'<'), qPrintable(rig.error().message));
        QCOMPARE(rig.error().todo, how.todo);
        QVERIFY(rig.error().kept.startsWith(u"Your message is kept."_s));
        QCOMPARE(rig.journal.payloads(EventKind::Error).size(), 1);
        const QList<Json> retries = rig.journal.payloads(EventKind::Retry);
        QCOMPARE(retries.size(), qMax(0, how.attempts - 1));
        qint64 waited = 0;
        for (const Json &retry : retries) {
            QCOMPARE(retry[u"category"].toString(), how.category);
            waited += retry[u"waitMs"].toInteger(0);
        }
        QVERIFY2(waited <= how.longestWaitMs && waited * 4 >= how.longestWaitMs * 3,
                 QByteArray::number(waited).constData());
        if (!how.isSilence)
            QVERIFY(clock.elapsed() < 5000);
    }

    /// It goes wrong once: what may be repeated is, and nothing runs twice.
    void once_data() { rows(); }
    void once()
    {
        QFETCH(ModelProtocol, protocol);
        QFETCH(int, fault);
        LoopbackServer elsewhere;
        const Fault how = faults(elsewhere.url("/stolen")).at(fault);
        if (how.attempts < 2 || how.category.isEmpty())
            return; // Never repeated, or nothing to mend.
        TurnRig rig(protocol);
        shorten(rig, how);
        bool isFirst = true;
        rig.model.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (std::exchange(isFirst, false))
                how.play(rig, request, connection);
            else
                rig.sendGood(request, connection);
        });
        rig.run();
        QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);
        QCOMPARE(rig.end(), u"finished"_s);
        QCOMPARE(rig.model.requests().size(), 3);
        QCOMPARE(rig.model.requests()[1].body, rig.model.requests()[0].body);
        QCOMPARE(rig.tool->runs, QList<QByteArray>{TurnRig::Arguments});
        QCOMPARE(rig.journal.payloads(EventKind::Retry).size(), 1);
        rig.scan(m_log);
        rig.checkCallsEnded();
    }

    /// Cut at every border of events and inside of each, with and without a body that tells its length.
    void cuts_data()
    {
        QTest::addColumn<ModelProtocol>("protocol");
        QTest::addColumn<bool>("isChunked");
        for (const auto &[name, protocol] : protocols()) {
            QTest::addRow("%s, chunked", name.constData()) << protocol << true;
            QTest::addRow("%s, until it closes", name.constData()) << protocol << false;
        }
    }
    void cuts()
    {
        QFETCH(ModelProtocol, protocol);
        QFETCH(bool, isChunked);
        const QList<QByteArray> events = TurnRig::callingReply().events(u"model-x"_s, 1, protocol);
        const qsizetype complete = completeAt(protocol, events.size());
        for (qsizetype at = 0; at < events.size(); ++at) {
            // Nothing of this event; half of it; all but the empty line, after which it counts as whole.
            for (const qsizetype part : {qsizetype(0), events[at].size() / 2, events[at].size() - 1}) {
                const bool isWhole = part == events[at].size() - 1;
                const QByteArray sent = events.mid(0, at).join() + events[at].left(part);
                const bool isComplete = at > complete || (at == complete && isWhole);
                TurnRig rig(protocol);
                bool isFirst = true;
                rig.model.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
                    if (!std::exchange(isFirst, false)) {
                        rig.sendGood(request, connection);
                    } else if (isChunked) {
                        connection->sendHead(200);
                        connection->sendChunk(sent);
                        connection->close();
                    } else {
                        connection->send(head() + sent);
                        connection->close();
                    }
                });
                rig.run();
                QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);
                const QByteArray where = "event " + QByteArray::number(at) + ", " + QByteArray::number(part)
                    + " bytes: " + rig.error().toText().toUtf8();
                QVERIFY2(rig.end() == "finished"_L1, where.constData());
                QVERIFY2(rig.tool->runs == QList<QByteArray>{TurnRig::Arguments}, where.constData());
                QVERIFY2(rig.model.requests().size() == (isComplete ? 2 : 3), where.constData());
                QVERIFY2(rig.journal.payloads(EventKind::ToolStart).size() == 1, where.constData());
                rig.checkCallsEnded();
                // What the model is told holds the call and its result once.
                const QByteArray last = rig.model.requests().last().body;
                QVERIFY2(last.count("make all") == 1 && last.count(CountingTool::Result) == 1,
                         last.constData());
            }
        }
    }

    /// A cut twice in a row after something was shown is not repeated for ever.
    void cutTwice_data()
    {
        QTest::addColumn<ModelProtocol>("protocol");
        for (const auto &[name, protocol] : protocols())
            QTest::newRow(name.constData()) << protocol;
    }
    void cutTwice()
    {
        QFETCH(ModelProtocol, protocol);
        TurnRig rig(protocol);
        rig.model.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            const QList<QByteArray> events = rig.goodEvents(request);
            connection->sendHead(200);
            connection->sendChunk(events.mid(0, completeAt(protocol, events.size())).join());
            connection->close();
        });
        rig.run();
        QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);
        QCOMPARE(rig.end(), u"model-error"_s);
        QCOMPARE(rig.model.requests().size(), 2);
        QCOMPARE(rig.tool->runs.size(), 0);
        QCOMPARE(rig.journal.payloads(EventKind::StepAbandoned).size(), 1);
        QVERIFY(rig.error().kept.contains(u"stays visible"_s));
        rig.checkCallsEnded();
        // The conversation is still one that the service takes: the broken answer is not in it.
        rig.model.setHandler([&](const LoopbackRequest &request, LoopbackConnection *connection) {
            rig.sendGood(request, connection);
        });
        rig.run(u"Once more."_s);
        QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);
        QCOMPARE(rig.end(), u"finished"_s);
        QCOMPARE(rig.tool->runs.size(), 1);
        QCOMPARE(rig.model.requests().last().body.count("make all"), 1);
    }

    /// A stream that goes on for ever is ended by the person, at once.
    void stopEndsAnEndlessStream_data() { cutTwice_data(); }
    void stopEndsAnEndlessStream()
    {
        QFETCH(ModelProtocol, protocol);
        TurnRig rig(protocol);
        rig.model.setHandler([](const LoopbackRequest &, LoopbackConnection *connection) {
            connection->send(head());
            drip(connection, QByteArray(": alive\n").repeated(100'000), 1ms);
        });
        rig.run();
        QTRY_COMPARE_WITH_TIMEOUT(rig.model.requests().size(), 1, 10'000);
        rig.stop();
        QTRY_VERIFY_WITH_TIMEOUT(rig.isOver(), 10'000);
        QCOMPARE(rig.end(), u"stopped"_s);
        QTRY_COMPARE_WITH_TIMEOUT(rig.model.openConnections(), 0, 10'000);
        QCOMPARE(rig.model.requests().size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestModelFaults)
#include "tst_modelfaults.moc"
