// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "util/json.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestJson : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void keepsOrderAndNumberText()
    {
        const QByteArray text = R"({"z":1.0,"a":[1e400,-0,12345678901234567890],"m":{"y":null,"b":true}})";
        const auto parsed = parseJson(text);
        QVERIFY(parsed);
        QCOMPARE(parsed->toJson(), text);
    }

    void strings_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("value");
        QTest::newRow("escapes") << QByteArray("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"")
                                 << u"\"\\/\b\f\n\r\tA"_s;
        QTest::newRow("pair") << QByteArray("\"\\ud83d\\ude00\"") << u"😀"_s;
        QTest::newRow("lone high half is kept") << QByteArray("\"\\ud83d\"") << QString(QChar(0xd83d));
        QTest::newRow("line separators") << QByteArray("\"\xE2\x80\xA8\"") << QString(QChar(0x2028));
    }
    void strings()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, value);
        const auto parsed = parseJson(text);
        QVERIFY(parsed);
        QCOMPARE(parsed->toString(), value);
    }

    void joinedHalvesBecomeOneCharacter()
    {
        const QString joined = parseJson("\"\\ud83d\"")->toString() + parseJson("\"\\ude00\"")->toString();
        QCOMPARE(Json::string(joined).toJson(), QByteArray("\"😀\""));
        QCOMPARE(Json::string(joined.left(1)).toJson(), QByteArray("\"\xEF\xBF\xBD\""));
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char *text : {"",
                                 " ",
                                 "{",
                                 "[1,]",
                                 "{\"a\":1,}",
                                 "{a:1}",
                                 "01",
                                 "1.",
                                 ".5",
                                 "+1",
                                 "-",
                                 "1e",
                                 "tru",
                                 "nulll",
                                 "\"\\d\"",
                                 "\"\\u12g4\"",
                                 "\"\\u123",
                                 "\"\n\"",
                                 "\"\xff\"",
                                 "\"\xC0\xAF\"",
                                 "\"\xED\xA0\x80\"",
                                 "\xEF\xBB\xBF{}",
                                 "{} x",
                                 "NaN",
                                 "'a'",
                                 "\"abc",
                                 "[1 2]",
                                 "{\"a\" 1}"})
            QTest::addRow("%s", QByteArray(text).toPercentEncoding().constData()) << QByteArray(text);
        QTest::newRow("too deep") << QByteArray(200, '[') + QByteArray(200, ']');
    }
    void refuses()
    {
        QFETCH(QByteArray, text);
        const auto parsed = parseJson(text);
        QVERIFY(!parsed);
        QVERIFY(!parsed.error().message.isEmpty());
        QVERIFY(parsed.error().offset <= text.size());
    }

    void everyCutOfAnObjectIsRefused()
    {
        const QByteArray text = R"({"path":"src/a.cpp","from":120,"deep":[{"x":"\u00e9"},false]})";
        QVERIFY(parseJson(text));
        for (qsizetype i = 0; i < text.size(); ++i)
            QVERIFY2(!parseJson(text.left(i)), text.left(i).constData());
    }

    void duplicates()
    {
        const QByteArray text = R"({"a":1,"b":2,"a":3})";
        QCOMPARE(parseJson(text)->toJson(), QByteArray(R"({"a":3,"b":2})"));
        JsonParseOptions strict;
        strict.rejectDuplicates = true;
        QVERIFY(!parseJson(text, strict));
        QByteArray many = "{";
        for (int i = 0; i < 40; ++i)
            many += "\"k" + QByteArray::number(i) + "\":" + QByteArray::number(i) + ",";
        many += "\"k7\":99}";
        QVERIFY(!parseJson(many, strict));
        QCOMPARE((*parseJson(many))[u"k7"].toInteger(0), 99);
        QCOMPARE(parseJson(many)->size(), 40);
    }

    void rawControlsOnlyOnRequest()
    {
        JsonParseOptions tolerant;
        tolerant.allowRawControls = true;
        const auto parsed = parseJson("\"a\nb\"", tolerant);
        QVERIFY(parsed);
        QCOMPARE(parsed->toJson(), QByteArray("\"a\\nb\""));
    }

    void builderWritesInOrder()
    {
        const QByteArray json = JsonBuilder()
                                    .add("z"_L1, u"é\"\x1b"_s)
                                    .add("n"_L1, 7)
                                    .addOptional("u"_L1, {})
                                    .raw("r"_L1, "[1, 2]")
                                    .add("b"_L1, true)
                                    .take();
        QCOMPARE(json, QByteArray("{\"z\":\"é\\\"\\u001b\",\"n\":7,\"u\":null,\"r\":[1, 2],\"b\":true}"));
        QCOMPARE(JsonBuilder().take(), QByteArray("{}"));
    }

    void numbers()
    {
        QCOMPARE(parseJson("9223372036854775807")->toInteger().value(), Q_INT64_C(9223372036854775807));
        QVERIFY(!parseJson("9223372036854775808")->toInteger());
        QCOMPARE(parseJson("3.0")->toInteger().value(), 3);
        QVERIFY(!parseJson("3.5")->toInteger());
        QVERIFY(!Json::string(u"3"_s).toInteger());
        QCOMPARE(Json::number(0.1).toJson(), QByteArray("0.1"));
        QVERIFY(Json::number(qInf()).isNull());
        QVERIFY(*parseJson("1.0") == *parseJson("1"));
        QVERIFY(*parseJson("{\"a\":1,\"b\":2}") == *parseJson("{\"b\":2,\"a\":1}"));
    }
};

QTEST_GUILESS_MAIN(TestJson)
#include "tst_json.moc"
