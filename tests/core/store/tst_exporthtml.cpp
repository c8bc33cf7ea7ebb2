// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/exporthtml.h"
#include "store/logreader.h"
#include "store/store.h"
#include "support/testmain.h"

#include <QBuffer>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

/// The page is read in a browser: it must tell the turn, and do nothing.
class TestExportHtml : public Tests::Test {
    Q_OBJECT

    QTemporaryDir m_temp;
    int m_counter = 0;

    QByteArray page(const Tests::EventScript &script)
    {
        const QString dir = m_temp.filePath(QString::number(++m_counter));
        {
            const auto store = Store::open(dir, u"test"_s);
            if (!store)
                return store.error().toText().toUtf8();
            (*store)->append(script.all(), false);
        }
        auto reader = LogReader::open(dir);
        if (!reader)
            return reader.error().toText().toUtf8();
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        const auto done = exportHtml(**reader, script.conversation(), buffer);
        return done ? buffer.data() : done.error().toText().toUtf8();
    }

private Q_SLOTS:
    void tellsTheTurn()
    {
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        const QByteArray text = page(script);
        for (const char *part :
             {"<title>Fix the tests</title>", "<h1>Fix the tests</h1>",
              "<h2>You</h2>\n<pre>Fix the tests\nplease", "<h2>Call bash</h2>", "exit code 1",
              "collected 3 items", "One test fails.", "Turn 1 ended: finished"})
            QVERIFY2(text.contains(part), part);
        QVERIFY(!text.contains("Half an ans")); // Withdrawn.
        QVERIFY(text.startsWith("<!DOCTYPE html>") && text.endsWith("</html>\n"));
    }

    /// Nothing from outside is markup: the tags of the page are those that it always has.
    void isInert()
    {
        const QByteArrayList hostile = {
            "<script>alert(1)</script>",
            "<img src=http://evil.example/x onerror=alert(1)>",
            "</pre></section><iframe src='//evil.example'>",
            "&lt;b&gt; &#60;b&#62;",
            "![x](http://evil.example/y) [a](javascript:x)",
            "\\u001b]0;title\\u0007",
            "a\\u202eb\\u2066",
            "]]><!-- --><style>@import url(http://evil.example)</style>",
        };
        Tests::EventScript script;
        script.addCreated();
        for (const QByteArray &text : hostile) {
            const QString call = newId();
            script.add(EventKind::ConversationRenamed, "{\"title\":\"" + text + "\",\"by\":\"user\"}");
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
        const QString text = QString::fromUtf8(page(script));
        QVERIFY(text.contains(u"evil.example"_s)); // As text.
        static const QRegularExpression Tag(u"<[^>]*>"_s);
        static const QRegularExpression Ours(
            u"^<(!DOCTYPE html|html lang=\"en\"|/?head|meta [a-z-]+=\"[^\"<>]*\"( content=\"[^\"<>]*\")?|"
            "/?style|/?title|/?body|/?header|/?main|/?section|/?h1|/?h2|/html|/p|p class=\"note\"|/pre|pre|"
            "pre class=\"code\")>$"_s);
        int tags = 0;
        for (auto it = Tag.globalMatch(text); it.hasNext(); ++tags) {
            const QString tag = it.next().captured();
            QVERIFY2(Ours.match(tag).hasMatch(), qPrintable(tag));
        }
        QVERIFY(tags > 40);
        QCOMPARE(text.count(u"<style>"_s), 1);
        QVERIFY(text.contains(u"default-src 'none'"_s));
        QVERIFY(text.indexOf(u"Content-Security-Policy"_s) < text.indexOf(u"<title>"_s));
        static const QRegularExpression Obeyed(
            u"[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\x{202a}-\\x{202e}\\x{2066}-\\x{2069}]"_s);
        QVERIFY(!text.contains(Obeyed));
        // An entity that somebody wrote is shown as it was written.
        QVERIFY(text.contains(u"&amp;lt;b&amp;gt; &amp;#60;b&amp;#62;"_s));
    }

    void aLongConversationIsWhole()
    {
        Tests::EventScript script;
        script.addCreated();
        for (int i = 0; i < 450; ++i)
            script.add(EventKind::Note, "{\"text\":\"number " + QByteArray::number(i) + " stands here\"}");
        for (int i = 0; i < 10; ++i)
            script.add(EventKind::UserMessage,
                       "{\"messageId\":\"" + newId().toUtf8() + "\",\"text\":\"big" + QByteArray::number(i)
                           + QByteArray(900'000, 'x') + "\"}");
        const QByteArray text = page(script);
        for (int i = 0; i < 450; ++i)
            QCOMPARE(text.count(QByteArray("number " + QByteArray::number(i) + " stands here")), 1);
        for (int i = 0; i < 10; ++i)
            QCOMPARE(text.count(QByteArray("<pre>big" + QByteArray::number(i) + "xxx")), 1);
    }

    void failuresAreSaid()
    {
        Tests::EventScript script;
        script.addCreated();
        const QString dir = m_temp.filePath(u"failures"_s);
        {
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY(store);
            (*store)->append(script.all(), false);
        }
        auto reader = LogReader::open(dir);
        QVERIFY(reader);
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        QVERIFY(!exportHtml(**reader, newId(), buffer));
        QFile full(u"/dev/full"_s);
        if (!full.open(QIODevice::WriteOnly | QIODevice::Unbuffered))
            QSKIP("no /dev/full");
        const auto failed = exportHtml(**reader, script.conversation(), full);
        QVERIFY(!failed);
        QCOMPARE(failed.error().kind, ErrorKind::Storage);
    }
};

QTEST_GUILESS_MAIN(TestExportHtml)
#include "tst_exporthtml.moc"
