// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/enginecore.h"

#include "engine/appsettings.h"
#include "engine/backends.h"
#include "engine/proxydesk.h"
#include "model/localprobe.h"
#include "model/modelcatalog.h"
#include "net/networkaccess.h"
#include "store/logreader.h"
#include "store/recovery.h"
#include "store/store.h"
#include "util/ids.h"
#include "util/logging.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int EventsPerPage = 2000;
constexpr QLatin1StringView DemoProvider = "demo"_L1;
constexpr qsizetype LongestName = 80; // Of what a person typed, in an error.
const QString DefaultInstructions = u"You work in a sandbox: a small Linux machine of your own. Use the bash "
                                    u"tool to look before you answer, and report what "
                                    "commands really printed. Save files under /home/user."_s;

} // namespace

EngineCore::EngineCore(EngineOptions options)
    : m_options(std::move(options))
    , m_environment(m_options.environment)
    , m_endpoints(m_environment, m_options.superserveUrl)
{
    m_endpoints.read(AppSettings(m_options.dataDir));
    m_options.environment = [this](const QString &name) { return environment(name); };
}

EngineCore::~EngineCore()
{
    qDeleteAll(m_open); // Their ends are written through the pipe; the store comes last.
    m_open.clear();
    if (m_pipe)
        m_pipe->flush();
    delete m_pipe;
    delete m_backends;
    m_own.reset();
    m_catalog.reset();
    delete m_proxies;
    delete m_keys;
    delete m_network;
    m_reader.reset();
    m_store.reset();
}

std::optional<Error> EngineCore::scriptProblem() const
{
    const QString &script = m_options.demoScript;
    if (script.isEmpty())
        return {};
    const auto model = ModelName::parse(m_options.model);
    if (model && model->provider != DemoProvider)
        return Error{
            ErrorKind::Usage,
            u"A demo script and the model %1 were both asked for; only demo models play a script."_s.arg(
                m_options.model.left(LongestName)),
            u"Nothing was sent."_s, u"Leave out one of the two."_s};
    const QFileInfo file(script);
    if (!file.exists() || file.isDir() || !file.isReadable())
        return Error{ErrorKind::Usage,
                     u"The demo script %1 cannot be read."_s.arg(script),
                     {},
                     u"Check its name and its permissions."_s};
    return {};
}

Result<Done, Error> EngineCore::open()
{
    if (m_options.onlyLooks) {
        const QSettings settings(settingsFile(), QSettings::IniFormat);
        m_installId = settings.value(u"installId"_s).toString();
        makeServices();
        return Done();
    }
    if (const std::optional<Error> problem = scriptProblem())
        return fail(*problem);
    auto store = Store::open(m_options.dataDir, m_options.program);
    if (!store)
        return fail(store.error());
    m_store = std::move(*store);
    auto reader = LogReader::open(m_options.dataDir, LogReader::View::Stored);
    if (!reader)
        return fail(reader.error());
    m_reader = std::move(*reader);

    QSettings settings(settingsFile(), QSettings::IniFormat);
    m_installId = settings.value(u"installId"_s).toString();
    if (!isId(m_installId)) {
        m_installId = newId();
        settings.setValue(u"installId"_s, m_installId);
        settings.sync();
    }

    m_pipe = new EventPipe(m_store.get(), this);
    connect(m_pipe, &EventPipe::batch, this, &EngineCore::batch);
    connect(m_pipe, &EventPipe::subscriberLagged, this, &EngineCore::lagged);
    connect(m_pipe, &EventPipe::failed, this, [this](const Error &error) {
        Q_EMIT storageProblem(error);
        for (Conversation *conversation : std::as_const(m_open))
            conversation->storageFailed(error);
    });
    makeServices();
    return recover();
}

QString EngineCore::settingsFile() const { return QDir(m_options.dataDir).filePath(u"settings.ini"_s); }

void EngineCore::makeServices()
{
    m_keys = new KeyRing(m_environment, &m_endpoints,
                         m_options.keychain ? m_options.keychain() : std::unique_ptr<Keychain>(),
                         m_options.dataDir, this);
    connect(m_keys, &KeyRing::changed, this, [this] {
        m_backends->forgetKeys();
        Q_EMIT keysChanged();
    });
    m_network = new NetworkAccess(m_options.network ? *m_options.network : NetworkSetup(), this);
    m_proxies = new ProxyDesk(m_network->proxyLogins(), m_keys, m_environment, m_options.asksForProxyLogin);
    connect(m_proxies, &ProxyDesk::wanted, this, &EngineCore::proxyLoginWanted);
    connect(m_proxies, &ProxyDesk::notKept, this, &EngineCore::proxyLoginNotKept);
    connect(m_network, &NetworkAccess::connectionsInDoubt, this, &EngineCore::onConnectionsInDoubt);
    connect(m_network, &NetworkAccess::connectionsSettled, this, [this] { Q_EMIT reconnecting(false); });
    m_secrets = std::make_unique<EnvironmentSecretStore>(m_options.environment);
    m_backends = new Backends(m_options, m_network, m_secrets.get(), this);
    m_backends->setKeyProblem([this](const QString &variable) { return m_keys->problemOf(variable); });
    m_catalog = std::make_unique<ModelCatalog>(m_network, m_options.environment, m_options.demoScript);
    m_own = std::make_unique<OwnProviders>(m_catalog.get(), &m_endpoints, m_options.dataDir);
    m_own->read();
    // After the program has begun its event loop: finding the service may take a moment.
    QMetaObject::invokeMethod(m_keys, &KeyRing::load, Qt::QueuedConnection);
}

// The log tells why what comes next happened: an answer that begins anew, a command of unknown outcome.
void EngineCore::onConnectionsInDoubt(std::chrono::milliseconds slept)
{
    using namespace std::chrono;
    const qint64 minutes = round<std::chrono::minutes>(slept).count(); // A moment less is no minute less.
    const QString what = slept.count() == 0 ? u"The network address of this computer changed."_s
        : minutes < 1                       ? u"This computer was asleep."_s
        : minutes == 1                      ? u"This computer was asleep for a minute."_s
                                            : u"This computer was asleep for %1 minutes."_s.arg(minutes);
    const QString text = what + u" Reconnecting: open connections are being checked."_s;
    for (Conversation *conversation : std::as_const(m_open)) {
        if (conversation->isRunning())
            conversation->log().append(
                EventKind::Note, JsonBuilder().add("about"_L1, "connection"_L1).add("text"_L1, text).take());
    }
    Q_EMIT reconnecting(true);
}

Result<Done, Error> EngineCore::recover()
{
    const auto open = m_reader->openTurns();
    if (!open)
        return fail(open.error());
    for (const QString &id : *open) {
        const auto closed = closeTurn(id);
        if (closed)
            continue;
        // One that cannot be closed now (a full disk) must not keep the others from being read or deleted.
        m_unclosed.insert(id);
        qCWarning(lcEngine) << "could not close an interrupted turn of" << id << ':'
                            << closed.error().message;
    }
    return Done();
}

Result<Done, Error> EngineCore::setEndpoint(const QString &id, const QString &url)
{
    if (m_options.onlyLooks)
        return fail(*m_options.onlyLooks);
    AppSettings settings(m_options.dataDir);
    auto done = m_endpoints.set(id, url, settings);
    if (done && id == "superserve"_L1) // Models are asked anew with each turn.
        m_backends->forgetKeys();
    return done;
}

void EngineCore::setListedModels(const QString &service, const QList<ListedModel> &models)
{
    m_listed.insert(service, models);
    QStringList ids;
    QStringList withoutTools;
    for (const ListedModel &model : models) {
        ids.append(model.id);
        if (!model.tools.value_or(true))
            withoutTools.append(model.id);
    }
    m_own->keepModels(service, ids, withoutTools);
}

Result<Done, Error> EngineCore::setProvider(const CustomProvider &provider, bool isNew)
{
    if (m_options.onlyLooks)
        return fail(*m_options.onlyLooks);
    const CustomProvider *before = m_own->find(provider.id);
    const bool isElsewhere = before && before->url != provider.url;
    auto done = m_own->set(provider, isNew);
    if (done && isElsewhere)
        m_listed.remove(provider.id); // That was another server's.
    return done;
}

void EngineCore::removeProvider(const QString &id,
                                const std::function<void(const Result<Done, Error> &)> &reply)
{
    if (m_options.onlyLooks || !m_own->find(id)) {
        reply(m_options.onlyLooks
                  ? Result<Done, Error>(fail(*m_options.onlyLooks))
                  : Result<Done, Error>(fail(Error{
                      ErrorKind::NotFound, u"There is no such provider."_s, u"Nothing was changed."_s, {}})));
        return;
    }
    const ProviderInfo *info = m_catalog->provider(id);
    const QString variable = info ? info->keyVariables.value(0) : QString();
    const auto removed = [this, id, reply](const Result<Done, Error> &forgotten) {
        if (forgotten) {
            m_own->remove(id);
            m_listed.remove(id);
        }
        reply(forgotten);
    };
    // What was entered for this session goes first, then what the keychain keeps.
    m_keys->forget(id, variable, [this, id, variable, removed](const Result<Done, Error> &session) {
        if (session)
            m_keys->forget(id, variable, removed);
        else
            removed(session);
    });
}

void EngineCore::findLocalServers(const std::function<void(const QList<FoundServer> &)> &reply)
{
    QList<QUrl> urls;
    for (const QString &url : std::as_const(m_options.localModelUrls))
        urls.append(QUrl(url));
    if (urls.isEmpty())
        urls = m_own->localUrls();
    auto *probe = new LocalProbe(m_network, urls, this);
    connect(probe, &LocalProbe::finished, this, [this, reply](const QList<LocalServer> &servers) {
        QList<FoundServer> found;
        for (const LocalServer &server : servers) {
            found.append(m_own->described(server));
            if (!found.last().service.isEmpty())
                setListedModels(found.last().service, server.models);
        }
        reply(found);
    });
}

// Not by the pipe: whoever opens the conversation next counts on by what the log holds, and what an earlier
// process did is no news of this one.
Result<Done, Error> EngineCore::closeTurn(const QString &id)
{
    const auto summary = m_reader->conversation(id);
    if (!summary)
        return fail(summary.error());
    QList<EventPtr> turn;
    for (qint64 from = summary->openTurnSeq; summary->openTurnSeq > 0;) {
        const auto page = m_reader->events(id, from, EventsPerPage);
        if (!page)
            return fail(page.error());
        if (page->isEmpty())
            break;
        turn += *page;
        from = page->last()->seq + 1;
    }
    EventBatch closing;
    for (PendingEvent &pending : closingEvents(turn)) {
        auto event = std::make_shared<Event>();
        event->conversation = id;
        event->seq = turn.last()->seq + closing.size() + 1;
        event->atMs = m_clock.utcMs();
        event->kind = pending.kind;
        event->payload = std::move(pending.payload);
        closing.append({std::move(event), {}});
    }
    if (closing.isEmpty())
        return Done();
    qCInfo(lcEngine) << "closing an interrupted turn of" << id;
    return m_store->writeNow(closing);
}

ConversationSettings EngineCore::withDefaults(ConversationSettings settings) const
{
    const AppSettings stored(m_options.dataDir);
    if (settings.provider.isEmpty()) {
        ModelName name = m_catalog->defaultModel();
        for (const QString &choice :
             {m_options.model, m_options.environment(u"PILOTHOUSE_MODEL"_s), stored.model()}) {
            if (choice.isEmpty())
                continue;
            const auto parsed = ModelName::parse(choice);
            // A script is for demo models: it must not be forgotten over a default, and words meant for it
            // must not go to a provider.
            if (parsed && (m_options.demoScript.isEmpty() || parsed->provider == DemoProvider)) {
                name = *parsed;
                break;
            }
        }
        settings.provider = name.provider;
        settings.model = name.model;
    }
    if (settings.backend.isEmpty())
        settings.backend = m_backends->defaultBackend();
    if (settings.backend == "superserve"_L1) // What is chosen there means nothing to the local service.
        stored.machines().fill(settings);
    if (settings.tools.isEmpty())
        settings.tools = ToolSet::builtInNames();
    if (settings.sandboxName.isEmpty())
        settings.sandboxName = u"pilothouse"_s;
    if (settings.instructions.isNull())
        settings.instructions = DefaultInstructions;
    if (settings.afterTurn.isEmpty())
        settings.afterTurn = stored.afterTurn().isEmpty() ? u"pause"_s : stored.afterTurn();
    if (settings.maxSteps <= 0)
        settings.maxSteps = stored.maxSteps();
    if (settings.approval.isEmpty())
        settings.approval = settings.backend == "superserve"_L1 ? u"ask"_s : u"allow"_s;
    return settings;
}

std::optional<Error> EngineCore::create(const QString &id, const ConversationSettings &settings)
{
    if (m_options.onlyLooks)
        return m_options.onlyLooks;
    if (!isId(id) || m_open.contains(id))
        return Error{ErrorKind::Internal, u"A conversation id was used twice."_s, {}, {}};
    auto log = std::make_unique<ConversationLog>(id, 0, m_pipe, &m_clock);
    log->append(EventKind::ConversationCreated, withDefaults(settings).toPayload());
    adopt(std::move(log));
    return {};
}

Conversation *EngineCore::adopt(std::unique_ptr<ConversationLog> log)
{
    const QString id = log->conversation();
    auto *conversation = new Conversation(
        std::move(log), {&m_options, m_backends, m_catalog.get(), m_keys, m_pipe, &m_clock, m_installId},
        this);
    connect(conversation, &Conversation::turnEnded, this, [this](const QString &ended, TurnEnd end) {
        // Whoever hears of the end stops listening, and must have heard the reason before.
        m_pipe->whenTaken([this, ended, end] { Q_EMIT turnEnded(ended, turnEndName(end)); });
    });
    connect(conversation, &Conversation::removed, this, [this](const QString &removed) {
        if (Conversation *gone = m_open.take(removed))
            gone->deleteLater();
        m_store->purge(removed);
    });
    m_open.insert(id, conversation);
    return conversation;
}

Result<Conversation *, Error> EngineCore::conversation(const QString &id)
{
    if (Conversation *open = m_open.value(id))
        return open;
    if (m_options.onlyLooks)
        return fail(*m_options.onlyLooks);
    if (m_unclosed.contains(id)) {
        const auto closed = closeTurn(id);
        if (!closed)
            return fail(closed.error());
        m_unclosed.remove(id);
    }
    const auto last = m_reader->lastSeq(id);
    if (!last)
        return fail(last.error());
    if (*last == 0)
        return fail(Error{ErrorKind::NotFound,
                          u"There is no conversation %1 here."_s.arg(id.left(64)),
                          {},
                          u"See the list of conversations."_s});
    auto log = std::make_unique<ConversationLog>(id, *last, m_pipe, &m_clock);
    const QList<EventKind> kinds = HistoryBuilder::relevantKinds() + ConversationState::relevantKinds();
    for (qint64 from = 1;;) {
        const auto page = m_reader->eventsOfKinds(id, kinds, from, EventsPerPage);
        if (!page)
            return fail(page.error());
        if (page->isEmpty())
            break;
        for (const EventPtr &event : *page)
            log->replay(*event);
        from = page->last()->seq + 1;
    }
    if (log->state().deleted)
        return fail(Error{ErrorKind::NotFound, u"The conversation %1 was deleted."_s.arg(id), {}, {}});
    return adopt(std::move(log));
}

EngineCore::Binding EngineCore::bindingOf(const QString &sandboxId)
{
    for (Conversation *conversation : std::as_const(m_open)) {
        const ConversationState &state = conversation->log().state();
        if (state.sandboxId == sandboxId)
            return {state.sandboxBackend, state.sandboxOrigin};
    }
    const auto known = m_bindings.constFind(sandboxId);
    if (known != m_bindings.cend())
        return *known;
    Binding binding;
    if (!m_reader)
        return binding;
    const auto summaries = m_reader->conversations();
    for (const ConversationSummary &summary : summaries.value_or(QList<ConversationSummary>())) {
        if (summary.sandboxId != sandboxId)
            continue;
        ConversationState state;
        for (qint64 from = 1;;) {
            const auto page =
                m_reader->eventsOfKinds(summary.id, {EventKind::SandboxState}, from, EventsPerPage);
            if (!page || page->isEmpty())
                break;
            for (const EventPtr &event : *page)
                state.apply(*event);
            from = page->last()->seq + 1;
        }
        binding = {state.sandboxBackend, state.sandboxOrigin};
        break;
    }
    m_bindings.insert(sandboxId, binding);
    return binding;
}

std::optional<Error> EngineCore::bindingProblem(const QString &sandboxId, const SandboxClient *client)
{
    const Binding binding = bindingOf(sandboxId);
    return TurnMachine::bindingProblem(binding.madeWith, binding.origin, client);
}

void EngineCore::acknowledge()
{
    if (m_pipe)
        m_pipe->acknowledge();
}

void EngineCore::stopAllThen(std::function<void()> reply)
{
    auto remaining = std::make_shared<int>(0);
    for (Conversation *conversation : std::as_const(m_open)) {
        if (!conversation->isRunning())
            continue;
        ++*remaining;
        connect(
            conversation, &Conversation::turnEnded, this,
            [remaining, reply] {
                if (--*remaining == 0)
                    reply();
            },
            Qt::SingleShotConnection);
        conversation->stop(StopCause::ProgramClosed);
    }
    if (*remaining == 0)
        reply();
}

} // namespace Pilothouse
