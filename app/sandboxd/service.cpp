// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "service.h"

#include "util/json.h"
#include "util/logging.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr qsizetype MaxKeyBytes = 4096;
constexpr auto ShutdownLimit = 15s; // Freezing and killing take milliseconds; this is for a stuck system.

QString shown(const QByteArray &path) { return QString::fromLocal8Bit(path); }

StartError storageError(const QByteArray &path, int error)
{
    return {
        ExitCode::Storage,
        u"The data folder %1 cannot be used: %2. Nothing was changed. Check its owner and the free space, or "
        "choose another with --data-dir."_s.arg(shown(path), errnoText(error))};
}

bool isPlainKey(const QByteArray &key)
{
    for (const char c : key) {
        if (c <= ' ' || c > '~')
            return false;
    }
    return !key.isEmpty();
}

constexpr int MostLockAttempts = 20; // A program that only asks holds the lock for microseconds.
constexpr int LockPauseMs = 2;

bool lockFolder(int fd)
{
    for (int attempt = 1; ::flock(fd, LOCK_EX | LOCK_NB) != 0; ++attempt) {
        if (errno != EINTR && (errno != EWOULDBLOCK || attempt >= MostLockAttempts))
            return false;
        ::poll(nullptr, 0, LockPauseMs);
    }
    return true;
}

} // namespace

Result<Secret, StartError> readKey(const ServiceOptions &options)
{
    QByteArray text;
    if (options.keyFile.isEmpty()) {
        text = qgetenv("SUPERSERVE_API_KEY");
    } else {
        const QString name = shown(options.keyFile);
        struct stat info = {};
        UniqueFd fd(::open(options.keyFile.constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
        if (!fd.isValid() || ::fstat(fd.get(), &info) != 0)
            return fail(StartError{ExitCode::Usage,
                                   u"The key file %1 cannot be read: %2."_s.arg(name, errnoText(errno))});
        if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 07777) != 0600)
            return fail(StartError{
                ExitCode::Usage,
                u"The key file %1 was not read: it must be a file of your own with mode 0600. "
                "Others may know this key; make a new one, or run chmod 600 if it is safe."_s.arg(name)});
        text.resize(MaxKeyBytes);
        const ssize_t size = ::read(fd.get(), text.data(), size_t(text.size()));
        text.truncate(size > 0 ? qsizetype(size) : 0);
    }
    // Nothing that is started later may inherit it.
    ::unsetenv("SUPERSERVE_API_KEY");
    text = text.trimmed();
    if (!isPlainKey(text))
        return fail(
            StartError{ExitCode::Usage,
                       u"There is no usable API key. Set SUPERSERVE_API_KEY or give --key-file FILE: any "
                       "text without spaces will do; clients must send the same."_s});
    return Secret(text);
}

Service::Service(const ServiceOptions &options)
    : m_options(options)
    , m_context{m_loop, {}, options.dataFolder, {}, options.transitionDelay, {}}
    , m_shutdownTimer(m_loop)
{ }

Service::~Service() = default;

std::optional<StartError> Service::prepareFolder()
{
    for (const QByteArray &folder : {m_options.dataFolder, QByteArray(m_options.dataFolder + "/sandboxes"),
                                     QByteArray(m_options.dataFolder + "/trash")}) {
        if (const auto made = makeFolders(folder); !made)
            return storageError(m_options.dataFolder, made.error());
    }
    const QByteArray path = m_options.dataFolder + "/service.lock";
    m_lock.reset(::open(path.constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!m_lock.isValid())
        return storageError(m_options.dataFolder, errno);
    if (!lockFolder(m_lock.get())) {
        const auto owner = readFile(path, 32);
        const QString pid = owner ? QString::fromLatin1(owner->trimmed()) : QString();
        return StartError{
            ExitCode::Storage,
            u"Another pilothouse-sandboxd (process %1) uses the data folder %2. Nothing was changed. "
            "Use that one, end it, or choose another folder with --data-dir."_s.arg(
                pid.isEmpty() ? u"unknown"_s : pid, shown(m_options.dataFolder))};
    }
    const QByteArray pid = QByteArray::number(::getpid()) + '\n';
    if (::ftruncate(m_lock.get(), 0) != 0 || ::write(m_lock.get(), pid.constData(), size_t(pid.size())) < 0)
        return storageError(m_options.dataFolder, errno);
    return std::nullopt;
}

/// Starts an empty sandbox and ends it. Returns bubblewrap's words if that fails.
QString Service::probe(const Confinement &confinement)
{
    const QByteArray folder = m_options.dataFolder + "/probe";
    if (const auto made = makeSandboxFolders(confinement, folder); !made)
        return errnoText(made.error());
    QString problem;
    Machine machine(m_loop);
    machine.start(confinement, folder, [&](const QString &error) {
        problem = error;
        machine.end([this] { m_loop.stop(); });
    });
    m_loop.run();
    for (const SandboxFolder &part : sandboxFolders())
        ::rmdir(QByteArray(folder + '/' + part.name).constData());
    ::rmdir(folder.constData());
    return problem;
}

std::optional<StartError> Service::findConfinement()
{
    const auto bwrap = findBubblewrap();
    const auto init = findSandboxInit();
    if (!init)
        return StartError{
            ExitCode::NoConfinement,
            u"The program pilothouse-sandbox-init is missing. It belongs beside pilothouse-sandboxd or "
            "in ../libexec/pilothouse; install Pilothouse again."_s};
    if (!bwrap)
        return StartError{ExitCode::NoConfinement,
                          u"The program bwrap was not found in PATH, and without it nothing is run. Install "
                          "bubblewrap (Debian and Ubuntu: apt install bubblewrap)."_s};
    QString tried;
    for (const Confinement &candidate : confinementCandidates(*bwrap, *init)) {
        const QString problem = probe(candidate);
        if (problem.isEmpty()) {
            m_context.confinement = candidate;
            if (!tried.isEmpty())
                qCWarning(lcSandbox, "a stricter confinement is not possible here.%s", qPrintable(tried));
            return std::nullopt;
        }
        const QString how =
            candidate.hostUser ? u"as user %1"_s.arg(*candidate.hostUser) : u"as the user of this program"_s;
        tried +=
            u" It was started %1 with its own user, process, network and mount namespaces and said: %2"_s.arg(
                how, problem);
        if (!tried.endsWith(u'.'))
            tried += u'.';
    }
    return StartError{
        ExitCode::NoConfinement,
        u"bubblewrap (%1) cannot confine anything here, and nothing is run without it.%2 Allow user "
        "namespaces: sysctl kernel.unprivileged_userns_clone=1, sysctl user.max_user_namespaces above "
        "0, or kernel.apparmor_restrict_unprivileged_userns=0; in a chroot or container, give it a "
        "mount namespace of its own with /proc and /dev."_s.arg(shown(*bwrap), tried)};
}

std::optional<StartError> Service::serve(const Secret &key)
{
    auto tokens = Tokens::load(m_options.dataFolder + "/token.secret");
    if (!tokens)
        return StartError{ExitCode::Storage, tokens.error()};
    m_tokens.emplace(std::move(*tokens));
    m_sandboxes = std::make_unique<Sandboxes>(m_context);
    m_control = std::make_unique<ControlPlane>(m_context, *m_sandboxes, *m_tokens, key);
    ExecSettings execSettings;
    execSettings.keepAlive = m_options.keepAlive;
    m_data = std::make_unique<DataPlane>(m_context, *m_sandboxes, *m_tokens, execSettings);
    m_leases = std::make_unique<Leases>(m_loop, m_options.idleExit, m_options.isIdleExitGiven,
                                        [this] { shutDown(); });
    m_router = std::make_unique<Router>(*m_control, *m_data, *m_leases, m_options.hostSuffixes);
    m_server =
        std::make_unique<HttpServer>(m_loop, HttpServerSettings(),
                                     [this](const HttpExchangePtr &exchange) { m_router->handle(exchange); });
    if (const auto listening = m_server->listen(m_options.listen); !listening) {
        const QString address = QString::fromUtf8(m_options.listen);
        if (listening.error().addressInUse)
            return StartError{
                ExitCode::PortTaken,
                u"The port of %1 is taken by another program. Choose another, or 0 for any free "
                "one."_s.arg(address)};
        return StartError{ExitCode::Usage,
                          u"%1 cannot be listened on: %2"_s.arg(address, listening.error().message)};
    }
    m_sandboxes->load();
    return writeEndpoint();
}

std::optional<StartError> Service::writeEndpoint()
{
    if (m_options.endpointFile.isEmpty())
        return std::nullopt;
    const QString origin = QString::fromLatin1(m_server->origin());
    Json endpoint = Json::object();
    endpoint.set(u"base"_s, Json::string(origin));
    endpoint.set(u"data"_s, Json::string(origin));
    endpoint.set(u"pid"_s, Json::number(qint64(::getpid())));
    endpoint.set(u"version"_s, Json::string(QStringLiteral(PILOTHOUSE_VERSION)));
    endpoint.set(u"started_at_ms"_s, Json::number(m_context.clock.utcMs()));
    const auto written = replaceFile(m_options.endpointFile, endpoint.toJson() + '\n', true);
    if (!written)
        return storageError(m_options.endpointFile, written.error());
    return std::nullopt;
}

std::optional<StartError> Service::run(const Secret &key,
                                       const std::function<void(const QByteArray &)> &ready)
{
    ::signal(SIGPIPE, SIG_IGN);
    ::umask(0077);
    if (auto error = prepareFolder())
        return error;
    if (auto error = findConfinement())
        return error;
    if (auto error = serve(key))
        return error;
    m_loop.onSignals({SIGTERM, SIGINT, SIGHUP}, [this](int) { shutDown(); });
    const QString origin = QString::fromLatin1(m_server->origin());
    Json line = Json::object();
    line.set(u"ready"_s, Json::boolean(true));
    line.set(u"base"_s, Json::string(origin));
    line.set(u"data"_s, Json::string(origin));
    ready(line.toJson() + '\n');
    m_loop.run();
    return std::nullopt;
}

void Service::shutDown()
{
    if (m_isShuttingDown)
        return;
    m_isShuttingDown = true;
    m_shutdownTimer.start(ShutdownLimit, [this] { m_loop.stop(); });
    // First the address, so that nobody new comes; then what runs is stopped; then everything ends.
    if (!m_options.endpointFile.isEmpty())
        ::unlink(m_options.endpointFile.constData());
    m_sandboxes->pauseAll([this] {
        m_server->close();
        m_sandboxes->endAll([this] { m_loop.stop(); });
    });
}

} // namespace Pilothouse
