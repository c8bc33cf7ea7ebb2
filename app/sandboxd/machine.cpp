// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "machine.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto StartLimit = 10s; // It takes some 20 ms; a system that needs longer than this is stuck.
constexpr int MaxFds = 4;
constexpr qsizetype MaxErrorWords = 2000;

UniqueFd openPidFd(pid_t pid) { return UniqueFd(int(::syscall(SYS_pidfd_open, pid, 0))); }

void killPidFd(int fd) { ::syscall(SYS_pidfd_send_signal, fd, SIGKILL, nullptr, 0); }

QByteArray describe(const SpawnRequest &request)
{
    const Init::SpawnHeader header = {quint32(request.arguments.size()), quint32(request.environment.size()),
                                      request.limits.processes,          request.limits.fileBytes,
                                      request.limits.addressSpace,       request.limits.openFiles};
    QByteArray bytes(reinterpret_cast<const char *>(&header), sizeof header);
    bytes += request.workingDirectory + '\0';
    for (const QByteArray &argument : request.arguments)
        bytes += argument + '\0';
    for (const QByteArray &entry : request.environment)
        bytes += entry + '\0';
    return bytes;
}

} // namespace

Machine::Machine(EventLoop &loop)
    : m_loop(loop)
    , m_startTimer(loop)
{ }

Machine::~Machine()
{
    *m_alive = false;
    killAll();
    if (m_bwrapPid > 0 && m_bwrapExit)
        ::waitpid(m_bwrapPid, nullptr, WNOHANG);
}

void Machine::start(const Confinement &confinement, const QByteArray &folder,
                    std::function<void(QString)> done)
{
    m_started = std::move(done);
    auto process = startBubblewrap(confinement, folder);
    UniqueFd exit = process ? openPidFd(process->pid) : UniqueFd();
    if (!process || !exit.isValid()) {
        const QString error = process ? u"The system gives no process descriptor."_s : process.error();
        m_loop.post([this, alive = m_alive, error] {
            if (*alive && m_started)
                std::exchange(m_started, nullptr)(error);
        });
        return;
    }
    m_bwrapPid = process->pid;
    m_errors = std::move(process->errors);
    m_control = std::make_unique<FdWatcher>(m_loop, std::move(process->control));
    m_bwrapExit = std::make_unique<FdWatcher>(m_loop, std::move(exit));
    m_bwrapExit->waitReadable([this] {
        ::waitpid(m_bwrapPid, nullptr, 0);
        m_bwrapPid = -1;
        m_bwrapExit.reset();
        onProcessesGone();
    });
    m_startTimer.start(StartLimit, [this] { onControlClosed(); });
    waitControl();
}

void Machine::onLost(std::function<void()> handler) { m_lost = std::move(handler); }

quint32 Machine::addPending(Pending pending)
{
    const quint32 id = m_nextId++;
    m_pending.insert(id, std::move(pending));
    return id;
}

quint32 Machine::spawn(const SpawnRequest &request, UniqueFd in, UniqueFd out, UniqueFd err,
                       std::function<void(SpawnFailure)> started, std::function<void(int)> exited)
{
    const quint32 id = addPending({std::move(started), std::move(exited), nullptr, nullptr});
    Outgoing message = {{Init::Spawn, id, 0, 0}, {}, {}};
    message.fds.push_back(memoryFile("command", describe(request)));
    message.fds.push_back(std::move(in));
    message.fds.push_back(std::move(out));
    message.fds.push_back(std::move(err));
    send(std::move(message));
    return id;
}

void Machine::forget(quint32 id) { m_pending.remove(id); }

void Machine::signalGroup(quint32 id, int number) { send({{Init::Signal, id, number, 0}, {}, {}}); }

void Machine::freeze(std::function<void(int)> done)
{
    send({{Init::Freeze, addPending({nullptr, nullptr, std::move(done), nullptr}), 0, 0}, {}, {}});
}

void Machine::thaw(std::function<void(int)> done)
{
    send({{Init::Thaw, addPending({nullptr, nullptr, std::move(done), nullptr}), 0, 0}, {}, {}});
}

void Machine::open(Init::OpenKind kind, const QByteArray &path,
                   std::function<void(Result<UniqueFd, int>)> done)
{
    if (path.size() > qsizetype(Init::MaxPath)) {
        m_loop.post([done = std::move(done)] { done(fail(int(ENAMETOOLONG))); });
        return;
    }
    send({{Init::Open, addPending({nullptr, nullptr, nullptr, std::move(done)}), kind, 0}, path, {}});
}

void Machine::remove(const QByteArray &path)
{
    send({{Init::Remove, addPending({nullptr, nullptr, [](int) {}, nullptr}), 0, 0}, path, {}});
}

void Machine::end(std::function<void()> done)
{
    m_isEnding = true;
    m_isUp = false;
    m_ended = std::move(done);
    m_lost = nullptr;
    m_started = nullptr;
    m_startTimer.cancel();
    m_control.reset();
    killAll();
    if (!m_bwrapExit && !m_initExit) {
        m_loop.post([this, alive = m_alive] {
            if (*alive)
                onProcessesGone();
        });
    }
}

void Machine::killAll()
{
    // The first process takes the whole namespace with it, and bubblewrap, its parent, collects it and ends.
    // Before its hello it dies with bubblewrap.
    if (m_initExit)
        killPidFd(m_initExit->fd());
    else if (m_bwrapExit)
        killPidFd(m_bwrapExit->fd());
}

void Machine::onProcessesGone()
{
    if (m_bwrapExit || m_initExit)
        return;
    if (m_isEnding) {
        if (const auto ended = std::exchange(m_ended, nullptr))
            ended();
    } else {
        onControlClosed();
    }
}

void Machine::send(Outgoing message)
{
    if (!m_control) {
        // Too late: what waits for an answer learns it in a later turn.
        const Pending pending = m_pending.take(message.packet.id);
        m_loop.post([pending] {
            if (pending.started)
                pending.started({EPIPE, Init::Prepare});
            if (pending.done)
                pending.done(EPIPE);
            if (pending.opened)
                pending.opened(fail(int(EPIPE)));
        });
        return;
    }
    m_outgoing.push_back(std::move(message));
    if (m_outgoing.size() == 1)
        flush();
}

void Machine::flush()
{
    while (m_control && !m_outgoing.empty()) {
        const Outgoing &message = m_outgoing.front();
        iovec parts[2] = {{const_cast<Init::Packet *>(&message.packet), sizeof message.packet},
                          {const_cast<char *>(message.text.constData()), size_t(message.text.size())}};
        msghdr header = {};
        header.msg_iov = parts;
        header.msg_iovlen = 2;
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * MaxFds)] = {};
        if (!message.fds.empty()) {
            int fds[MaxFds];
            for (std::size_t i = 0; i < message.fds.size(); ++i)
                fds[i] = message.fds[i].get();
            header.msg_control = control;
            header.msg_controllen = CMSG_SPACE(sizeof(int) * message.fds.size());
            cmsghdr *part = CMSG_FIRSTHDR(&header);
            part->cmsg_level = SOL_SOCKET;
            part->cmsg_type = SCM_RIGHTS;
            part->cmsg_len = CMSG_LEN(sizeof(int) * message.fds.size());
            std::memcpy(CMSG_DATA(part), fds, sizeof(int) * message.fds.size());
        }
        if (::sendmsg(m_control->fd(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
            if (errno == EINTR)
                continue;
            if (errno == EAGAIN) {
                m_control->waitWritable([this] { flush(); });
                return;
            }
            if (errno == EBADF && !message.fds.empty()) {
                // A descriptor could not be made (too many open files): only this command fails.
                const Pending pending = m_pending.take(message.packet.id);
                m_outgoing.pop_front();
                m_loop.post([pending] {
                    if (pending.started)
                        pending.started({EMFILE, Init::Prepare});
                });
                continue;
            }
            return; // Gone: the reading side notices.
        }
        m_outgoing.pop_front();
    }
}

void Machine::waitControl()
{
    m_control->waitReadable([this] {
        const std::shared_ptr<bool> alive = m_alive;
        while (*alive && m_control && receive()) { }
        if (*alive && m_control)
            waitControl();
    });
}

bool Machine::receive()
{
    Init::Packet packet = {};
    iovec part = {&packet, sizeof packet};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(ucred))] = {};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(m_control->fd(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR)
        return true;
    if (size < 0 && errno == EAGAIN)
        return false;
    UniqueFd fd;
    pid_t sender = 0;
    for (cmsghdr *header = CMSG_FIRSTHDR(&message); header && size > 0;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET)
            continue;
        if (header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int))) {
            int received = -1;
            std::memcpy(&received, CMSG_DATA(header), sizeof received);
            fd.reset(received);
        } else if (header->cmsg_type == SCM_CREDENTIALS && header->cmsg_len == CMSG_LEN(sizeof(ucred))) {
            ucred credentials = {};
            std::memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
            sender = credentials.pid;
        }
    }
    if (size != ssize_t(sizeof packet)) {
        onControlClosed();
        return false;
    }
    if (packet.op == Init::Hello)
        onHello(sender);
    else
        dispatch(packet, std::move(fd));
    return true;
}

void Machine::onHello(pid_t pid)
{
    if (m_isUp || !m_started)
        return;
    UniqueFd exit = openPidFd(pid);
    if (!exit.isValid()) {
        onControlClosed();
        return;
    }
    m_initExit = std::make_unique<FdWatcher>(m_loop, std::move(exit));
    m_initExit->waitReadable([this] {
        m_initExit.reset();
        onProcessesGone();
    });
    m_startTimer.cancel();
    m_isUp = true;
    std::exchange(m_started, nullptr)({});
}

void Machine::dispatch(const Init::Packet &packet, UniqueFd fd)
{
    const auto entry = m_pending.find(packet.id);
    if (entry == m_pending.end())
        return;
    if (packet.op == Init::Spawned && entry->started) {
        const auto started = std::exchange(entry->started, nullptr);
        if (packet.value != 0)
            m_pending.erase(entry);
        started({packet.value, packet.value != 0 ? packet.detail : 0});
    } else if (packet.op == Init::Exited && entry->exited) {
        const Pending pending = m_pending.take(packet.id);
        pending.exited(packet.value);
    } else if (packet.op == Init::Done && entry->done) {
        const Pending pending = m_pending.take(packet.id);
        pending.done(packet.value);
    } else if (packet.op == Init::Opened && entry->opened) {
        const Pending pending = m_pending.take(packet.id);
        if (packet.value == 0 && fd.isValid())
            pending.opened(std::move(fd));
        else
            pending.opened(fail(packet.value != 0 ? int(packet.value) : int(EMFILE)));
    }
}

/// The supervisor is gone or never came. Says so to whoever waits, each exactly once.
void Machine::onControlClosed()
{
    if (m_isEnding || !m_control)
        return;
    const std::shared_ptr<bool> alive = m_alive;
    m_startTimer.cancel();
    m_control.reset();
    m_outgoing.clear();
    killAll();
    m_isUp = false;
    const auto started = std::exchange(m_started, nullptr);
    const auto lost = std::exchange(m_lost, nullptr);
    const QString words = started ? errorWords() : QString();
    for (const Pending &pending : std::exchange(m_pending, {})) {
        if (*alive && pending.started)
            pending.started({EPIPE, Init::Prepare});
        else if (*alive && pending.exited)
            pending.exited(-1);
        if (*alive && pending.done)
            pending.done(EPIPE);
        if (*alive && pending.opened)
            pending.opened(fail(int(EPIPE)));
    }
    if (*alive && started)
        started(words);
    else if (*alive && lost)
        lost();
}

QString Machine::errorWords()
{
    QByteArray words(MaxErrorWords, Qt::Uninitialized);
    const ssize_t size = ::read(m_errors.get(), words.data(), size_t(words.size()));
    words.truncate(size > 0 ? qsizetype(size) : 0);
    words = words.trimmed();
    return words.isEmpty() ? u"bubblewrap ended without a word."_s : QString::fromUtf8(words);
}

} // namespace Pilothouse
