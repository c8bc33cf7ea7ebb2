// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "text/codelexer.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Token = CodeSpan::Token;

namespace {

// Each line with its spans written as K(…), S(…) and so on.
QString painted(const QString &language, const QString &text)
{
    const CodeLexer lexer(language);
    CodeLexer::State state = 0;
    QStringList out;
    std::vector<CodeSpan> spans;
    for (const QString &line : text.split(u'\n')) {
        state = lexer.line(line, state, &spans);
        QString shown;
        qsizetype at = 0;
        for (const CodeSpan &span : spans) {
            shown += line.mid(at, span.at - at);
            shown += u"KSNCF+-"_s[static_cast<int>(span.token) - 1];
            shown += u'(' + line.mid(span.at, span.length) + u')';
            at = span.at + span.length;
        }
        out.append(QString(shown + line.mid(at)));
    }
    return out.join(u'\n');
}

} // namespace

class TestCodeLexer : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void languages_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("painted");
        const auto add = [](const char *language, const QString &text, const QString &expected) {
            QTest::addRow("%s: %s", language, qPrintable(text))
                << QString::fromLatin1(language) << text << expected;
        };
        add("cpp", u"int f(0x1F); // a"_s, u"K(int) F(f)(N(0x1F)); C(// a)"_s);
        add("C++", u"#include \"a\\\"b\" /* x\ny */ return;"_s,
            u"K(#include) S(\"a\\\"b\") C(/* x)\nC(y */) K(return);"_s);
        add("py", u"def f(a): # c\n    '''x\ny''' 1.5e-3"_s,
            u"K(def) F(f)(a): C(# c)\n    S('''x)\nS(y''') N(1.5e-3)"_s);
        add("py", u"@dec"_s, u"F(@dec)"_s);
        add("ts", u"const a = `b\n${c}`;"_s, u"K(const) a = S(`b)\nS(${c}`);"_s);
        add("json", u"{\"a\": \"b\", \"c\": [1, true]}"_s,
            u"{K(\"a\"): S(\"b\"), K(\"c\"): [N(1), K(true)]}"_s);
        add("sh", u"if [ $a = \"b\" ]; then # c\necho a#b"_s,
            u"K(if) [ F($a) = S(\"b\") ]; K(then) C(# c)\nK(echo) a#b"_s);
        add("sql", u"SELECT a FROM b WHERE c = 'it' -- d"_s,
            u"K(SELECT) a K(FROM) b K(WHERE) c = S('it') C(-- d)"_s);
        add("html", u"<a href=\"b\">if</a><!-- c\nd -->"_s,
            u"K(<a) F(href)=S(\"b\")K(>)ifK(</a)K(>)C(<!-- c)\nC(d -->)"_s);
        add("yaml", u"a: true # c\n- b: \"x\""_s, u"K(a): N(true) C(# c)\n- K(b): S(\"x\")"_s);
        add("toml", u"a = 'b'"_s, u"K(a) = S('b')"_s);
        add("diff", u"@@ -1 +1 @@\n-a\n+b\n c"_s, u"F(@@ -1 +1 @@)\n-(-a)\n+(+b)\n c"_s);
        add("rust", u"fn main() { let x = \"a\"; }"_s, u"K(fn) F(main)() { K(let) x = S(\"a\"); }"_s);
        add("dockerfile", u"FROM a\nrun b"_s, u"K(FROM) a\nK(run) b"_s);
        add("unheard of", u"int a = 1; // b"_s, u"int a = 1; // b"_s);
    }
    void languages()
    {
        QFETCH(QString, language);
        QFETCH(QString, text);
        QTEST(painted(language, text), "painted");
    }

    void filesHaveLanguages()
    {
        QCOMPARE(CodeLexer::languageOfFile(u"/a/b.py"), u"python"_s);
        QCOMPARE(CodeLexer::languageOfFile(u"src/x.test.tsx"), u"javascript"_s);
        QCOMPARE(CodeLexer::languageOfFile(u"Dockerfile"), u"dockerfile"_s);
        QCOMPARE(CodeLexer::languageOfFile(u"CMakeLists.txt"), u"cmake"_s);
        QVERIFY(CodeLexer::languageOfFile(u"notes.txt").isEmpty());
        QVERIFY(CodeLexer::languages().size() >= 20);
        for (const QString &name : CodeLexer::languages())
            QVERIFY(CodeLexer(name).isKnown());
    }

    // Any text in any language: spans stand in order inside the line; a long line costs no more than its
    // bound.
    void anythingIsLexed()
    {
        const QString alphabet = u"\"'`#/*-<>!=$@{}()[]\\ .:;ab1\u202E"_s;
        QRandomGenerator random(5);
        for (const QString &language : CodeLexer::languages()) {
            const CodeLexer lexer(language);
            CodeLexer::State state = 0;
            std::vector<CodeSpan> spans;
            for (int i = 0; i < 400; ++i) {
                QString line;
                for (int j = random.bounded(50); j >= 0; --j)
                    line += alphabet[random.bounded(static_cast<int>(alphabet.size()))];
                state = lexer.line(line, state, &spans);
                qsizetype at = 0;
                for (const CodeSpan &span : spans) {
                    QVERIFY(span.at >= at);
                    QVERIFY(span.length > 0);
                    at = span.at + span.length;
                }
                QVERIFY(at <= line.size());
            }
            QElapsedTimer timer;
            timer.start();
            for (const QChar c : alphabet)
                Q_UNUSED(lexer.line(QString(1'000'000, c), 0, &spans));
            QVERIFY2(timer.elapsed() < 2000, qPrintable(language));
        }
    }
};

QTEST_MAIN(TestCodeLexer)
#include "tst_codelexer.moc"
