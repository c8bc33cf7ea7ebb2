// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/keyringfixture.h"
#include "support/modelserver.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::AnthropicModelServer;
using Tests::KeyringFixture;
using Tests::ModelReply;

namespace {
constexpr int Patience = 60'000;
constexpr auto Key = "sk-ant-api03-kept-4f0c1a2b3c4d5e6f70819-20a1b2c3d4e5f60718";
} // namespace

/// Keys as a person in a terminal keeps them, in a real keychain, and where they go from there.
class TestKeys : public Tests::Test {
    Q_OBJECT

    struct Outcome {
        int code = -1;
        QByteArray out;
        QByteArray err;
    };
    QByteArray m_seen; ///< Everything any program printed.

    Outcome run(const KeyringFixture &desktop, const QStringList &arguments, const QByteArray &input = {})
    {
        const std::unique_ptr<QProcess> process =
            desktop.launch(QStringLiteral(PH_PROGRAM_DIR) + u"/pilothouse-cli"_s, arguments, input);
        // The model's server lives in this thread.
        (void)QTest::qWaitFor([&process] { return process->state() == QProcess::NotRunning; }, Patience);
        Outcome outcome{process->exitCode(), process->readAllStandardOutput(),
                        process->readAllStandardError()};
        m_seen += outcome.out + outcome.err;
        return outcome;
    }
    static void forgetEnvironment(KeyringFixture &desktop)
    {
        for (const auto *name : {"ANTHROPIC_API_KEY", "SUPERSERVE_API_KEY", "OPENAI_API_KEY"})
            desktop.environment().remove(QLatin1StringView(name));
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        m_seen.clear();
    }

    void aKeyIsKeptUsedAndForgotten()
    {
        AnthropicModelServer model;
        KeyringFixture desktop;
        QVERIFY2(desktop.start(KeyringFixture::Bus::Keyring), qPrintable(desktop.errorText()));
        forgetEnvironment(desktop);
        desktop.environment().insert(u"ANTHROPIC_BASE_URL"_s, model.baseUrl().toString());
        const QStringList turn{
            u"run"_s,          u"--sandbox"_s, u"local"_s, u"--model"_s, u"anthropic/claude-sonnet-5-5"_s,
            u"--after-turn"_s, u"keep"_s,      u"Go."_s};

        Outcome outcome = run(desktop, turn);
        QCOMPARE(outcome.code, 3);
        QVERIFY2(outcome.err.contains("There is no key for Anthropic"), outcome.err.constData());

        outcome = run(desktop, {u"keys"_s, u"set"_s, u"anthropic"_s}, QByteArray(Key) + "\n");
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        outcome = run(desktop, {u"keys"_s, u"list"_s, u"--json"_s});
        QCOMPARE(outcome.code, 0);
        const Json all = parseJson(outcome.out.trimmed()).value_or(Json());
        bool isListed = false;
        for (const Json &entry : all.elements()) {
            if (entry[u"service"].toString() != "anthropic"_L1)
                continue;
            isListed = true;
            QCOMPARE(entry[u"source"].toString(), u"keychain"_s);
            QCOMPARE(entry[u"hint"].toString(), u"sk-ant-…0718"_s);
        }
        QVERIFY2(isListed, outcome.out.constData());

        model.enqueue(ModelReply().text(u"Hello."_s));
        outcome = run(desktop, turn);
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(model.requests().size(), 1);
        QCOMPARE(model.loopback()->requests().last().header("x-api-key"), QByteArray(Key));
        outcome = run(desktop, {u"doctor"_s});
        QVERIFY2(outcome.out.contains("keys from the keychain: ANTHROPIC_API_KEY"), outcome.out.constData());

        // To no other address.
        AnthropicModelServer other;
        desktop.environment().insert(u"ANTHROPIC_BASE_URL"_s, other.baseUrl().toString());
        outcome = run(desktop, turn);
        QCOMPARE(outcome.code, 3);
        QVERIFY(other.loopback()->requests().isEmpty());
        desktop.environment().insert(u"ANTHROPIC_BASE_URL"_s, model.baseUrl().toString());

        // Locked: said, and nothing is sent.
        QVERIFY(desktop.lock());
        outcome = run(desktop, turn);
        QCOMPARE(outcome.code, 3);
        QVERIFY2(outcome.err.contains("The keychain is locked."), outcome.err.constData());
        outcome = run(desktop, {u"keys"_s, u"delete"_s, u"anthropic"_s});
        QVERIFY(outcome.code != 0);
        QVERIFY2(outcome.err.contains("still in the keychain"), outcome.err.constData());
        QCOMPARE(model.requests().size(), 1);

        QVERIFY(!m_seen.contains(Key));
        QVERIFY(!desktop.allFiles().contains(Key));
    }

    void withoutAKeychainNothingIsWritten()
    {
        KeyringFixture desktop;
        QVERIFY(desktop.start(KeyringFixture::Bus::None));
        forgetEnvironment(desktop);
        const Outcome outcome = run(desktop, {u"keys"_s, u"set"_s, u"anthropic"_s}, Key);
        QCOMPARE(outcome.code, 3);
        QVERIFY2(outcome.err.contains("No keychain answers"), outcome.err.constData());
        QVERIFY2(outcome.err.contains("The key was not stored."), outcome.err.constData());
        QVERIFY(!m_seen.contains(Key));
        QVERIFY(!desktop.allFiles().contains(Key));
    }

    void badInput_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("no service") << QStringList{u"set"_s, u"nobody"_s} << QByteArray(Key)
                                    << QByteArray("no service \"nobody\"");
        QTest::newRow("no key needed")
            << QStringList{u"set"_s, u"local"_s} << QByteArray(Key) << QByteArray("no service \"local\"");
        QTest::newRow("empty") << QStringList{u"set"_s, u"anthropic"_s} << QByteArray(" \n")
                               << QByteArray("held no key");
        QTest::newRow("no verb") << QStringList{} << QByteArray() << QByteArray("keys list");
        QTest::newRow("other verb") << QStringList{u"show"_s} << QByteArray() << QByteArray("keys list");
        QTest::newRow("a key as argument") << QStringList{u"set"_s, u"anthropic"_s, u"sk-ant-secret"_s}
                                           << QByteArray() << QByteArray("keys list");
    }
    void badInput()
    {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, input);
        QFETCH(QByteArray, said);
        KeyringFixture desktop;
        QVERIFY(desktop.start(KeyringFixture::Bus::None));
        forgetEnvironment(desktop);
        const Outcome outcome = run(desktop, QStringList{u"keys"_s} + words, input);
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.contains(said), outcome.err.constData());
        QVERIFY(!outcome.err.contains("sk-ant-secret"));
    }
};

QTEST_GUILESS_MAIN(TestKeys)
#include "tst_keys.moc"
