// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "util/event.h"
#include "util/ids.h"
#include "util/secret.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestEvent : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void everyKindHasAWord()
    {
        QSet<QString> words;
        for (int i = static_cast<int>(EventKind::ConversationCreated);
             i <= static_cast<int>(EventKind::Error); ++i) {
            const QString word = eventKindName(static_cast<EventKind>(i));
            QVERIFY(!words.contains(word));
            words.insert(word);
            QCOMPARE(static_cast<int>(eventKindFromName(word).value()), i);
        }
        QVERIFY(!eventKindFromName(u"nonsense"));
    }

    void ndjson()
    {
        Event event{u"c"_s, 3,
                    5,      EventKind::ToolOutput,
                    1,      R"({"callId":"x","channel":"stdout","offset":0,"length":3})"};
        QCOMPARE(eventToNdjson(event, "a\xff\n"),
                 QByteArray("{\"seq\":3,\"at_ms\":5,\"conversation\":\"c\",\"kind\":\"tool-output\","
                            "\"payload\":{\"callId\":\"x\","
                            "\"channel\":\"stdout\",\"offset\":0,\"length\":3,\"text\":\"a\xEF\xBF\xBD\\n\","
                            "\"bytes\":3}}"));
    }

    void ids()
    {
        QVERIFY(isId(newId()));
        QVERIFY(newId() != newId());
        const QStringList bads = {u""_s, u"../../etc/passwd/xxxxxxxxxxxxxxxxxxxx"_s,
                                  newId().toUpper() + u"x"_s, u"{"_s + newId()};
        for (const QString &bad : bads)
            QVERIFY(!isId(bad));
    }

    void secretsAreRedacted()
    {
        const Secret key("sk-very-secret");
        QCOMPARE(key.redact(u"refused: sk-very-secret!"_s), u"refused: [redacted]!"_s);
        QVERIFY(key.equals(Secret("sk-very-secret")));
        QVERIFY(!key.equals(Secret("sk-very-secreT")));
    }
};

QTEST_GUILESS_MAIN(TestEvent)
#include "tst_event.moc"
