// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "runcommand.h"

#include "exitcodes.h"
#include "store/logreader.h"
#include "store/ndjson.h"

#include <unistd.h>

namespace Pilothouse::Cli {

using namespace Qt::StringLiterals;

namespace {

constexpr int EventsPerRead = 500;

QByteArray settingsMembers(const ConversationSettings &settings)
{
    JsonBuilder members;
    const auto add = [&members](QLatin1StringView key, const QString &value) {
        if (!value.isEmpty())
            members.add(key, value);
    };
    add("provider"_L1, settings.provider);
    add("model"_L1, settings.model);
    add("afterTurn"_L1, settings.afterTurn);
    add("approval"_L1, settings.approval);
    add("instructions"_L1, settings.instructions);
    if (settings.maxSteps > 0)
        members.add("maxSteps"_L1, settings.maxSteps);
    // Of the next machine that is made, in the form that a new conversation has them.
    const auto payload = parseJson(settings.toPayload());
    for (const QString &key : {u"sandboxTemplate"_s, u"sandboxTimeoutSeconds"_s,
                               u"sandboxAutoDeleteSeconds"_s, u"networkAllow"_s, u"networkDeny"_s}) {
        if (payload && payload->contains(key))
            members.add(QLatin1StringView(key.toLatin1()), (*payload)[key]);
    }
    // Rules are one whole: those of before must not stay beside new ones.
    if (settings.network != SandboxNetwork() && settings.network.allowOut.isEmpty())
        members.add("networkAllow"_L1, Json::array());
    return members.take();
}

} // namespace

RunCommand::RunCommand(Engine *engine, RunOptions options, Console *console)
    : m_engine(engine)
    , m_options(std::move(options))
    , m_console(console)
    , m_printer(console)
{
    connect(&m_signals, &UnixSignals::interrupted, this, &RunCommand::onInterrupt);
    connect(m_engine, &Engine::eventsReady, this, &RunCommand::onEvents);
    connect(m_engine, &Engine::turnEnded, this, [this](const QString &conversation, const QString &reason) {
        if (conversation == m_conversation)
            onTurnEnded(reason);
    });
    connect(m_engine, &Engine::lagged, this, [this] {
        // Whoever reads us is slower than the turn. Nothing is lost: the log has it.
        if (m_log)
            return;
        auto log = LogReader::open(m_engine->dataDir());
        if (log)
            m_log = std::move(*log);
        else
            m_console->error(log.error());
    });
    connect(m_engine, &Engine::storageProblem, this, [this] { m_lastError = StorageOrOwner; });
}

RunCommand::~RunCommand() = default;

void RunCommand::start()
{
    if (m_options.choosesMachine && m_options.conversation.isEmpty()) {
        m_engine->defaults(this, [this](const ConversationSettings &defaults) {
            const QString &chosen = m_options.settings.backend;
            if ((chosen.isEmpty() ? defaults.backend : chosen) == "superserve"_L1) {
                begin();
                return;
            }
            const Error error{ErrorKind::Usage,
                              u"Templates, time limits and network rules are for machines of Superserve; "
                              "this turn would run in the local sandbox, which has none of them."_s,
                              u"Nothing was sent."_s,
                              u"Leave them out, or use --sandbox superserve with a key."_s};
            m_console->error(error);
            m_ended = true;
            Q_EMIT done(UsageError);
        });
        return;
    }
    begin();
}

void RunCommand::begin()
{
    if (m_options.conversation.isEmpty()) {
        m_conversation = m_engine->createConversation(m_options.settings);
        if (!m_options.json)
            m_console->err(u"conversation "_s + m_conversation);
        submit();
        return;
    }
    m_conversation = m_options.conversation;
    const QByteArray members = settingsMembers(m_options.settings);
    if (members == "{}") {
        submit();
        return;
    }
    m_engine->changeSettings(m_conversation, members, this, [this](const Result<Done, Error> &changed) {
        if (changed) {
            submit();
        } else {
            m_console->error(changed.error());
            Q_EMIT done(exitCodeOf(changed.error()));
        }
    });
}

void RunCommand::submit()
{
    m_engine->submit(m_conversation, m_options.prompt, MessageDelivery::Now, this,
                     [this](const Result<Done, Error> &taken) {
                         if (taken)
                             return;
                         m_console->error(taken.error());
                         m_ended = true;
                         Q_EMIT done(exitCodeOf(taken.error()));
                     });
}

void RunCommand::show(const Event &event, const QByteArray &line)
{
    m_lastSeq = event.seq;
    if (m_options.json)
        m_console->outJson(line + '\n');
    else
        m_printer.print(event);
    if (event.kind == EventKind::ToolApproval)
        question(event);
    if (event.kind == EventKind::Error) {
        const Json payload = event.json();
        // The exit code follows the turn's reason; a storage error has no reason of its own.
        if (payload[u"kind"].toString() == errorKindName(ErrorKind::Storage))
            m_lastError = StorageOrOwner;
    }
}

void RunCommand::printFromLog()
{
    while (!m_console->readerGone()) {
        const auto page = m_log->events(m_conversation, m_lastSeq + 1, EventsPerRead);
        if (!page) {
            m_console->error(page.error());
            return;
        }
        for (const EventPtr &event : *page)
            show(*event, m_options.json ? ndjsonLine(*m_log, *event) : QByteArray());
        if (page->isEmpty())
            return;
    }
}

void RunCommand::onEvents(const EventBatch &events)
{
    if (m_log) {
        printFromLog(); // As far as it is written; what these bring follows later.
    } else {
        for (const EventDelivery &delivery : events) {
            const Event &event = *delivery.event;
            if (event.conversation == m_conversation)
                show(event, m_options.json ? eventToNdjson(event, delivery.bytes) : QByteArray());
        }
    }
    m_console->flush();
    if (m_console->readerGone() && !m_ended && m_interrupts == 0) {
        m_interrupts = 1; // Nobody reads any more: end the turn as Ctrl-C would.
        m_engine->stop(m_conversation);
    }
}

void RunCommand::question(const Event &event)
{
    const Json payload = event.json();
    if (payload[u"state"].toString() != "asked"_L1 || !m_options.canAsk)
        return;
    const QString callId = payload[u"callId"].toString();
    m_questions.append({callId, m_printer.callLine(callId)});
    if (m_questions.size() == 1)
        askNext();
}

void RunCommand::onTurnEnded(const QString &reason)
{
    if (m_ended)
        return;
    m_ended = true;
    m_stdin.reset();
    if (m_log)
        printFromLog(); // The end was committed before this was told.
    m_console->flush();
    Q_EMIT done(m_lastError != 0 ? m_lastError : exitCodeOfTurn(reason));
}

void RunCommand::onInterrupt()
{
    if (++m_interrupts == 1) {
        m_console->err(u"stopping the turn; Ctrl-C again leaves at once"_s);
        m_engine->stop(m_conversation);
        return;
    }
    m_console->flush();
    ::_exit(Interrupted); // At once: the log closes the turn as interrupted at the next start.
}

void RunCommand::askNext()
{
    if (m_questions.isEmpty()) {
        m_stdin.reset();
        return;
    }
    m_console->err(u"Run this call?  "_s + m_questions.first().line
                   + u"\n[y] allow once  [n] deny  [n REASON] deny and tell the model why"_s);
    if (!m_stdin) {
        m_stdin = std::make_unique<QSocketNotifier>(STDIN_FILENO, QSocketNotifier::Read);
        connect(m_stdin.get(), &QSocketNotifier::activated, this, &RunCommand::readAnswer);
    }
}

void RunCommand::readAnswer()
{
    char bytes[1024];
    const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (count <= 0) {
        m_stdin.reset(); // End of input is no answer: the turn goes on waiting until it is stopped.
        return;
    }
    m_answer.append(bytes, count);
    const qsizetype end = m_answer.indexOf('\n');
    if (end < 0 || m_questions.isEmpty())
        return;
    const QString line = QString::fromUtf8(m_answer.left(end)).trimmed();
    m_answer.remove(0, end + 1);
    Answer answer;
    answer.by = u"cli"_s;
    if (line == "y"_L1 || line == "yes"_L1) {
        answer.kind = Answer::Kind::Approve;
    } else if (line == "n"_L1 || line == "no"_L1 || line.startsWith("n "_L1)) {
        answer.kind = Answer::Kind::Deny;
        answer.reason = line.section(u' ', 1);
    } else {
        askNext();
        return;
    }
    m_engine->answer(m_conversation, m_questions.takeFirst().callId, answer, this,
                     [this](const Result<Done, Error> &taken) {
                         if (!taken)
                             m_console->error(taken.error());
                     });
    askNext();
}

} // namespace Pilothouse::Cli
