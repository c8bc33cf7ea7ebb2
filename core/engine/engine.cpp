// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/engine.h"

#include "engine/backends.h"
#include "engine/doctor.h"
#include "engine/enginecore.h"
#include "engine/enginefiles.h"
#include "engine/messagecheck.h"
#include "engine/proxydesk.h"
#include "engine/publicfetch.h"
#include "model/modelcatalog.h"
#include "sandbox/commandsession.h"
#include "util/ids.h"

#include <QMetaType>
#include <QPointer>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 LargestFileByHand = Q_INT64_C(256) * 1024 * 1024; // Held in memory on its way.

Error sandboxError(const ApiError &error)
{
    const bool gone = error.category == ApiError::Category::NotFound;
    if (error.category == ApiError::Category::Conflict && error.code == "sandbox_not_active"_L1)
        return {ErrorKind::Sandbox, error.message, u"Nothing in it was touched."_s,
                u"Resume it first: pilothouse-cli sandbox resume ID."_s};
    return {gone ? ErrorKind::NotFound : ErrorKind::Sandbox,
            error.outcomeUnknown ? u"Outcome unknown: "_s + error.message : error.message,
            {},
            error.outcomeUnknown ? u"Look at the sandbox before you repeat it."_s : QString()};
}

} // namespace

Result<std::unique_ptr<Engine>, Error> Engine::open(const EngineOptions &options)
{
    qRegisterMetaType<EventBatch>();
    qRegisterMetaType<Error>();
    std::unique_ptr<Engine> engine(new Engine(options));
    Result<Done, Error> opened = fail(Error());
    QMetaObject::invokeMethod(
        engine->m_core, [&] { opened = engine->m_core->open(); }, Qt::BlockingQueuedConnection);
    if (!opened)
        return fail(opened.error());
    return engine;
}

Engine::Engine(const EngineOptions &options)
    : m_dataDir(options.dataDir)
    , m_demoScript(options.demoScript)
    , m_core(new EngineCore(options))
{
    m_thread.setObjectName(u"engine"_s);
    m_core->moveToThread(&m_thread);
    connect(m_core, &EngineCore::batch, this, [this](const EventBatch &events) {
        Q_EMIT eventsReady(events);
        QMetaObject::invokeMethod(m_core, &EngineCore::acknowledge, Qt::QueuedConnection);
    });
    connect(m_core, &EngineCore::lagged, this, [this] {
        Q_EMIT lagged();
        QMetaObject::invokeMethod(m_core, &EngineCore::acknowledge, Qt::QueuedConnection);
    });
    connect(m_core, &EngineCore::turnEnded, this, &Engine::turnEnded);
    connect(m_core, &EngineCore::storageProblem, this, &Engine::storageProblem);
    connect(m_core, &EngineCore::keysChanged, this, &Engine::keysChanged);
    connect(m_core, &EngineCore::proxyLoginWanted, this, &Engine::proxyLoginWanted);
    connect(m_core, &EngineCore::proxyLoginNotKept, this, &Engine::proxyLoginNotKept);
    connect(m_core, &EngineCore::reconnecting, this, &Engine::reconnecting);
    // The core's children (sockets, timers) must end in the thread they live in.
    connect(&m_thread, &QThread::finished, m_core, &QObject::deleteLater);
    m_thread.start();
    m_files = new EngineFiles(m_core, this);
}

Engine::~Engine()
{
    disconnect(m_core, nullptr, this, nullptr);
    m_thread.quit();
    m_thread.wait();
}

void Engine::later(std::function<void()> call)
{
    QMetaObject::invokeMethod(
        m_core,
        // Keys decide what is the default and whether a turn can begin: the first milliseconds are waited
        // for.
        [this, call = std::move(call)]() mutable { m_core->keys()->whenLoaded(m_core, std::move(call)); },
        Qt::QueuedConnection);
}

template <typename T>
Engine::Reply<T> Engine::guarded(QObject *context, Reply<T> reply)
{
    return [this, context = QPointer<QObject>(context),
            reply = std::move(reply)](const Result<T, Error> &result) {
        QMetaObject::invokeMethod(
            this,
            [context, reply, result] {
                if (context)
                    reply(result);
            },
            Qt::QueuedConnection);
    };
}

template <typename T, typename Call>
void Engine::withSandbox(const QString &backend, QObject *context, Reply<T> reply, Call call)
{
    later([this, backend, answer = guarded<T>(context, std::move(reply)), call] {
        const QString which = backend.isEmpty() ? m_core->backends()->defaultBackend() : backend;
        m_core->backends()->client(which, m_core,
                                   [this, answer, call](const Result<SandboxClient *, Error> &client) {
                                       if (!client) {
                                           answer(fail(client.error()));
                                           return;
                                       }
                                       call(*client, m_core, [answer](const Result<T, ApiError> &result) {
                                           if (result)
                                               answer(*result);
                                           else
                                               answer(fail(sandboxError(result.error())));
                                       });
                                   });
    });
}

template <typename Call>
void Engine::withConversation(const QString &id, QObject *context, const Reply<Done> &reply, Call call)
{
    later([this, id, answer = guarded<Done>(context, reply), call] {
        const auto conversation = m_core->conversation(id);
        if (conversation)
            call(*conversation, answer);
        else
            answer(fail(conversation.error()));
    });
}

QString Engine::createConversation(const ConversationSettings &settings)
{
    const QString id = newId();
    later([this, id, settings] { (void)m_core->create(id, settings); });
    return id;
}

std::optional<Error> Engine::firstMessageProblem(const ConversationSettings &settings,
                                                 const QString &text) const
{
    if (std::optional<Error> problem = messageProblem(text))
        return problem;
    // Empty members get the defaults, which suit the script.
    return settings.provider.isEmpty() ? std::nullopt
                                       : scriptProblem(m_demoScript, settings.provider, settings.model);
}

void Engine::submit(const QString &conversation, const QString &text, MessageDelivery delivery,
                    QObject *context, Reply<Done> reply)
{
    withConversation(conversation, context, reply,
                     [this, text, delivery](Conversation *open, const Reply<Done> &answer) {
                         m_core->proxies()->askAgain();
                         const auto how = delivery == MessageDelivery::Now ? Delivery::Now
                             : delivery == MessageDelivery::AfterStep      ? Delivery::AfterStep
                                                                           : Delivery::AfterTurn;
                         if (const std::optional<Error> problem = open->submit(text, how))
                             answer(fail(*problem));
                         else
                             answer(Done());
                     });
}

void Engine::stop(const QString &conversation)
{
    withConversation(
        conversation, this, [](const Result<Done, Error> &) {},
        [](Conversation *open, const Reply<Done> &) { open->stop(); });
}

void Engine::stopCall(const QString &conversation, const QString &callId)
{
    withConversation(
        conversation, this, [](const Result<Done, Error> &) {},
        [callId](Conversation *open, const Reply<Done> &) { open->stopCall(callId); });
}

void Engine::answer(const QString &conversation, const QString &callId, const Answer &answer,
                    QObject *context, Reply<Done> reply)
{
    withConversation(
        conversation, context, reply, [callId, answer](Conversation *open, const Reply<Done> &done) {
            ApprovalDecision decision;
            decision.kind = answer.kind == Answer::Kind::Approve ? ApprovalDecision::Kind::Approve
                : answer.kind == Answer::Kind::Edit              ? ApprovalDecision::Kind::Edit
                                                                 : ApprovalDecision::Kind::Deny;
            decision.by = answer.by;
            decision.reason = answer.reason;
            decision.args = answer.args;
            const QString problem = open->decide(callId, decision);
            if (problem.isEmpty())
                done(Done());
            else
                done(fail(Error{ErrorKind::Usage, problem, {}, {}}));
        });
}

void Engine::changeSettings(const QString &conversation, const QByteArray &members, QObject *context,
                            Reply<Done> reply)
{
    withConversation(conversation, context, reply, [members](Conversation *open, const Reply<Done> &done) {
        open->changeSettings(members);
        done(Done());
    });
}

void Engine::rename(const QString &conversation, const QString &title, QObject *context, Reply<Done> reply)
{
    withConversation(conversation, context, reply, [title](Conversation *open, const Reply<Done> &done) {
        open->rename(title);
        done(Done());
    });
}

void Engine::archive(const QString &conversation, bool archived, QObject *context, Reply<Done> reply)
{
    withConversation(conversation, context, reply, [archived](Conversation *open, const Reply<Done> &done) {
        open->archive(archived);
        done(Done());
    });
}

void Engine::remove(const QString &conversation, bool withSandbox, QObject *context, Reply<Done> reply)
{
    withConversation(conversation, context, reply,
                     [this, withSandbox](Conversation *open, const Reply<Done> &done) {
                         open->remove(withSandbox, m_core, done);
                     });
}

void Engine::duplicate(const QString &conversation, const QString &title, QObject *context,
                       Reply<QString> reply)
{
    later([this, conversation, title, answer = guarded<QString>(context, std::move(reply))] {
        const auto original = m_core->conversation(conversation);
        if (!original) {
            answer(fail(original.error()));
            return;
        }
        ConversationSettings settings = (*original)->log().state().settings;
        settings.title = title;
        const QString id = newId();
        if (const std::optional<Error> problem = m_core->create(id, settings))
            answer(fail(*problem));
        else
            answer(id);
    });
}

void Engine::changeMachine(const QString &conversation, MachineChange change, QObject *context,
                           Reply<Done> reply)
{
    withConversation(conversation, context, reply,
                     [this, change](Conversation *open, const Reply<Done> &done) {
                         open->changeMachine(change, m_core, done);
                     });
}

void Engine::releaseMachine(const QString &conversation, QObject *context, Reply<Done> reply)
{
    withConversation(conversation, context, reply, [](Conversation *open, const Reply<Done> &done) {
        if (const std::optional<Error> problem = open->releaseMachine())
            done(fail(*problem));
        else
            done(Done());
    });
}

void Engine::stopAll(QObject *context, std::function<void()> reply)
{
    const Reply<Done> answer =
        guarded<Done>(context, [reply = std::move(reply)](const Result<Done, Error> &) { reply(); });
    QMetaObject::invokeMethod(
        m_core, [this, answer] { m_core->stopAllThen([answer] { answer(Done()); }); }, Qt::QueuedConnection);
}

void Engine::listSandboxes(const QString &backend, QObject *context, Reply<QList<SandboxInfo>> reply)
{
    withSandbox<QList<SandboxInfo>>(
        backend, context, std::move(reply),
        [](SandboxClient *client, QObject *core, auto done) { client->list({}, core, done); });
}

void Engine::createSandbox(const QString &backend, const QString &name, QObject *context,
                           Reply<SandboxInfo> reply)
{
    withSandbox<SandboxInfo>(
        backend, context, std::move(reply), [this, name](SandboxClient *client, QObject *core, auto done) {
            CreateSandbox request;
            request.name = name;
            request.timeoutSeconds = m_core->options().sandboxTimeoutSeconds;
            request.autoDeleteSeconds = m_core->options().sandboxAutoDeleteSeconds;
            request.metadata = {{u"ph_install"_s, m_core->installId()}, {u"ph_attempt"_s, newId()}};
            client->create(request, core, done);
        });
}

void Engine::pauseSandbox(const QString &backend, const QString &id, QObject *context, Reply<Done> reply)
{
    withSandbox<Done>(
        backend, context, std::move(reply),
        [id](SandboxClient *client, QObject *core, auto done) { client->pause(id, core, done); });
}

void Engine::resumeSandbox(const QString &backend, const QString &id, QObject *context,
                           Reply<SandboxInfo> reply)
{
    withSandbox<SandboxInfo>(
        backend, context, std::move(reply),
        [id](SandboxClient *client, QObject *core, auto done) { client->activate(id, core, done); });
}

void Engine::deleteSandbox(const QString &backend, const QString &id, QObject *context, Reply<Done> reply)
{
    withSandbox<Done>(
        backend, context, std::move(reply),
        [id](SandboxClient *client, QObject *core, auto done) { client->remove(id, core, done); });
}

void Engine::listFiles(const QString &backend, const QString &id, const QString &path, QObject *context,
                       Reply<FileListing> reply)
{
    withSandbox<FileListing>(backend, context, std::move(reply),
                             [id, path](SandboxClient *client, QObject *core, auto done) {
                                 client->listFiles(id, path, core, done);
                             });
}

void Engine::readFile(const QString &backend, const QString &id, const QString &path, QObject *context,
                      Reply<QByteArray> reply)
{
    withSandbox<QByteArray>(backend, context, std::move(reply),
                            [id, path](SandboxClient *client, QObject *core, auto done) {
                                client->readFile(id, path, LargestFileByHand, core, done, Wake::Never);
                            });
}

void Engine::writeFile(const QString &backend, const QString &id, const QString &path,
                       const QByteArray &bytes, QObject *context, Reply<Done> reply)
{
    withSandbox<Done>(backend, context, std::move(reply),
                      [id, path, bytes](SandboxClient *client, QObject *core, auto done) {
                          client->writeFile(id, path, bytes, core, done);
                      });
}

void Engine::execInSandbox(const QString &backend, const QString &id, const QString &command,
                           QObject *context, std::function<void(OutputChannel, const QByteArray &)> output,
                           Reply<CommandOutcome> ended)
{
    const QPointer<QObject> guard(context);
    withSandbox<CommandOutcome>(
        backend, context, std::move(ended),
        [this, id, command, guard, output](SandboxClient *client, QObject *core, auto done) {
            CommandRequest request;
            request.command = command;
            request.timeout = std::chrono::hours(1);
            CommandSession *session = client->startCommand(id, request, core);
            connect(session, &CommandSession::output, core,
                    [this, guard, output](OutputChannel channel, const QByteArray &bytes) {
                        QMetaObject::invokeMethod(
                            this,
                            [guard, output, channel, bytes] {
                                if (guard)
                                    output(channel, bytes);
                            },
                            Qt::QueuedConnection);
                    });
            connect(session, &CommandSession::finished, core, [session, done](const CommandOutcome &outcome) {
                session->deleteLater();
                done(outcome);
            });
        });
}

FilesService *Engine::files() const { return m_files; }

void Engine::doctor(QObject *context, std::function<void(const QList<DoctorLine> &)> reply)
{
    const auto answer = guarded<QList<DoctorLine>>(
        context,
        [reply = std::move(reply)](const Result<QList<DoctorLine>, Error> &lines) { reply(*lines); });
    later([this, answer] { runDoctor(m_core, [answer](const QList<DoctorLine> &lines) { answer(lines); }); });
}

void Engine::fetchPublic(const QUrl &url, qint64 most, QObject *context, Reply<QByteArray> reply)
{
    later([this, url, most, answer = guarded<QByteArray>(context, std::move(reply))] {
        Pilothouse::fetchPublic(m_core->network(), url, most, m_core, answer);
    });
}

void Engine::services(QObject *context, std::function<void(const QList<ServiceInfo> &)> reply)
{
    const auto answer = guarded<QList<ServiceInfo>>(
        context, [reply = std::move(reply)](const Result<QList<ServiceInfo>, Error> &list) { reply(*list); });
    later([this, answer] { answer(listServices(m_core)); });
}

void Engine::testService(const QString &id, QObject *context, Reply<ServiceTest> reply)
{
    later([this, id, answer = guarded<ServiceTest>(context, std::move(reply))] {
        m_core->proxies()->askAgain();
        Pilothouse::testService(m_core, id, answer);
    });
}

void Engine::checkModel(const QString &model, QObject *context, Reply<Done> reply)
{
    later([this, model, answer = guarded<Done>(context, std::move(reply))] {
        const Result<ModelName, Error> name = ModelName::parse(model);
        if (!name) {
            answer(fail(name.error()));
            return;
        }
        if (const auto client = m_core->catalog()->client(*name);
            !client && client.error().kind != ErrorKind::KeyMissing) {
            answer(fail(client.error()));
            return;
        }
        m_core->catalog()->checkTools(*name, m_core, [answer](const std::optional<Error> &problem) {
            if (problem)
                answer(fail(*problem));
            else
                answer(Done());
        });
    });
}

void Engine::enterKey(const QString &service, const QString &variable, const Secret &key,
                      KeyRing::Place place, QObject *context, Reply<Done> reply)
{
    later([this, service, variable, key, place, answer = guarded<Done>(context, std::move(reply))] {
        const ProviderInfo *provider = m_core->catalog()->provider(service);
        const QString name = variable.isEmpty() && provider ? provider->keyVariables.value(0) : variable;
        m_core->keys()->enter(service, name, key, place, answer);
    });
}

void Engine::keepKey(const QString &service, const QString &variable, QObject *context, Reply<Done> reply)
{
    later([this, service, variable, answer = guarded<Done>(context, std::move(reply))] {
        m_core->keys()->keep(service, variable, answer);
    });
}

void Engine::forgetKey(const QString &service, const QString &variable, QObject *context, Reply<Done> reply)
{
    later([this, service, variable, answer = guarded<Done>(context, std::move(reply))] {
        m_core->keys()->forget(service, variable, answer);
    });
}

void Engine::answerProxy(const QString &origin, const QString &user, const Secret &password,
                         KeyRing::Place place)
{
    QMetaObject::invokeMethod(
        m_core,
        [this, origin, user, password, place] { m_core->proxies()->answer(origin, user, password, place); },
        Qt::QueuedConnection);
}

void Engine::declineProxy(const QString &origin)
{
    QMetaObject::invokeMethod(
        m_core, [this, origin] { m_core->proxies()->decline(origin); }, Qt::QueuedConnection);
}

void Engine::loadKeys()
{
    QMetaObject::invokeMethod(
        m_core, [this] { m_core->keys()->load(); }, Qt::QueuedConnection);
}

void Engine::setEndpoint(const QString &id, const QString &url, QObject *context, Reply<Done> reply)
{
    later([this, id, url, answer = guarded<Done>(context, std::move(reply))] {
        answer(m_core->setEndpoint(id, url));
    });
}

void Engine::setProvider(const CustomProvider &provider, bool isNew, QObject *context, Reply<Done> reply)
{
    later([this, provider, isNew, answer = guarded<Done>(context, std::move(reply))] {
        answer(m_core->setProvider(provider, isNew));
    });
}

void Engine::removeProvider(const QString &id, QObject *context, Reply<Done> reply)
{
    later([this, id, answer = guarded<Done>(context, std::move(reply))] {
        m_core->removeProvider(id, answer);
    });
}

void Engine::findLocalServers(QObject *context, std::function<void(const QList<FoundServer> &)> reply)
{
    const auto answer = guarded<QList<FoundServer>>(
        context,
        [reply = std::move(reply)](const Result<QList<FoundServer>, Error> &servers) { reply(*servers); });
    later([this, answer] {
        m_core->findLocalServers([answer](const QList<FoundServer> &servers) { answer(servers); });
    });
}

void Engine::defaults(QObject *context, std::function<void(const ConversationSettings &)> reply)
{
    const auto answer = guarded<ConversationSettings>(
        context, [reply = std::move(reply)](const Result<ConversationSettings, Error> &settings) {
            reply(*settings);
        });
    later([this, answer] { answer(m_core->withDefaults({})); });
}

} // namespace Pilothouse
