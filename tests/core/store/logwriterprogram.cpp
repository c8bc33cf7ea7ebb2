// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// Writes a log until it is killed or told otherwise, for tests that need a process of their own.
//   DATADIR hold                 takes the folder and waits for the end of its input
//   DATADIR write CONVERSATION   appends batches for ever, a line "seq" for each commit
//   DATADIR fill CONVERSATION B  the same with no file larger than B bytes; ends at the first failure: prints
//   the error,
//                                lifts the limit, retries, prints "retried SEQ" when all is written

#include "core/store/eventscript.h"
#include "store/logreader.h"
#include "store/store.h"

#include <QCoreApplication>
#include <QFile>
#include <QSocketNotifier>
#include <QTimer>

#include <csignal>
#include <cstdio>

#include <sys/resource.h>
#include <unistd.h>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

void say(const QByteArray &line)
{
    const QByteArray text = line + '\n';
    if (::write(STDOUT_FILENO, text.constData(), static_cast<size_t>(text.size())) < 0)
        ::_exit(9);
}

void setFileLimit(rlim_t bytes)
{
    rlimit limit = {};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = qMin(bytes, limit.rlim_max);
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

// One conversation that goes on: text, and a call's output, as a turn writes them.
class Writer : public QObject {
public:
    Writer(Store &store, const QString &conversation, bool endsAtFailure, qsizetype outputSize)
        : m_store(store)
        , m_script(conversation)
        , m_outputSize(outputSize)
    {
        m_script.addCreated();
        m_script.add(EventKind::TurnStart, "{\"turn\":1}");
        m_script.add(EventKind::ToolCall,
                     "{\"turn\":1,\"step\":1,\"attempt\":1,\"callId\":\"" + m_call.toUtf8()
                         + "\",\"toolName\":\"bash\",\"args\":{}}");
        append(m_script.all());
        connect(&store, &Store::committed, this, [this](quint64 ticket) {
            if (m_failures == 0) {
                say(QByteArray::number(m_seqs.value(ticket)));
                next();
            } else if (ticket == m_seqs.lastKey()) {
                say("retried " + QByteArray::number(m_seqs.last()));
                QCoreApplication::exit(0);
            }
        });
        connect(&store, &Store::failed, this, [this, endsAtFailure](quint64, const Error &error) {
            ++m_failures;
            if (!endsAtFailure)
                ::_exit(8);
            if (m_failures == 1) {
                say("failed " + errorKindName(error.kind).toUtf8() + ' ' + error.toText().toUtf8());
                next(); // Later batches are kept too.
                return;
            }
            if (m_failures > 2)
                ::_exit(7);
            say("pending " + QByteArray::number(m_store.pendingBytes()));
            setFileLimit(RLIM_INFINITY);
            m_store.retry();
        });
    }

private:
    void append(const EventBatch &batch)
    {
        const bool durable = m_seqs.size() % 3 == 0;
        const quint64 ticket = m_store.append(batch, durable);
        m_seqs.insert(ticket, m_script.lastSeq());
    }
    void next()
    {
        EventBatch batch;
        batch.append(m_script.add(EventKind::TextDelta,
                                  "{\"turn\":1,\"step\":1,\"attempt\":1,\"part\":0,\"text\":\""
                                      + QByteArray(300, 'x') + "\"}"));
        batch.append(m_script.addOutput(1, 1, m_call,
                                        QByteArray::number(m_script.lastSeq()) + " "
                                            + QByteArray(m_outputSize, 'o') + "\n"));
        append(batch);
    }

    Store &m_store;
    Tests::EventScript m_script;
    qsizetype m_outputSize;
    QString m_call = newId();
    QMap<quint64, qint64> m_seqs;
    int m_failures = 0;
};

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() < 3)
        return 2;
    std::signal(SIGXFSZ, SIG_IGN); // The limit then shows as an error of write(2), as a full disk does.
    auto store = Store::open(arguments[1], u"logwriterprogram"_s);
    if (!store) {
        say("failed " + errorKindName(store.error().kind).toUtf8() + ' ' + store.error().toText().toUtf8());
        return 3;
    }
    if (arguments[2] == "hold"_L1) {
        say("ready");
        QSocketNotifier input(STDIN_FILENO, QSocketNotifier::Read);
        QObject::connect(&input, &QSocketNotifier::activated, &app, [] { QCoreApplication::exit(0); });
        return QCoreApplication::exec();
    }
    if (arguments.size() < 4)
        return 2;
    const bool fills = arguments[2] == "fill"_L1;
    if (fills && arguments.size() > 4)
        setFileLimit(static_cast<rlim_t>(arguments[4].toULongLong()));
    const qsizetype outputSize = arguments.size() > 5 ? arguments[5].toInt() : 900;
    Writer writer(**store, arguments[3], fills, outputSize);
    return QCoreApplication::exec();
}
