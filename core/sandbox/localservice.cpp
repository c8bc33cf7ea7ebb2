// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/localservice.h"

#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "sandbox/servicefiles.h"
#include "util/json.h"
#include "util/logging.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QPointer>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTimer>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto StartLimit =
    15s; ///< From the start of the program to its answer; it comes up in well under one.
constexpr auto LockLimit = 30s; ///< Another program's whole start, with room.
constexpr auto LookAgain = 40ms;
constexpr auto HealthLimit = 3s;
constexpr auto LeaseLimit = 10s;
constexpr auto LeaseSilence = 50s; ///< The service says "alive" every 15 s; three of them missing is silence.

using EnsureReply = std::function<void(const Result<SandboxEndpoint, Error> &)>;

} // namespace

class LocalService::Private {
public:
    enum class State { Idle = 1, Locking, CheckingOld, Starting, CheckingNew, Leasing, Ready };

    struct Waiter {
        QPointer<QObject> context;
        EnsureReply reply;
    };

    Private(LocalService *service, NetworkAccess *net, const QString &dataDir, QString path)
        : q(service)
        , network(net)
        , program(std::move(path))
        , files(dataDir)
        , timer(new QTimer(service))
    {
        timer->setSingleShot(true);
        QObject::connect(timer, &QTimer::timeout, q, [this] {
            if (state == State::Locking)
                takeLock();
            else if (state == State::Starting)
                lookForEndpoint();
        });
    }

    void begin();
    void takeLock();
    void checkHealth();
    void startProgram();
    void lookForEndpoint();
    void takeLease();
    void onLeaseEnded();
    void dropLease();
    void conclude(const Result<SandboxEndpoint, Error> &outcome);
    void giveUp(const QString &message, const QString &todo = {});
    [[nodiscard]] QString withLog(const QString &message) const;

    LocalService *q;
    NetworkAccess *network;
    QString program;
    ServiceFiles files;
    QTimer *timer;
    State state = State::Idle;
    QElapsedTimer since;
    qint64 pid = 0; ///< Of the program started here; 0 if it was found running.
    Secret key;
    SandboxEndpoint endpoint;
    QPointer<HttpJob> lease;
    QList<Waiter> waiters;
};

LocalService::LocalService(NetworkAccess *network, QString dataDir, QString program, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this, network, dataDir, std::move(program)))
{ }

LocalService::~LocalService()
{
    d->waiters.clear();
    if (d->lease)
        d->lease->abandon();
}

void LocalService::ensure(QObject *context, std::function<void(const Result<SandboxEndpoint, Error> &)> reply)
{
    Q_ASSERT(context);
    d->waiters.append({context, std::move(reply)});
    if (d->state == Private::State::Ready) {
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (d->state == Private::State::Ready && !d->files.isServed())
                    d->dropLease(); // It has ended, and the end of the lease is still on its way.
                if (d->state == Private::State::Ready)
                    d->conclude(d->endpoint);
                else if (d->state == Private::State::Idle && !d->waiters.isEmpty())
                    d->begin(); // The lease ended in between.
            },
            Qt::QueuedConnection);
    } else if (d->state == Private::State::Idle) {
        d->state = Private::State::Locking;
        QMetaObject::invokeMethod(
            this, [this] { d->begin(); }, Qt::QueuedConnection);
    }
}

bool LocalService::isReady() const { return d->state == Private::State::Ready && d->files.isServed(); }

void LocalService::Private::begin()
{
    state = State::Locking;
    since.start();
    pid = 0;
    if (const Result<Done, Error> prepared = files.prepare(); !prepared)
        return conclude(fail(prepared.error()));
    takeLock();
}

void LocalService::Private::takeLock()
{
    const Result<bool, Error> locked = files.tryLock();
    if (!locked)
        return conclude(fail(locked.error()));
    if (!*locked) {
        if (std::chrono::milliseconds(since.elapsed()) >= LockLimit) {
            return giveUp(u"Another program has been starting the local sandbox service for too long."_s,
                          u"End other running copies of this program, then try again."_s);
        }
        timer->start(LookAgain);
        return;
    }
    const Result<Secret, Error> made = files.key();
    if (!made)
        return conclude(fail(made.error()));
    key = *made;
    if (files.endpoint()) {
        state = State::CheckingOld;
        checkHealth();
    } else {
        startProgram();
    }
}

void LocalService::Private::checkHealth()
{
    const std::optional<ServiceFiles::Endpoint> found = files.endpoint();
    if (!found)
        return state == State::CheckingOld
            ? startProgram()
            : giveUp(u"The local sandbox service vanished while it started."_s);
    endpoint.backend = u"local"_s;
    endpoint.control = found->control;
    endpoint.data = found->data;
    endpoint.apiKey = key;
    RequestSpec spec;
    spec.url = found->control;
    spec.url.setPath(u"/health"_s);
    spec.firstByteTimeout = HealthLimit;
    spec.totalTimeout = HealthLimit;
    spec.maxBytes = 64 * 1024;
    HttpJob *job = network->start(spec, Lane::Control, q);
    QObject::connect(job, &HttpJob::finished, q, [this, job] {
        const Result<Json, JsonError> health = parseJson(job->body());
        // Another program may have got the port of a service that died; it must not get the key.
        if (!job->error() && health && (*health)[u"product"].toString() == "pilothouse-sandboxd"_L1)
            return takeLease();
        if (state == State::CheckingOld)
            return startProgram();
        giveUp(withLog(u"The local sandbox service started but does not answer."_s));
    });
}

void LocalService::Private::startProgram()
{
    files.removeEndpoint();
    const QFileInfo info(program);
    if (!info.isFile() || !info.isExecutable()) {
        return giveUp(
            u"The local sandbox service "_s + program + u" is not there or cannot be run."_s,
            u"Install it next to this program, or choose the hosted service with --sandbox superserve."_s);
    }
    if (const Result<Done, Error> log = files.truncateLog(); !log)
        return conclude(fail(log.error()));
    QProcess process;
    process.setProgram(info.absoluteFilePath());
    process.setArguments({u"--listen"_s, u"127.0.0.1:0"_s, u"--data-dir"_s, files.folder(), u"--key-file"_s,
                          files.keyPath(), u"--endpoint-file"_s, files.endpointPath(),
                          u"--idle-exit-seconds"_s, u"60"_s});
    // Only what a program needs to run: keys of services stand in our environment, and sandboxes are its
    // children.
    const QProcessEnvironment ours = QProcessEnvironment::systemEnvironment();
    QProcessEnvironment clean;
    for (const QString &name : {u"PATH"_s, u"HOME"_s, u"LANG"_s}) {
        if (ours.contains(name))
            clean.insert(name, ours.value(name));
    }
    process.setProcessEnvironment(clean);
    process.setWorkingDirectory(files.folder());
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(files.logPath(), QIODevice::Append);
    process.setStandardErrorFile(files.logPath(), QIODevice::Append);
    // Detached: a session of its own, so that closing our terminal does not end it.
    if (!process.startDetached(&pid))
        return giveUp(u"The local sandbox service "_s + program + u" could not be started."_s);
    qCDebug(lcSandbox) << "started the local sandbox service, process" << pid;
    state = State::Starting;
    since.start();
    timer->start(LookAgain);
}

void LocalService::Private::lookForEndpoint()
{
    if (files.endpoint()) {
        state = State::CheckingNew;
        return checkHealth();
    }
    if (!ServiceFiles::isRunning(pid))
        return giveUp(withLog(u"The local sandbox service ended while it started."_s));
    if (std::chrono::milliseconds(since.elapsed()) >= StartLimit)
        return giveUp(withLog(u"The local sandbox service was not ready within 15 s."_s));
    timer->start(LookAgain);
}

void LocalService::Private::takeLease()
{
    state = State::Leasing;
    RequestSpec spec;
    spec.url = endpoint.control;
    spec.url.setPath(u"/_local/lease"_s);
    spec.secretHeaders.append({"X-API-Key", key});
    spec.stream = true;
    spec.maxBytes = 0; // It lasts as long as this program.
    spec.firstByteTimeout = LeaseLimit;
    spec.idleTimeout = LeaseSilence;
    lease = network->start(spec, Lane::Stream, q);
    QObject::connect(lease, &HttpJob::headersReceived, q, [this] {
        if (state == State::Leasing && lease && lease->status() == 200)
            conclude(endpoint);
    });
    QObject::connect(lease, &HttpJob::finished, q, [this] { onLeaseEnded(); });
}

void LocalService::Private::onLeaseEnded()
{
    const std::optional<ApiError> error = lease ? lease->error() : std::nullopt;
    lease.clear();
    if (state == State::Leasing) {
        giveUp(withLog(u"The local sandbox service refused a lease: "_s
                       + (error ? error->message : u"it closed the connection."_s)),
               u"End the running pilothouse-sandboxd of this data folder and try again."_s);
    } else if (state == State::Ready) {
        qCDebug(lcSandbox) << "the lease of the local sandbox service ended";
        state = State::Idle; // The next ensure() looks again.
    }
}

void LocalService::Private::dropLease()
{
    if (lease)
        lease->abandon();
    lease.clear();
    state = State::Idle;
}

QString LocalService::Private::withLog(const QString &message) const
{
    const QString tail = key.redact(files.logTail());
    return tail.isEmpty() ? message : QString(message + u" It said: "_s + tail);
}

void LocalService::Private::giveUp(const QString &message, const QString &todo)
{
    Error error;
    error.kind = ErrorKind::SandboxUnavailable;
    error.message = message;
    error.kept = u"Conversations and the files of sandboxes are as they were."_s;
    error.todo = todo;
    conclude(fail(error));
}

void LocalService::Private::conclude(const Result<SandboxEndpoint, Error> &outcome)
{
    files.unlock();
    timer->stop();
    state = outcome ? State::Ready : State::Idle;
    if (!outcome)
        dropLease();
    const QPointer<LocalService> alive(q);
    const QList<Waiter> ready = std::exchange(waiters, {});
    const Result<SandboxEndpoint, Error> value = outcome;
    for (const Waiter &waiter : ready) {
        if (!waiter.context)
            continue;
        waiter.reply(value);
        if (!alive)
            return;
    }
}

} // namespace Pilothouse
