// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// One program per state of the desktop: the bus and the library's view of the service last as long as a
// process. keychainprogram SLOW_MS LIMIT_MS main|worker (read|write|erase KIND ORIGIN)…; a key to write comes
// on stdin. Prints a JSON object per operation.

#include "secrets/systemkeychain.h"
#include "util/json.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QFile>
#include <QThread>
#include <QTimer>

#include <algorithm>
#include <cstdio>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::milliseconds Beat(5);

QString word(KeychainFault::Kind kind)
{
    switch (kind) {
    case KeychainFault::Kind::None:
        return u"none"_s;
    case KeychainFault::Kind::NotThere:
        return u"not-there"_s;
    case KeychainFault::Kind::Locked:
        return u"locked"_s;
    case KeychainFault::Kind::Dismissed:
        return u"dismissed"_s;
    case KeychainFault::Kind::NoResult:
        return u"no-result"_s;
    case KeychainFault::Kind::Failed:
        return u"failed"_s;
    }
    return {};
}

class Run : public QObject {
public:
    Run(const QStringList &arguments, const Secret &key)
        : m_keychain(u"org.pilothouse.Test"_s,
                     {std::chrono::milliseconds(arguments[0].toInt()),
                      std::chrono::milliseconds(arguments[1].toInt())},
                     this)
        , m_operations(arguments.mid(3))
        , m_key(key)
    {
        connect(&m_keychain, &Keychain::slow, this, [this](bool slow) {
            m_wasSlow = m_wasSlow || slow;
            if (slow)
                say({{u"slow"_s, Json::boolean(true)}});
        });
        m_beat.setParent(this);
        connect(&m_beat, &QTimer::timeout, this,
                [this] { m_longest = std::max(m_longest, m_sinceBeat.restart()); });
        m_sinceBeat.start();
        m_beat.start(Beat);
    }

    void next()
    {
        if (m_operations.size() < 3) {
            QCoreApplication::exit(0);
            return;
        }
        const QString what = m_operations.takeFirst();
        KeyName name;
        name.kind = m_operations.takeFirst();
        name.origin = m_operations.takeFirst();
        m_timer.start();
        const auto done = [this](const Result<Done, KeychainFault> &outcome) {
            tell(outcome ? Result<Secret, KeychainFault>(Secret()) : fail(outcome.error()));
        };
        if (what == "read"_L1)
            m_keychain.read(name, this, [this](const Result<Secret, KeychainFault> &key) { tell(key); });
        else if (what == "write"_L1)
            m_keychain.write(name, m_key, this, done);
        else
            m_keychain.erase(name, this, done);
    }

private:
    static void say(const QList<QPair<QString, Json>> &members)
    {
        Json out = Json::object();
        for (const auto &[key, value] : members)
            out.set(key, value);
        std::fputs(out.toJson().append('\n').constData(), stdout);
        std::fflush(stdout);
    }
    void tell(const Result<Secret, KeychainFault> &outcome)
    {
        QString digest;
        if (outcome && !outcome->isEmpty())
            digest = QString::fromLatin1(
                QCryptographicHash::hash(outcome->reveal(), QCryptographicHash::Sha256).toHex());
        say({{u"result"_s, Json::string(outcome ? u"ok"_s : word(outcome.error().kind))},
             {u"digest"_s, Json::string(digest)},
             {u"detail"_s, Json::string(outcome ? QString() : outcome.error().detail)},
             {u"ms"_s, Json::number(m_timer.elapsed())},
             {u"longestGap"_s, Json::number(m_longest)},
             {u"wasSlow"_s, Json::boolean(m_wasSlow)}});
        next();
    }

    SystemKeychain m_keychain;
    QStringList m_operations;
    Secret m_key;
    QElapsedTimer m_timer;
    QElapsedTimer m_sinceBeat;
    QTimer m_beat;
    qint64 m_longest = 0;
    bool m_wasSlow = false;
};

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    const QStringList arguments = QCoreApplication::arguments().mid(1);
    if (arguments.size() < 6)
        return 2;
    QByteArray input;
    if (arguments.contains(u"write"_s)) {
        QFile in;
        if (in.open(stdin, QIODevice::ReadOnly))
            input = in.readAll();
    }
    const Secret key(input);
    const bool isWorker = arguments[2] == "worker"_L1;
    QThread worker;
    auto *run = new Run(arguments, key);
    QMetaObject::invokeMethod(
        run, [run] { run->next(); }, Qt::QueuedConnection);
    if (isWorker) {
        run->moveToThread(&worker);
        QObject::connect(&worker, &QThread::finished, run, &QObject::deleteLater);
        worker.start();
    }
    const int code = QCoreApplication::exec();
    worker.quit();
    worker.wait();
    if (!isWorker)
        delete run;
    return code;
}
