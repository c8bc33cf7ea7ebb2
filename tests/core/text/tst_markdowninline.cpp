// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "text/markdowninline.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Style = MarkdownInline::Style;

namespace {

// Runs as text: <b>…</b> and so on.
QString marked(const MarkdownInline &text)
{
    QString out;
    for (const MarkdownInline::Run &run : text.runs) {
        QString words = text.text.mid(run.at, run.length);
        if (run.styles.testFlag(Style::Code))
            words = u"{"_s + words + u"}"_s;
        if (run.styles.testFlag(Style::Strike))
            words = u"~"_s + words + u"~"_s;
        if (run.styles.testFlag(Style::Italic))
            words = u"/"_s + words + u"/"_s;
        if (run.styles.testFlag(Style::Bold))
            words = u"*"_s + words + u"*"_s;
        if (run.styles.testFlag(Style::Link))
            words = u"["_s + words + u"]("_s + text.targets.value(run.target) + u")"_s;
        if (run.styles.testFlag(Style::Image))
            words = u"!("_s + words + u")"_s;
        out += words;
    }
    return out;
}

} // namespace

class TestMarkdownInline : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void styles_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        const auto add = [](const char *name, const QString &text, const QString &shown) {
            QTest::newRow(name) << text << shown;
        };
        add("plain", u"a b"_s, u"a b"_s);
        add("bold", u"a **b** c"_s, u"a *b* c"_s);
        add("italic", u"a *b* _c_"_s, u"a /b/ /c/"_s);
        add("both", u"***a***"_s, u"*/a/*"_s);
        add("nested", u"**a *b* c**"_s, u"*a **/b/** c*"_s);
        add("not closed", u"**a"_s, u"**a"_s);
        add("snake case stays", u"some_long_name"_s, u"some_long_name"_s);
        add("stars as signs", u"2 * 3 * 4"_s, u"2 * 3 * 4"_s);
        add("strike", u"~~a~~ b"_s, u"~a~ b"_s);
        add("code", u"run `a *b*` now"_s, u"run {a *b*} now"_s);
        add("code with backtick", u"``a`b``"_s, u"{a`b}"_s);
        add("code not closed", u"`a"_s, u"`a"_s);
        add("escapes", u"\\*a\\* \\\\"_s, u"*a* \\"_s);
        add("link", u"[a](https://x.org/y \"t\")"_s, u"[a](https://x.org/y)"_s);
        add("link with round brackets", u"[a](https://x.org/y_(z))"_s, u"[a](https://x.org/y_(z))"_s);
        add("bold link", u"**[a](https://x.org)**"_s, u"[*a*](https://x.org)"_s);
        add("script is no link", u"[a](javascript:x)"_s, u"a (javascript:x)"_s);
        add("bold script is no link", u"**[a](javascript:x)** b"_s, u"*a (javascript:x)* b"_s);
        add("file is no link", u"[a](file:///etc/passwd)"_s, u"a (file:///etc/passwd)"_s);
        add("data is no link", u"[a](data:text/html;base64,AAAA)"_s, u"a (data:text/html;base64,AAAA)"_s);
        add("path is no link", u"[a](/home/user/x.txt)"_s, u"a (/home/user/x.txt)"_s);
        add("path as its own words", u"[b/x.txt](b/x.txt) c"_s, u"b/x.txt c"_s);
        add("hidden marks in a script link", u"[c](vbscript:\u0001y)"_s, u"c (vbscript:\\u{1}y)"_s);
        add("bare address", u"see https://x.org/a."_s, u"see [https://x.org/a](https://x.org/a)."_s);
        add("angle", u"<https://x.org>"_s, u"[https://x.org](https://x.org)"_s);
        add("brackets", u"a[1] = [b]"_s, u"a[1] = [b]"_s);
        add("image", u"![chart](http://h/x.png)"_s, u"!(chart)"_s);
        add("html is text", u"<b>a</b> <img src=x>"_s, u"<b>a</b> <img src=x>"_s);
        add("entities", u"&lt;a&gt; &amp;"_s, u"<a> &"_s);
        add("soft line end", u"a\nb"_s, u"a b"_s);
        add("hard line end", u"a  \nb"_s, u"a\u2028b"_s);
        add("direction override", u"a\u202Eb"_s, u"a\\u{202e}b"_s);
        add("entity of an override", u"a&#x202E;b"_s, u"a\\u{202e}b"_s);
        add("right to left", u"שלום **עולם**"_s, u"שלום *עולם*"_s);
    }
    void styles()
    {
        QFETCH(QString, text);
        QTEST(marked(parseMarkdownInline(text)), "shown");
    }

    void tablesUnescapePipesInCode()
    {
        MarkdownInlineOptions options;
        options.inTable = true;
        QCOMPARE(marked(parseMarkdownInline(u"`a\\|b` \\|"_s, options)), u"{a}{|b} |"_s);
    }

    void peoplesWordsKeepTheirLines()
    {
        MarkdownInlineOptions options;
        options.keepLineBreaks = true;
        options.marks = false;
        QCOMPARE(marked(parseMarkdownInline(u"a *b*\n`c`"_s, options)), u"a *b*\u2028{c}"_s);
    }

    void dataAddressesAreNotKept()
    {
        const MarkdownInline text =
            parseMarkdownInline(QString(u"![x](data:image/png;base64,"_s + QString(3000, u'A') + u")"_s));
        QCOMPARE(text.images.size(), 1);
        QVERIFY(text.images.first().target.size() <= 64);
        QVERIFY(!text.text.contains(u"AAAA"_s));
    }

    void placesGoBothWays()
    {
        const QString source = u"a **bc** `d` \u202E é [link](https://x.org) e"_s;
        const MarkdownInline text = parseMarkdownInline(source);
        for (qsizetype at = 0; at < text.text.size(); ++at) {
            const qsizetype place = text.toSource(at);
            QVERIFY(place >= 0 && place <= source.size());
            if (text.text[at] == source.mid(place, 1).at(0))
                QCOMPARE(text.fromSource(place), at);
        }
        QCOMPARE(source.mid(text.toSource(text.text.indexOf(u"bc"_s)), 2), u"bc"_s);
    }

    void openableTargets_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<bool>("isOpenable");
        QTest::newRow("https") << u"https://x.org/a?b=c"_s << true;
        QTest::newRow("http") << u"HTTP://x.org"_s << true;
        QTest::newRow("mail") << u"mailto:a@b.c"_s << true;
        QTest::newRow("file") << u"file:///etc/passwd"_s << false;
        QTest::newRow("script") << u"javascript:alert(1)"_s << false;
        QTest::newRow("relative") << u"../x"_s << false;
        QTest::newRow("with a blank") << u"https://x.org/a b"_s << false;
        QTest::newRow("with an override") << u"https://x.org/\u202Egpj"_s << false;
        QTest::newRow("empty") << u"https://"_s << false;
    }
    void openableTargets()
    {
        QFETCH(QString, target);
        QTEST(isOpenableTarget(target), "isOpenable");
    }

    // Every piece of random marks is covered by runs, and takes linear time.
    void anythingIsParsed()
    {
        const QString alphabet = u"*_~`[]()!<>&\\ \nab:/#|\u202E"_s;
        QRandomGenerator random(3);
        for (int i = 0; i < 2000; ++i) {
            QString source;
            for (int j = random.bounded(60); j >= 0; --j)
                source += alphabet[random.bounded(static_cast<int>(alphabet.size()))];
            const MarkdownInline text = parseMarkdownInline(source);
            qsizetype at = 0;
            qsizetype place = 0;
            for (const MarkdownInline::Run &run : text.runs) {
                QCOMPARE(run.at, at);
                QVERIFY(run.source >= place);
                at += run.length;
                place = run.source + run.sourceLength;
            }
            QCOMPARE(at, text.text.size());
            QVERIFY(place <= source.size());
        }
        for (const QString &mark : {u"*"_s, u"**a"_s, u"[a]("_s, u"[a](<"_s, u"`"_s, u"![["_s, u"_a*"_s,
                                    u"<a"_s, u"``a`"_s, u"[a](b"_s, u"~~a"_s, u"*a_b "_s}) {
            QElapsedTimer timer;
            timer.start();
            const QString source = mark.repeated(8000 / mark.size());
            Q_UNUSED(parseMarkdownInline(source));
            QVERIFY2(timer.elapsed() < 200, qPrintable(mark));
        }
    }
};

QTEST_MAIN(TestMarkdownInline)
#include "tst_markdowninline.moc"
