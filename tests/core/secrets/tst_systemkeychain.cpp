// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "secrets/keychain.h"
#include "support/keyringfixture.h"
#include "support/testmain.h"

#include <QCryptographicHash>
#include <QSet>
#include <QTest>
#include <QUrl>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::DisplayFixture;
using Tests::KeyringFixture;

namespace {

constexpr auto Key = "sk-test-4f0c1a2b3c4d5e6f7081920a1b2c3d4e";
const auto Program = QStringLiteral(PH_KEYCHAIN_PROGRAM);
const QStringList Here{u"anthropic"_s, u"https://api.anthropic.com"_s};
constexpr qint64 LongestBlock = 50; // Milliseconds in which nothing else was done.

QStringList ask(const QStringList &operations, const QString &thread = u"main"_s, int slowMs = 3000,
                int limitMs = 20'000)
{
    return QStringList{QString::number(slowMs), QString::number(limitMs), thread} + operations;
}
QStringList operation(const QString &what, const QStringList &name = Here)
{
    return QStringList{what} + name;
}

QString digest(const QByteArray &key)
{
    return QString::fromLatin1(QCryptographicHash::hash(key, QCryptographicHash::Sha256).toHex());
}

} // namespace

/// The keychain of a real desktop service in each state it can be in.
class TestSystemKeychain : public Tests::Test {
    Q_OBJECT

    static QStringList results(const QList<Json> &lines)
    {
        QStringList out;
        for (const Json &line : lines) {
            if (line[u"result"].isString())
                out.append(line[u"result"].toString());
        }
        return out;
    }
    static void checkNeverBlocked(const QList<Json> &lines)
    {
        for (const Json &line : lines)
            QVERIFY2(line[u"longestGap"].toInteger(0) <= LongestBlock, line.toJson().constData());
    }

private Q_SLOTS:
    void namesAreBoundToOrigins_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("origin");
        QTest::newRow("plain") << u"https://api.anthropic.com/v1?x=1#y"_s << u"https://api.anthropic.com"_s;
        QTest::newRow("own port") << u"https://API.example.com:443/v1"_s << u"https://api.example.com"_s;
        QTest::newRow("other port") << u"https://api.example.com:8443/"_s
                                    << u"https://api.example.com:8443"_s;
        QTest::newRow("loopback") << u"http://127.0.0.1:11434/v1"_s << u"http://127.0.0.1:11434"_s;
        QTest::newRow("user") << u"https://me:pw@api.example.com/"_s << u"https://api.example.com"_s;
        QTest::newRow("ipv6") << u"http://[::1]:80/"_s << u"http://[::1]"_s;
        QTest::newRow("other scheme") << u"ftp://api.example.com/"_s << QString();
        QTest::newRow("no host") << u"https:///v1"_s << QString();
        QTest::newRow("no address") << u"api.example.com"_s << QString();
    }
    void namesAreBoundToOrigins()
    {
        QFETCH(QString, url);
        QTEST(originOf(QUrl(url)), "origin");
    }

    void keepsReadsAndForgets_data()
    {
        QTest::addColumn<QString>("thread");
        QTest::newRow("main") << u"main"_s;
        QTest::newRow("worker") << u"worker"_s; // As in the engine.
    }
    void keepsReadsAndForgets()
    {
        QFETCH(QString, thread);
        KeyringFixture desktop;
        QVERIFY2(desktop.start(KeyringFixture::Bus::Keyring), qPrintable(desktop.errorText()));
        const QStringList other{u"anthropic"_s, u"https://proxy.example.com"_s};
        QList<Json> lines = desktop.run(Program,
                                        ask(operation(u"read"_s) + operation(u"write"_s)
                                                + operation(u"read"_s) + operation(u"read"_s, other),
                                            thread),
                                        Key);
        QCOMPARE(results(lines), (QStringList{u"not-there"_s, u"ok"_s, u"ok"_s, u"not-there"_s}));
        QCOMPARE(lines[2][u"digest"].toString(), digest(Key));
        checkNeverBlocked(lines);
        QVERIFY2(desktop.errorText().isEmpty(), qPrintable(desktop.errorText()));
        // Another process, later.
        lines = desktop.run(
            Program,
            ask(operation(u"read"_s) + operation(u"erase"_s) + operation(u"read"_s) + operation(u"erase"_s),
                thread));
        QCOMPARE(results(lines), (QStringList{u"ok"_s, u"ok"_s, u"not-there"_s, u"ok"_s}));
        QCOMPARE(lines[0][u"digest"].toString(), digest(Key));
        QVERIFY(!desktop.allFiles().contains(Key));
    }

    void withoutAService_data()
    {
        QTest::addColumn<KeyringFixture::Bus>("bus");
        QTest::newRow("no bus") << KeyringFixture::Bus::None;
        QTest::newRow("dead bus") << KeyringFixture::Bus::Dead;
        QTest::newRow("no service") << KeyringFixture::Bus::Empty;
    }
    void withoutAService()
    {
        QFETCH(KeyringFixture::Bus, bus);
        KeyringFixture desktop;
        QVERIFY2(desktop.start(bus), qPrintable(desktop.errorText()));
        const QList<Json> lines = desktop.run(
            Program, ask(operation(u"read"_s) + operation(u"write"_s) + operation(u"erase"_s)), Key);
        QCOMPARE(results(lines), (QStringList{u"none"_s, u"none"_s, u"none"_s}));
        checkNeverBlocked(lines);
        QVERIFY(!desktop.allFiles().contains(Key)); // No plain file in its place.
    }

    // A locked service says "no such key" and "deleted"; neither is true.
    void lockedAndUnableToAsk()
    {
        KeyringFixture desktop;
        QVERIFY2(desktop.start(KeyringFixture::Bus::Keyring), qPrintable(desktop.errorText()));
        QCOMPARE(results(desktop.run(Program, ask(operation(u"write"_s)), Key)), QStringList{u"ok"_s});
        QVERIFY(desktop.lock());
        const QList<Json> lines = desktop.run(
            Program, ask(operation(u"read"_s) + operation(u"write"_s) + operation(u"erase"_s)), Key);
        QCOMPARE(results(lines), (QStringList{u"locked"_s, u"locked"_s, u"locked"_s}));
        checkNeverBlocked(lines);
    }

    // It has to ask for the password of its first keyring, and cannot: that is not the same as no service at
    // all.
    void withoutAKeyring()
    {
        KeyringFixture desktop;
        QVERIFY2(desktop.start(KeyringFixture::Bus::NoKeyring), qPrintable(desktop.errorText()));
        const QList<Json> lines =
            desktop.run(Program, ask(operation(u"read"_s) + operation(u"write"_s)), Key);
        QCOMPARE(results(lines), (QStringList{u"not-there"_s, u"dismissed"_s}));
        checkNeverBlocked(lines);
        QVERIFY(!desktop.allFiles().contains(Key));
    }

    void askedSlowDismissedAndGivenUp()
    {
        DisplayFixture display;
        QVERIFY(display.start());
        KeyringFixture desktop;
        QVERIFY2(desktop.start(KeyringFixture::Bus::Keyring, display.address()),
                 qPrintable(desktop.errorText()));
        QCOMPARE(results(desktop.run(Program, ask(operation(u"write"_s)), Key)), QStringList{u"ok"_s});
        QVERIFY(desktop.lock());

        // Nobody answers: it is told as slow, then given up; what waits behind it is given up as well.
        QList<Json> lines =
            desktop.run(Program, ask(operation(u"read"_s) + operation(u"read"_s), u"worker"_s, 200, 1500));
        QCOMPARE(results(lines), (QStringList{u"no-result"_s, u"no-result"_s}));
        QVERIFY(lines.last()[u"wasSlow"].toBool());
        checkNeverBlocked(lines);

        // The person closes the question.
        const std::unique_ptr<QProcess> process =
            desktop.launch(Program, ask(operation(u"read"_s), u"worker"_s, 200, 20'000));
        QByteArray output;
        QProcess keys;
        keys.setProcessEnvironment(desktop.environment());
        QTRY_VERIFY_WITH_TIMEOUT((output += process->readAllStandardOutput()).contains("slow"), 20'000);
        QTRY_VERIFY2_WITH_TIMEOUT(
            [&] {
                keys.start(u"xdotool"_s,
                           {u"search"_s, u"--onlyvisible"_s, u"--name"_s, u"."_s, u"windowfocus"_s, u"key"_s,
                            u"Escape"_s});
                keys.waitForFinished(5000);
                output += process->readAllStandardOutput();
                return process->state() == QProcess::NotRunning;
            }(),
            output.constData(), 20'000);
        output += process->readAllStandardOutput();
        lines = KeyringFixture::lines(output);
        QCOMPARE(results(lines), QStringList{u"dismissed"_s});
        checkNeverBlocked(lines);
    }

    void refusesWhatIsNoKey()
    {
        KeyringFixture desktop;
        QVERIFY2(desktop.start(KeyringFixture::Bus::Keyring), qPrintable(desktop.errorText()));
        QCOMPARE(results(desktop.run(Program, ask(operation(u"write"_s)), QByteArray(4000, 'k'))),
                 QStringList{u"failed"_s});
        QCOMPARE(results(desktop.run(Program, ask(operation(u"write"_s)), {})), QStringList{u"failed"_s});
        QCOMPARE(results(desktop.run(Program,
                                     ask(operation(u"read"_s, {u"a/b"_s, u"https://api.example.com"_s})))),
                 QStringList{u"failed"_s});
        QCOMPARE(results(desktop.run(
                     Program, ask(operation(u"read"_s, {u"anthropic"_s, u"https://api.example.com/v1"_s})))),
                 QStringList{u"failed"_s});
    }

    // Every state has its own words, and each offers the same three ways on.
    void everyFaultHasWords()
    {
        QSet<QString> messages;
        for (const auto kind :
             {KeychainFault::Kind::None, KeychainFault::Kind::Locked, KeychainFault::Kind::Dismissed,
              KeychainFault::Kind::NoResult, KeychainFault::Kind::Failed}) {
            const Error error = keychainError({kind, u"in its words"_s});
            messages.insert(error.message);
            QVERIFY(!error.kept.isEmpty());
            for (const QString &way : {u"try again"_s, u"for this session only"_s, u"environment variable"_s})
                QVERIFY2(error.todo.contains(way, Qt::CaseInsensitive), qPrintable(error.todo));
        }
        QCOMPARE(messages.size(), 5);
    }
};

QTEST_GUILESS_MAIN(TestSystemKeychain)
#include "tst_systemkeychain.moc"
