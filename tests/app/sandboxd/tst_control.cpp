// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "apiclient.h"
#include "support/sandboxdfixture.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

constexpr int TransitionMs = 400;

QByteArray manyPairs(int count)
{
    QByteArray text = "{";
    for (int i = 0; i < count; ++i)
        text += (i > 0 ? ",\"k" : "\"k") + QByteArray::number(i) + "\":\"v\"";
    return text + '}';
}

} // namespace

/// Control plane: bodies, errors, filters and the table of states, driven with long transitions.
class TestControl : public Test {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(m_fast.start(), m_fast.errorText().constData());
        QVERIFY2(m_slow.start({u"--test-transition-ms"_s, QString::number(TransitionMs)}),
                 m_slow.errorText().constData());
    }

    void refusesWithoutKey_data()
    {
        QTest::addColumn<QByteArray>("target");
        QTest::newRow("list") << QByteArray("/sandboxes");
        QTest::newRow("one") << QByteArray("/sandboxes/00000000-0000-4000-8000-000000000000");
        QTest::newRow("templates") << QByteArray("/templates");
        QTest::newRow("lease") << QByteArray("/_local/lease");
    }
    void refusesWithoutKey()
    {
        QFETCH(QByteArray, target);
        const ApiClient client(m_fast);
        const Answer none = client.call("GET", target, {});
        QCOMPARE(none.status, 401);
        QCOMPARE(none.errorCode(), u"auth_failed"_s);
        QCOMPARE(client.call("GET", target, {{"X-API-Key", m_fast.key() + "x"}}).status, 401);
    }

    void refusesBadBodies_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("code");
        const auto row = [](const char *name, const QByteArray &body, int status = 400,
                            const QString &code = u"bad_request"_s) {
            QTest::newRow(name) << body << status << code;
        };
        row("malformed", "{\"name\":");
        row("empty", "");
        row("array", "[]");
        row("no name", "{}");
        row("empty name", "{\"name\":\"\"}");
        row("long name", "{\"name\":\"" + QByteArray(65, 'x') + "\"}");
        row("unknown member", "{\"name\":\"a\",\"cpu\":2}");
        row("65 metadata keys", "{\"name\":\"a\",\"metadata\":" + manyPairs(65) + '}');
        row("metadata number", "{\"name\":\"a\",\"metadata\":{\"a\":1}}");
        row("reserved prefix", "{\"name\":\"a\",\"metadata\":{\"SuperServe.x\":\"1\"}}");
        row("long metadata value", "{\"name\":\"a\",\"metadata\":{\"a\":\"" + QByteArray(2049, 'x') + "\"}}");
        row("65 variables", "{\"name\":\"a\",\"env_vars\":" + manyPairs(65) + '}');
        row("variable with =", "{\"name\":\"a\",\"env_vars\":{\"a=b\":\"1\"}}");
        row("variable with NUL", "{\"name\":\"a\",\"env_vars\":{\"a\":\"\\u0000\"}}");
        row("collision", "{\"name\":\"a\",\"env_vars\":{\"A\":\"1\"},\"secrets\":{\"A\":\"s\"}}");
        row("timeout 0", "{\"name\":\"a\",\"timeout_seconds\":0}");
        row("timeout text", "{\"name\":\"a\",\"timeout_seconds\":\"5\"}");
        row("timeout too long", "{\"name\":\"a\",\"timeout_seconds\":604801}");
        row("auto delete negative", "{\"name\":\"a\",\"auto_delete_seconds\":-1}");
        row("preview access", "{\"name\":\"a\",\"preview_access\":\"legacy_public\"}");
        row("domain denied", "{\"name\":\"a\",\"network\":{\"deny_out\":[\"example.com\"]}}");
        row("IPv6", "{\"name\":\"a\",\"network\":{\"allow_out\":[\"::1\"]}}");
        row("unknown template", "{\"name\":\"a\",\"from_template\":\"x\"}", 404, u"not_found"_s);
        row("secrets", "{\"name\":\"a\",\"secrets\":{\"A\":\"s\"}}", 501, u"not_implemented"_s);
        row("snapshot", "{\"name\":\"a\",\"from_snapshot\":\"s\"}", 501, u"not_implemented"_s);
        row("larger than 1 MiB", "{\"name\":\"" + QByteArray(1100000, 'x') + "\"}", 413);
    }
    void refusesBadBodies()
    {
        QFETCH(QByteArray, body);
        QFETCH(int, status);
        QFETCH(QString, code);
        const Answer answer = ApiClient(m_fast).control("POST", "/sandboxes", body);
        QCOMPARE(answer.status, status);
        QCOMPARE(answer.errorCode(), code);
        QVERIFY(!answer.json()[u"error"][u"message"].toString().isEmpty());
    }

    void answersUnknownThings()
    {
        const ApiClient client(m_fast);
        QCOMPARE(client.control("GET", "/sandboxes/00000000-0000-4000-8000-000000000000").errorCode(),
                 u"not_found"_s);
        QCOMPARE(client.control("GET", "/sandboxes/a_b").status, 400);
        QCOMPARE(client.control("GET", "/sandboxes/..%2F..%2Fetc").status, 400);
        QCOMPARE(client.control("GET", "/nothing").status, 404);
        QCOMPARE(client.control("PUT", "/sandboxes").status, 405);
        for (const char *path : {"/templates", "/secrets", "/providers", "/snapshots/x"})
            QCOMPARE(client.control("GET", path).errorCode(), u"not_implemented"_s);
    }

    /// Of many sandboxes and paths a script must learn which one was missing, and nothing else from it.
    void saysWhatIsMissing()
    {
        const ApiClient client(m_fast);
        const auto message = [](const Answer &answer) {
            return answer.json()[u"error"][u"message"].toString();
        };
        const QByteArray id = "00000000-0000-4000-8000-000000000000";
        for (const char *method : {"GET", "PATCH", "DELETE"}) {
            const Answer answer = client.control(method, "/sandboxes/" + id, "{}");
            QCOMPARE(answer.status, 404);
            QCOMPARE(message(answer), u"sandbox not found: "_s + QString::fromLatin1(id));
        }
        for (const char *action : {"activate", "resume", "pause"}) {
            const Answer answer = client.control("POST", "/sandboxes/" + id + '/' + action);
            QCOMPARE(answer.status, 404);
            QVERIFY(message(answer).contains(QString::fromLatin1(id)));
        }
        QVERIFY(message(client.control("GET", "/nothing/here")).endsWith(u": /nothing/here"_s));
        const Answer odd = client.control("GET", "/sandboxes/a%1B%5B2J%0A%E2%80%AEb");
        QCOMPARE(odd.status, 400);
        QCOMPARE(message(odd), u"malformed sandbox id: a\\u{1b}[2J\\u{a}\\u{202e}b"_s);
        const Answer longOne = client.control("GET", "/sandboxes/" + QByteArray(4000, 'x'));
        QCOMPARE(longOne.status, 400);
        QVERIFY(message(longOne).size() < 300);
        const SandboxRef sandbox = client.create();
        const QByteArray target = "/sandboxes/" + sandbox.id + "/files?path=";
        QCOMPARE(message(client.control("GET", target + "/none%0A")), u"no such folder: /none\\u{a}"_s);
        QCOMPARE(message(client.control("GET", target + "/etc/passwd")), u"not a folder: /etc/passwd"_s);
        QCOMPARE(client.control("DELETE", "/sandboxes/" + sandbox.id).status, 204);
        QCOMPARE(client.data(sandbox, "POST", "/exec", execBody(u"true"_s)).body,
                 "sandbox not found: " + sandbox.id + '\n');
    }

    void createsCompleteObject()
    {
        const ApiClient client(m_fast);
        const Answer answer = client.control(
            "POST", "//sandboxes",
            "{\"name\":\"whole\",\"timeout_seconds\":3600,\"auto_delete_seconds\":604800,"
            "\"metadata\":{\"z\":\"1\",\"a\":\"2\"},\"env_vars\":{\"V\":\"secret value\"},"
            "\"network\":{\"allow_out\":[\"pypi.org\",\"10.0.0.0/8\"],\"deny_out\":[\"0.0.0.0/0\"]}}");
        QCOMPARE(answer.status, 201);
        const Json object = answer.json();
        QCOMPARE(object[u"status"].toString(), u"active"_s);
        QCOMPARE(object[u"access_token"].toString().size(), 64);
        QCOMPARE(object[u"timeout_seconds"].toInteger(0), 3600);
        QCOMPARE(object[u"metadata"].toJson(), QByteArray("{\"z\":\"1\",\"a\":\"2\"}"));
        QCOMPARE(object[u"network"].toJson(),
                 QByteArray("{\"allow_out\":[\"10.0.0.0/8\",\"pypi.org\"],\"deny_out\":[\"0.0.0.0/0\"]}"));
        QCOMPARE(object[u"preview_access"].toString(), u"public"_s);
        QVERIFY(object[u"created_at"].toString().endsWith(u'Z'));
        QVERIFY(!answer.body.contains("secret value"));
        const SandboxRef sandbox = {object[u"id"].toString().toLatin1(),
                                    object[u"access_token"].toString().toLatin1()};
        QCOMPARE(client.exec(sandbox, u"printf %s \"$V\""_s)[u"stdout"].toString(), u"secret value"_s);
        QCOMPARE(client.control("DELETE", "/sandboxes/" + sandbox.id).status, 204);
        QCOMPARE(client.control("DELETE", "/sandboxes/" + sandbox.id).status, 404);
        QCOMPARE(client.data(sandbox, "POST", "/exec", execBody(u"true"_s)).status, 404);
    }

    void listsWithFilters()
    {
        const ApiClient client(m_fast);
        QList<SandboxRef> made;
        for (const char *name : {"list-b", "list-a", "list-c"}) {
            const Answer answer =
                client.control("POST", "/sandboxes",
                               QByteArray("{\"name\":\"") + name + "\",\"metadata\":{\"group\":\"g 1\"}}");
            made.append({answer.json()[u"id"].toString().toLatin1(), {}});
        }
        QCOMPARE(client.control("POST", "/sandboxes/" + made[1].id + "/pause").status, 204);
        const auto names = [&](const QByteArray &query) -> QString {
            const Answer answer = client.control("GET", "/sandboxes?metadata.group=g+1&" + query);
            QStringList list;
            const Json rows = answer.json();
            for (const Json &row : rows.elements())
                list.append(row[u"name"].toString());
            return list.join(u' ') + u'/' + QString::fromLatin1(answer.header("X-Total-Count"));
        };
        QCOMPARE(names("sort=name&order=asc"), u"list-a list-b list-c/3"_s);
        QCOMPARE(names("sort=name&limit=2"), u"list-c list-b/3"_s);
        QCOMPARE(names("sort=name&limit=2&offset=2"), u"list-a/3"_s);
        QCOMPARE(names("status=paused"), u"list-a/1"_s);
        QCOMPARE(names("q=st-c"), u"list-c/1"_s);
        QCOMPARE(names("metadata.other=x"), u"/0"_s);
        QCOMPARE(names("offset=9"), u"/3"_s);
        const Answer rows = client.control("GET", "/sandboxes?metadata.group=g%201");
        QVERIFY(!rows.body.contains("access_token"));
        for (const char *query : {"metadata.a=1&metadata.a=2", "status=asleep", "limit=0", "limit=x",
                                  "offset=-1", "sort=size", "order=up"})
            QCOMPARE(client.control("GET", QByteArray("/sandboxes?") + query).status, 400);
        for (const SandboxRef &sandbox : made)
            QCOMPARE(client.control("DELETE", "/sandboxes/" + sandbox.id).status, 204);
    }

    void patches()
    {
        const ApiClient client(m_fast);
        const SandboxRef sandbox = client.create(",\"metadata\":{\"a\":\"1\"},\"timeout_seconds\":60");
        const QByteArray target = "/sandboxes/" + sandbox.id;
        const Answer patched =
            client.control("PATCH", target, "{\"metadata\":{\"b\":\"2\"},\"timeout_seconds\":null}");
        QCOMPARE(patched.status, 204);
        QVERIFY(patched.body.isEmpty());
        const Json object = client.control("GET", target).json();
        QCOMPARE(object[u"metadata"].toJson(), QByteArray("{\"b\":\"2\"}"));
        QVERIFY(!object.contains(u"timeout_seconds"));
        QCOMPARE(client.control("PATCH", target, "{}").status, 400);
        QCOMPARE(client.control("PATCH", target, "{\"name\":\"x\"}").status, 400);
        QCOMPARE(client.control("PATCH", target, "{\"env_vars\":{}}").status, 400);
        QCOMPARE(client.control("DELETE", target).status, 204);
        QCOMPARE(client.control("PATCH", target, "{\"metadata\":{}}").status, 404);
    }

    void deletesOnPause()
    {
        const ApiClient client(m_fast);
        const SandboxRef now = client.create(",\"auto_delete_seconds\":0");
        QCOMPARE(client.control("POST", "/sandboxes/" + now.id + "/pause").status, 204);
        QTRY_COMPARE_WITH_TIMEOUT(client.control("GET", "/sandboxes/" + now.id).status, 404, 5000);
        const SandboxRef later = client.create(",\"auto_delete_seconds\":3600");
        const QByteArray target = "/sandboxes/" + later.id;
        QVERIFY(!client.control("GET", target).json().contains(u"auto_delete_at"));
        QCOMPARE(client.control("POST", target + "/pause").status, 204);
        QVERIFY(client.control("GET", target).json().contains(u"auto_delete_at"));
        QCOMPARE(client.control("POST", target + "/resume").status, 200);
        QVERIFY(!client.control("GET", target).json().contains(u"auto_delete_at"));
        QCOMPARE(client.control("POST", target + "/pause").status, 204);
        QCOMPARE(client.control("PATCH", target, "{\"auto_delete_seconds\":1}").status, 204);
        QCOMPARE(client.control("GET", target).status, 200);
        QTRY_COMPARE_WITH_TIMEOUT(client.control("GET", target).status, 404, 5000);
    }

    void pausesWhenTimeIsUp()
    {
        const ApiClient client(m_fast);
        const SandboxRef sandbox = client.create(",\"timeout_seconds\":1");
        const auto socket = client.begin("POST", "/exec/stream", ApiClient::dataHeaders(sandbox),
                                         execBody(u"echo begun; sleep 30"_s, 60));
        const Answer cut = ApiClient::finish(*socket, 10000);
        QCOMPARE(cut.status, 200);
        QVERIFY(cut.body.contains("begun"));
        QVERIFY(!cut.body.contains("finished"));
        QVERIFY(!cut.isWhole);
        QTRY_COMPARE_WITH_TIMEOUT(client.status(sandbox), u"paused"_s, 5000);
        // A new full window.
        QCOMPARE(client.control("POST", "/sandboxes/" + sandbox.id + "/activate").status, 200);
        QCOMPARE(client.exec(sandbox, u"sleep 0.5; echo ok"_s)[u"stdout"].toString(), u"ok\n"_s);
    }

    void keepsTableOfTransitions_data()
    {
        QTest::addColumn<QString>("state");
        for (const char *state : {"starting", "pausing", "resuming"})
            QTest::newRow(state) << QString::fromLatin1(state);
    }
    void keepsTableOfTransitions()
    {
        QFETCH(QString, state);
        const ApiClient client(m_slow);
        const QByteArray name = state.toLatin1();
        SandboxRef sandbox;
        std::unique_ptr<QTcpSocket> pending;
        if (state == "starting"_L1) {
            pending = client.begin("POST", "/sandboxes", client.controlHeaders(), "{\"name\":\"starting\"}");
            QTRY_VERIFY_WITH_TIMEOUT(client.control("GET", "/sandboxes?q=starting").json().size() == 1, 2000);
            const Json row = client.control("GET", "/sandboxes?q=starting").json().at(0);
            sandbox.id = row[u"id"].toString().toLatin1();
            sandbox.token = client.control("GET", "/sandboxes/" + sandbox.id)
                                .json()[u"access_token"]
                                .toString()
                                .toLatin1();
        } else {
            sandbox = client.create();
            if (state == "resuming"_L1)
                QCOMPARE(client.control("POST", "/sandboxes/" + sandbox.id + "/pause").status, 204);
            const QByteArray action = state == "pausing"_L1 ? "/pause" : "/resume";
            pending = client.begin("POST", "/sandboxes/" + sandbox.id + action, client.controlHeaders());
        }
        const QByteArray target = "/sandboxes/" + sandbox.id;
        QTRY_COMPARE_WITH_TIMEOUT(client.status(sandbox), state, 2000);
        QCOMPARE(client.control("PATCH", target, "{\"metadata\":{\"a\":\"1\"}}").status, 204);
        QCOMPARE(client.control("PATCH", target, "{\"network\":{}}").status, 409);
        QCOMPARE(client.control("POST", target + "/pause").errorCode(), u"conflict"_s);
        QCOMPARE(client.control("POST", target + "/resume").status, 409);
        QCOMPARE(client.control("DELETE", target).status, 409);
        const Answer exec = client.data(sandbox, "POST", "/exec", execBody(u"true"_s));
        QCOMPARE(exec.status, 503);
        QCOMPARE(exec.body, QByteArray("sandbox is " + name + '\n'));
        QCOMPARE(client.data(sandbox, "GET", "/files?path=/etc/passwd").status, 503);
        QCOMPARE(client.status(sandbox), state); // All of that happened during the transition.
        const Answer activated = client.control("POST", target + "/activate"); // Waits, then succeeds.
        QCOMPARE(activated.status, 200);
        QCOMPARE(activated.json()[u"status"].toString(), u"active"_s);
        QCOMPARE(activated.json()[u"access_token"].toString().size(), 64);
        QVERIFY(ApiClient::finish(*pending).status < 300);
        QCOMPARE(client.exec(sandbox, u"true"_s)[u"exit_code"].toInteger(-1), 0);
        QCOMPARE(client.control("DELETE", target).status, 204);
    }

    void keepsTableOfSettledStates()
    {
        const ApiClient client(m_fast);
        const SandboxRef sandbox = client.create();
        const QByteArray target = "/sandboxes/" + sandbox.id;
        // active
        QCOMPARE(client.control("POST", target + "/resume").status, 409);
        QCOMPARE(client.control("POST", target + "/activate").status, 200);
        QCOMPARE(client.control("PATCH", target, "{\"network\":{\"allow_out\":[\"pypi.org\"]}}").status, 204);
        QCOMPARE(client.control("POST", target + "/pause").status, 204);
        // paused
        QCOMPARE(client.status(sandbox), u"paused"_s);
        QCOMPARE(client.control("POST", target + "/pause").status, 409);
        QCOMPARE(client.control("PATCH", target, "{\"network\":{}}").status, 409);
        QCOMPARE(client.control("PATCH", target, "{\"metadata\":{}}").status, 204);
        QCOMPARE(client.data(sandbox, "POST", "/exec", execBody(u"true"_s)).status, 503);
        QCOMPARE(client.status(sandbox), u"paused"_s); // Nothing of that woke it.
        const Answer resumed = client.control("POST", target + "/resume");
        QCOMPARE(resumed.status, 200);
        QVERIFY(resumed.json().contains(u"access_token"));
        QCOMPARE(client.control("POST", target + "/pause").status, 204);
        QCOMPARE(client.control("DELETE", target).status, 204);
    }

    void pausesInBackground()
    {
        const ApiClient client(m_slow);
        const SandboxRef sandbox = client.create();
        const QByteArray target = "/sandboxes/" + sandbox.id;
        const Answer accepted = client.control("POST", target + "/pause", {}, {{"Prefer", "respond-async"}});
        QCOMPARE(accepted.status, 202);
        QCOMPARE(accepted.json()[u"status"].toString(), u"pausing"_s);
        QTRY_COMPARE_WITH_TIMEOUT(client.status(sandbox), u"paused"_s, 5000);
        QCOMPARE(client.control("DELETE", target).status, 204);
    }

    void activatesForTwoAtOnce()
    {
        const ApiClient client(m_slow);
        const SandboxRef sandbox = client.create();
        const QByteArray target = "/sandboxes/" + sandbox.id;
        QCOMPARE(client.control("POST", target + "/pause").status, 204);
        const auto first = client.begin("POST", target + "/activate", client.controlHeaders());
        const auto second = client.begin("POST", target + "/activate", client.controlHeaders());
        QCOMPARE(ApiClient::finish(*first).status, 200);
        QCOMPARE(ApiClient::finish(*second).status, 200);
        QCOMPARE(client.control("DELETE", target).status, 204);
    }

    void listsFilesAndWakes()
    {
        const ApiClient client(m_fast);
        const SandboxRef sandbox = client.create();
        QCOMPARE(client.data(sandbox, "POST", "/files?path=/home/user/one.txt", "abc").status, 200);
        const QByteArray target = "/sandboxes/" + sandbox.id;
        QCOMPARE(client.control("POST", target + "/pause").status, 204);
        const Answer listing = client.control("GET", target + "/files?path=/home/user");
        QCOMPARE(listing.status, 200);
        QCOMPARE(listing.json()[u"entries"].at(0)[u"name"].toString(), u"one.txt"_s);
        QCOMPARE(listing.json()[u"entries"].at(0)[u"size"].toInteger(0), 3);
        QVERIFY(!listing.json().contains(u"truncated"));
        QCOMPARE(client.status(sandbox), u"active"_s);
        QCOMPARE(client.control("GET", target + "/files?path=home").status, 400);
        QCOMPARE(client.control("GET", target + "/files?path=/home/..").status, 400);
        QCOMPARE(client.control("GET", target + "/files?path=/home/user/one.txt").status, 400);
        QCOMPARE(client.control("GET", target + "/files?path=/missing").status, 404);
        QCOMPARE(client.control("GET", target + "/files").status, 200);
    }

private:
    SandboxdFixture m_fast;
    SandboxdFixture m_slow;
};

} // namespace Pilothouse::Tests

QTEST_GUILESS_MAIN(Pilothouse::Tests::TestControl)
#include "tst_control.moc"
