// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/bashtool.h"
#include "agent/filetools.h"
#include "agent/schemavalidator.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestSchemaValidator : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void cases_data()
    {
        QTest::addColumn<QByteArray>("args");
        QTest::addColumn<QString>("path"); // Of the first problem; "-" for none.
        QTest::newRow("fits") << QByteArray("{\"path\":\"/a\",\"content\":\"x\"}") << u"-"_s;
        QTest::newRow("missing") << QByteArray("{\"path\":\"/a\"}") << u"content"_s;
        QTest::newRow("wrong type") << QByteArray("{\"path\":7,\"content\":\"x\"}") << u"path"_s;
        QTest::newRow("null for a required one")
            << QByteArray("{\"path\":null,\"content\":\"x\"}") << u"path"_s;
        QTest::newRow("unknown members are dropped")
            << QByteArray("{\"path\":\"/a\",\"content\":\"x\",\"mode\":7}") << u"-"_s;
    }
    void cases()
    {
        QFETCH(QByteArray, args);
        QFETCH(QString, path);
        Json value = *parseJson(args);
        const auto problems = SchemaValidator::validate(WriteFileTool().inputSchema(), value);
        QCOMPARE(problems.isEmpty() ? u"-"_s : problems.first().path.join(u'.'), path);
        QVERIFY(!value.contains(u"mode"));
    }

    void schemasBeyondPlainTypes()
    {
        const QByteArray schema =
            "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5},"
            "\"deep\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"enum\":["
            "\"x\"]}}}}}}";
        Json good = *parseJson("{\"n\":5,\"deep\":{\"a\":[\"x\"]}}");
        QVERIFY(SchemaValidator::validate(schema, good).isEmpty());
        Json bad = *parseJson("{\"n\":9}");
        QCOMPARE(SchemaValidator::validate(schema, bad).first().path, QStringList{u"n"_s});
        Json deep = *parseJson("{\"deep\":{\"a\":[\"x\",\"y\"]}}");
        const QList<SchemaProblem> problems = SchemaValidator::validate(schema, deep);
        QVERIFY(!problems.isEmpty());
    }

    void brokenSchemaIsAProblemNotACrash()
    {
        Json args = *parseJson("{\"a\":1}");
        QVERIFY(!SchemaValidator::validate(
                     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"wrong-word\"}}}", args)
                     .isEmpty());
    }

    void refusalHasTheDocumentedShape()
    {
        Json args = Json::object();
        const QByteArray schema = BashTool().inputSchema();
        const auto refusal =
            parseJson(SchemaValidator::refusal(u"bash"_s, SchemaValidator::validate(schema, args), "{}"));
        QVERIFY(refusal);
        QCOMPARE((*refusal)[u"error"].toBool(), true);
        QVERIFY((*refusal)[u"message"].toString().contains(u"bash"_s));
        QVERIFY((*refusal)[u"validationErrors"][u"errors"].isArray());
        QCOMPARE((*refusal)[u"validationErrors"][u"fields"][u"command"][u"errors"].size(), 1);
        QVERIFY((*refusal)[u"validationErrors"][u"fields"][u"command"][u"fields"].isObject());
    }
};

QTEST_GUILESS_MAIN(TestSchemaValidator)
#include "tst_schemavalidator.moc"
