// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/apierror.h"
#include "support/testmain.h"

#include <QSet>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestApiError : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void everyCategoryHasItsWord()
    {
        QSet<QString> words;
        for (int i = static_cast<int>(ApiError::Category::InvalidRequest);
             i <= static_cast<int>(ApiError::Category::Local); ++i)
            words.insert(categoryName(static_cast<ApiError::Category>(i)));
        QCOMPARE(words.size(), 20);
    }

    void categoryByStatus_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("category");
        QTest::addColumn<bool>("retryable");
        QTest::newRow("400") << 400 << u"invalid_request"_s << false;
        QTest::newRow("401") << 401 << u"auth"_s << false;
        QTest::newRow("402") << 402 << u"billing"_s << false;
        QTest::newRow("403") << 403 << u"permission"_s << false;
        QTest::newRow("404") << 404 << u"not_found"_s << false;
        QTest::newRow("405") << 405 << u"invalid_request"_s << false;
        QTest::newRow("408") << 408 << u"timeout"_s << true;
        QTest::newRow("409") << 409 << u"conflict"_s << false;
        QTest::newRow("410") << 410 << u"gone"_s << false;
        QTest::newRow("413") << 413 << u"too_large"_s << false;
        QTest::newRow("422") << 422 << u"invalid_request"_s << false;
        QTest::newRow("429") << 429 << u"rate_limit"_s << true;
        QTest::newRow("500") << 500 << u"server"_s << true;
        QTest::newRow("502") << 502 << u"server"_s << true;
        QTest::newRow("503") << 503 << u"overloaded"_s << true;
        QTest::newRow("504") << 504 << u"timeout"_s << true;
        QTest::newRow("507") << 507 << u"server"_s << true;
        QTest::newRow("529") << 529 << u"overloaded"_s << true;
        QTest::newRow("302") << 302 << u"redirect"_s << false;
        QTest::newRow("999") << 999 << u"protocol"_s << false;
    }
    void categoryByStatus()
    {
        QFETCH(int, status);
        QTEST(categoryName(categoryForStatus(status)), "category");
        QTEST(isRetryable(categoryForStatus(status)), "retryable");
    }

    void text_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        const auto row = [](const char *name, const QByteArray &body, const QString &text,
                            const QString &code = {}) { QTest::newRow(name) << body << text << code; };
        row("object", "{\"error\":{\"code\":\"conflict\",\"message\":\"sandbox is pausing\"}}",
            u"sandbox is pausing"_s, u"conflict"_s);
        row("string", "{\"error\":\"file not found\"}", u"file not found"_s);
        row("message", "{\"message\":\"no\",\"code\":\"x\"}", u"no"_s, u"x"_s);
        row("detail", "{\"detail\":\"Not here\"}", u"Not here"_s);
        row("plain", "invalid access token\n", u"invalid access token"_s);
        row("type",
            "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
            u"Overloaded"_s, u"overloaded_error"_s);
        row("array", "[{\"error\":{\"message\":\"first\",\"code\":7}}]", u"first"_s);
        row("empty", "", QString());
        row("html", "<!DOCTYPE html><html><body>502</body></html>", QString());
        row("html inside", "{\"error\":{\"message\":\"<html><b>x</b></html>\"}}", QString());
        row("html behind text", "Bad gateway <html>", QString());
        row("cut json", "{\"error\":{\"mess", QString());
        row("binary", QByteArray("\0\1\2", 3), QString());
        row("bad utf-8", "\xff\xfe\xfd\xfc", QString());
        row("number", "17", QString());
        row("null error", "{\"error\":null}", QString());
        row("controls", "{\"error\":\"a\\u0000b\\u001b[31m\\r\\nc\\u202ed\"}", u"ab[31m cd"_s);
        row("long code", "{\"error\":{\"code\":\"" + QByteArray(65, 'x') + "\",\"message\":\"m\"}}", u"m"_s);
    }
    void text()
    {
        QFETCH(QByteArray, body);
        QTEST(errorTextFromBody(body), "text");
        QTEST(errorCodeFromBody(body), "code");
    }

    void textIsBounded()
    {
        const QString text = errorTextFromBody("{\"error\":\"" + QByteArray(100000, 'x') + "\"}");
        QCOMPARE(text.size(), 500);
        QVERIFY(text.endsWith(u'…'));
        QVERIFY(errorTextFromBody(QByteArray(100000, 'x')).isEmpty());
        QVERIFY(errorTextFromBody(QByteArray(100000, '[')).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestApiError)
#include "tst_apierror.moc"
