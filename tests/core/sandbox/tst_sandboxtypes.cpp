// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/sandboxtypes.h"
#include "sandbox/sandboxwire.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {
QByteArray tail(int length) { return QByteArray("aB3_-").repeated(10).left(length); }
} // namespace

class TestSandboxTypes : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void endpoint_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QString>("base");
        QTest::addColumn<QString>("data");
        QTest::addColumn<QString>("control");
        QTest::addColumn<QString>("http");
        QTest::addColumn<QString>("socket");
        const QString use = u"https://api.superserve.ai"_s;
        const QString usw = u"https://api-usw.superserve.ai"_s;
        const QString useData = u"https://sandbox.superserve.ai/exec"_s;
        const QString uswData = u"https://usw-sandbox.superserve.ai/exec"_s;
        const QString useSocket = u"wss://boxd-sb-1.sandbox.superserve.ai/exec/connect"_s;
        const QString uswSocket = u"wss://boxd-sb-1.usw-sandbox.superserve.ai/exec/connect"_s;
        const auto row = [](const char *name, const QByteArray &key, const QString &base, const QString &data,
                            const QString &control, const QString &http, const QString &socket) {
            QTest::newRow(name) << key << base << data << control << http << socket;
        };
        row("older key", "ss_live_" + tail(32), {}, {}, use, useData, useSocket);
        row("use", "ss_live_use_" + tail(32), {}, {}, use, useData, useSocket);
        row("usw", "ss_live_usw_" + tail(32), {}, {}, usw, uswData, uswSocket);
        row("unknown region", "ss_live_mars_" + tail(32), {}, {}, use, useData, useSocket);
        row("31 characters", "ss_live_usw_" + tail(31), {}, {}, use, useData, useSocket);
        row("33 characters", "ss_live_usw_" + tail(33), {}, {}, use, useData, useSocket);
        row("upper-case region", "ss_live_USW_" + tail(32), {}, {}, use, useData, useSocket);
        row("line end", "ss_live_usw_" + tail(32) + "\n", {}, {}, use, useData, useSocket);
        row("other key", "staging!", {}, {}, use, useData, useSocket);
        row("blank base", "ss_live_usw_" + tail(32), u"  \t"_s, u" "_s, usw, uswData, uswSocket);
        row("base beats region", "ss_live_usw_" + tail(32), u" https://api.superserve.ai// "_s, {}, use,
            useData, useSocket);
        row("staging", "k", u"https://api-staging.superserve.ai"_s, {},
            u"https://api-staging.superserve.ai"_s, u"https://staging-sandbox.superserve.ai/exec"_s,
            u"wss://boxd-sb-1.staging-sandbox.superserve.ai/exec/connect"_s);
        row("unknown host", "k", u"https://sandboxes.example.com"_s, {}, u"https://sandboxes.example.com"_s,
            useData, useSocket);
        row("unknown host, own data plane", "k", u"https://sandboxes.example.com"_s,
            u"https://data.example.com/"_s, u"https://sandboxes.example.com"_s,
            u"https://data.example.com/exec"_s, u"wss://data.example.com/exec/connect"_s);
        row("loopback", "k", u"http://127.0.0.1:4711/"_s, {}, u"http://127.0.0.1:4711"_s,
            u"http://127.0.0.1:4711/exec"_s, u"ws://127.0.0.1:4711/exec/connect"_s);
        row("localhost", "k", u"http://localhost:1"_s, {}, u"http://localhost:1"_s,
            u"http://localhost:1/exec"_s, u"ws://localhost:1/exec/connect"_s);
    }
    void endpoint()
    {
        QFETCH(QByteArray, key);
        QFETCH(QString, base);
        QFETCH(QString, data);
        const SandboxEndpoint made = SandboxEndpoint::superserve(Secret(key), base, data);
        QCOMPARE(made.backend, u"superserve"_s);
        QTEST(made.control.toString(), "control");
        QTEST(SandboxWire::dataUrl(made, "/exec").toString(), "http");
        bool needsHeader = false;
        QTEST(SandboxWire::socketUrl(made, u"sb-1"_s, needsHeader).toString(), "socket");
        // The routing header goes along exactly where the host does not name the sandbox.
        QFETCH(QString, socket);
        QCOMPARE(needsHeader, !socket.contains(u"boxd-"_s));
    }

    void jsonOfASandbox()
    {
        const auto answer = SandboxWire::readSandbox(
            "{\"access_token\":\"tok-secret-9\",\"id\":\"sb-1\",\"status\":\"hovering\",\"name\":\"n\","
            "\"created_at\":\"2026-01-01T00:00:00Z\",\"timeout_seconds\":3600,\"metadata\":{\"z\":\"1\","
            "\"a\":\"2\",\"n\":3},"
            "\"processes_lost\":true}");
        QVERIFY(answer.has_value());
        QCOMPARE(answer->token.reveal(), QByteArray("tok-secret-9"));
        QCOMPARE(
            answer->info.toJson().toJson(),
            QByteArray(
                "{\"id\":\"sb-1\",\"name\":\"n\",\"status\":\"hovering\",\"created_at\":\"2026-01-01T00:00:"
                "00Z\","
                "\"timeout_seconds\":3600,\"metadata\":{\"z\":\"1\",\"a\":\"2\"},\"processes_lost\":true}"));
        QCOMPARE(answer->info.metadataValue(u"a"_s), u"2"_s);
        QCOMPARE(answer->info.metadataValue(u"b"_s), QString());
    }
};

QTEST_GUILESS_MAIN(TestSandboxTypes)
#include "tst_sandboxtypes.moc"
