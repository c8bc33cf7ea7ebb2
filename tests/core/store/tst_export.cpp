// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/exportjson.h"
#include "store/exportmarkdown.h"
#include "store/logreader.h"
#include "store/ndjson.h"
#include "store/store.h"
#include "support/testmain.h"

#include <QBuffer>
#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestExport : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;
    int m_counter = 0;

    std::unique_ptr<LogReader> written(const Tests::EventScript &script, QString *folder = nullptr)
    {
        const QString dir = m_temp.filePath(QString::number(++m_counter));
        if (folder)
            *folder = dir;
        const auto store = Store::open(dir, u"test"_s);
        if (store)
            (*store)->append(script.all(), false);
        else
            return {};
        auto reader = LogReader::open(dir);
        return reader ? std::move(*reader) : nullptr;
    }

    static QByteArray markdown(LogReader &reader, const QString &conversation)
    {
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        const auto done = exportMarkdown(reader, conversation, buffer);
        return done ? buffer.data() : done.error().toText().toUtf8();
    }

private Q_SLOTS:
    void jsonIsOneArrayOfTheEvents()
    {
        Tests::EventScript script;
        script.addCreated();
        for (int turn = 1; turn <= 30; ++turn) // More than a page.
            script.addTurn(turn);
        const auto reader = written(script);
        QVERIFY(reader);
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        QVERIFY(exportJson(*reader, script.conversation(), buffer));
        const auto parsed = parseJson(buffer.data());
        QVERIFY(parsed);
        QCOMPARE(parsed->size(), script.lastSeq());
        QString out;
        for (qsizetype i = 0; i < parsed->size(); ++i) {
            const Json &line = parsed->at(i);
            QCOMPARE(line[u"seq"].toInteger(0), i + 1);
            QCOMPARE(line[u"kind"].toString(), QString(eventKindName(script.all()[i].event->kind)));
            if (line[u"payload"][u"callId"].toString() == script.calls()[0]
                && line[u"payload"][u"channel"].toString() == u"stdout"_s)
                out += line[u"payload"][u"text"].toString();
        }
        QCOMPARE(out, u"collected 3 items\n1 failed, 2 passed\n"_s);
        QVERIFY(!exportJson(*reader, newId(), buffer));
    }

    void aDeviceThatTakesNoMoreIsAnError()
    {
        Tests::EventScript script;
        script.addCreated();
        const auto reader = written(script);
        QVERIFY(reader);
        QFile full(u"/dev/full"_s);
        if (!full.open(QIODevice::WriteOnly | QIODevice::Unbuffered))
            QSKIP("no /dev/full");
        const auto json = exportJson(*reader, script.conversation(), full);
        QVERIFY(!json);
        QCOMPARE(json.error().kind, ErrorKind::Storage);
        QVERIFY(!exportMarkdown(*reader, script.conversation(), full));
    }

    void lostOutputIsSaid()
    {
        Tests::EventScript script;
        script.addCreated();
        const QString call = newId();
        script.addOutput(1, 1, call, "hello");
        QString dir;
        const auto reader = written(script, &dir);
        QVERIFY(reader);
        const Event &event = *script.all().last().event;
        const Json whole = parseJson(ndjsonLine(*reader, event)).value();
        QCOMPARE(whole[u"payload"][u"text"].toString(), u"hello"_s);
        QCOMPARE(whole[u"payload"][u"bytes"].toInteger(0), 5);
        QVERIFY(!whole[u"payload"].contains(u"missing"));
        QVERIFY(QDir(dir + u"/spill"_s).removeRecursively());
        const Json lost = parseJson(ndjsonLine(*reader, event)).value();
        QCOMPARE(lost[u"payload"][u"text"].toString(), QString());
        QCOMPARE(lost[u"payload"][u"missing"].toInteger(0), 5);
    }

    void markdownTellsTheTurn()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        const auto reader = written(script);
        QVERIFY(reader);
        const QByteArray text = markdown(*reader, script.conversation());
        for (const char *part :
             {"# Fix the tests\n", "## You\n\nFix the tests\\\nplease\n", "## Call bash\n", "exit code 1",
              "collected 3 items", "One test fails.", "Turn 1 ended: finished"})
            QVERIFY2(text.contains(part), part);
        QVERIFY(!text.contains("Half an ans"));
        QVERIFY(text.contains("warning: \\u{1b}[33mslow"));
    }

    // Whatever stands in a text, outside of fences there is none of it, and no fence ends early.
    void markdownIsInert()
    {
        const QByteArrayList hostile = {
            "![x](file:///etc/passwd)",
            "<img src=http://evil.example/x>",
            "```\\n<script>alert(1)</script>\\n```",
            "`````````\\n[a](javascript:x)",
            "\\u001b]0;title\\u0007",
            "a\\u202eb\\u2066",
            "~~~\\n# heading\\n~~~",
            "\\n\\n<b>\\n",
        };
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::ConversationRenamed,
                   "{\"title\":\"<img src=x> ![t](http://evil.example)\",\"by\":\"user\"}");
        for (const QByteArray &text : hostile) {
            const QString call = newId();
            script.add(EventKind::UserMessage,
                       "{\"messageId\":\"" + newId().toUtf8() + "\",\"text\":\"" + text + "\"}");
            script.add(EventKind::TextDelta,
                       "{\"turn\":1,\"step\":1,\"attempt\":1,\"part\":" + QByteArray::number(script.lastSeq())
                           + ",\"text\":\"" + text + "\"}");
            script.add(EventKind::ToolCall,
                       "{\"turn\":1,\"callId\":\"" + call.toUtf8() + "\",\"toolName\":\"" + text
                           + "\",\"args\":{\"command\":\"" + text + "\"}}");
            script.addOutput(1, 1, call, parseJson(QByteArray('"' + text + '"')).value().toString().toUtf8());
            script.add(EventKind::Note, "{\"text\":\"" + text + "\"}");
            script.add(EventKind::Error, "{\"message\":\"" + text + "\"}");
        }
        const auto reader = written(script);
        QVERIFY(reader);
        const QString text = QString::fromUtf8(markdown(*reader, script.conversation()));
        QVERIFY(text.contains(u"evil.example"_s));
        static const QRegularExpression Obeyed(
            u"[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\x{202a}-\\x{202e}\\x{2066}-\\x{2069}]"_s);
        QVERIFY(!text.contains(Obeyed));
        // Outside of fences and code in the text no mark is read but those that were written for it.
        QString fence;
        QStringList outside;
        for (const QString &line : text.split(u'\n')) {
            static const QRegularExpression Fence(u"^(`{3,})[a-z]*$"_s);
            const QRegularExpressionMatch match = Fence.match(line);
            if (fence.isEmpty() && match.hasMatch())
                fence = match.captured(1);
            else if (!fence.isEmpty() && line == fence)
                fence.clear();
            else if (fence.isEmpty())
                outside += line;
        }
        QVERIFY(fence.isEmpty());
        int sections = 0;
        for (QString line : std::as_const(outside)) {
            static const QRegularExpression Code(u"`[^`]+`|<http://evil\\.example[^<>]*>"_s);
            static const QRegularExpression Markup(u"(?<!\\\\)[<>\\[\\]`*_]"_s);
            sections += line.startsWith(u"## "_s) ? 1 : 0;
            QVERIFY2(!line.remove(Code).contains(Markup), qPrintable(line));
        }
        QCOMPARE(sections, int(hostile.size()) * 3);
    }

    // What is no mark where it stands is written as it is.
    void markdownIsEscapedOnlyWhereItMustBe()
    {
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::ConversationRenamed, "{\"title\":\"Fix the tests (2.0), it's time! #1 #\"}");
        script.add(EventKind::Note, "{\"text\":\"80 % of a_b/c-d.txt, *not* all; 1 < 2 & ~x\"}");
        const auto reader = written(script);
        QVERIFY(reader);
        const QByteArray text = markdown(*reader, script.conversation());
        QVERIFY2(text.startsWith("# Fix the tests (2.0), it's time! #1 \\#\n\n"), text.constData());
        const QByteArray about = "\nConversation " + script.conversation().toUtf8() + ", ";
        QVERIFY2(text.contains(about), text.constData());
        const qsizetype at = text.indexOf(about) + 1;
        QCOMPARE(text.mid(at, text.indexOf('\n', at) - at).count('\\'), 0);
        QVERIFY2(text.contains("\nNote: 80 % of a_b/c-d.txt, \\*not\\* all; 1 \\< 2 & \\~x\n"),
                 text.constData());
    }

    // An answer is read as it was in the window.
    void markdownAnswersAreMarkdown()
    {
        const QString answer =
            u"# Done\n\nSee **this**:\n\n- one\n- `two`\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"_s;
        Tests::EventScript script;
        script.addCreated();
        QByteArray payload = "{\"turn\":1,\"step\":1,\"attempt\":1,\"part\":0,\"text\":";
        appendJsonString(payload, answer);
        script.add(EventKind::TextDelta, payload + "}");
        const auto reader = written(script);
        QVERIFY(reader);
        const QByteArray text = markdown(*reader, script.conversation());
        QVERIFY2(
            text.contains("## Answer\n\n### Done\n\nSee **this**:\n\n- one\n- `two`\n\n```py\nx = 1\n```\n\n"
                          "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n"),
            text.constData());
    }

    void markdownOfALongConversation()
    {
        Tests::EventScript script;
        script.addCreated();
        for (int i = 0; i < 650; ++i)
            script.add(EventKind::Note, "{\"text\":\"number " + QByteArray::number(i) + " stands here\"}");
        for (int i = 0; i < 20; ++i)
            script.add(EventKind::UserMessage,
                       "{\"messageId\":\"" + newId().toUtf8() + "\",\"text\":\"big" + QByteArray::number(i)
                           + QByteArray(900'000, 'x') + "\"}");
        const auto reader = written(script);
        QVERIFY(reader);
        const QByteArray text = markdown(*reader, script.conversation());
        const QByteArray notes = text.left(text.indexOf("\nbig0"));
        for (int i = 0; i < 650; ++i)
            QCOMPARE(notes.count(QByteArray("number " + QByteArray::number(i) + " stands here")), 1);
        for (int i = 0; i < 20; ++i)
            QCOMPARE(text.count(QByteArray("\nbig" + QByteArray::number(i) + "xxx")), 1);
    }
};

QTEST_GUILESS_MAIN(TestExport)
#include "tst_export.moc"
