// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "command.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace Pilothouse {

using namespace std::chrono_literals;

namespace {

constexpr qsizetype ReadSize = 32 * 1024; // Also the largest piece that a client sees at once.
constexpr int ReadsPerTurn = 8; // Then the other connections get their turn.
constexpr auto StragglerLimit = 1s; // How long a background child that holds the pipes can delay the end.
// After SIGKILL. A process in uninterruptible sleep may take longer; we do not.
constexpr auto KillLimit = 5s;
constexpr int TimeoutExitCode = 124;

} // namespace

Command::Command(EventLoop &loop, const std::shared_ptr<Machine> &machine)
    : m_loop(loop)
    , m_machine(machine)
    , m_timeoutTimer(loop)
    , m_drainTimer(loop)
{ }

Command::~Command() = default;

void Command::start(const SpawnRequest &request, bool withInput,
                    std::optional<std::chrono::milliseconds> timeout, CommandHandlers handlers)
{
    m_handlers = std::move(handlers);
    PipePair out = makePipe();
    PipePair err = makePipe();
    PipePair in;
    if (withInput)
        in = makePipe();
    else
        in.readEnd.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const auto machine = m_machine.lock();
    const bool hasPipes = out.readEnd.isValid() && err.readEnd.isValid() && in.readEnd.isValid()
        && setNonBlocking(out.readEnd.get()) && setNonBlocking(err.readEnd.get())
        && (!withInput || setNonBlocking(in.writeEnd.get()));
    if (!hasPipes || !machine) {
        const SpawnFailure failure = {machine ? EMFILE : EPIPE, Init::Prepare};
        m_loop.post([self = shared_from_this(), failure] {
            const auto started = std::exchange(self->m_handlers, {}).started;
            if (started)
                started(failure);
        });
        return;
    }
    m_sources[0].pipe = std::make_unique<FdWatcher>(m_loop, std::move(out.readEnd));
    m_sources[1].pipe = std::make_unique<FdWatcher>(m_loop, std::move(err.readEnd));
    if (withInput)
        m_input = std::make_unique<FdWatcher>(m_loop, std::move(in.writeEnd));
    m_id = machine->spawn(
        request, std::move(in.readEnd), std::move(out.writeEnd), std::move(err.writeEnd),
        [self = shared_from_this(), timeout](SpawnFailure failure) {
            if (self->m_isOver)
                return;
            const auto started = self->m_handlers.started;
            if (failure.error != 0) {
                self->m_isOver = true;
                self->m_handlers = {};
                self->m_onInputDrained = nullptr;
            } else if (timeout) {
                self->m_timeoutTimer.start(*timeout, [raw = self.get()] {
                    raw->m_isTimedOut = true;
                    raw->signalGroup(SIGKILL);
                    raw->m_timeoutTimer.start(KillLimit, [raw] { raw->onExited(TimeoutExitCode); });
                });
            }
            if (started)
                started(failure);
            if (failure.error == 0 && !self->m_isOver) {
                for (Source &source : self->m_sources)
                    self->wait(source);
            }
        },
        [self = shared_from_this()](int code) { self->onExited(code); });
}

void Command::wait(Source &source)
{
    if (!source.pipe || !m_isReading || m_isOver)
        return;
    source.pipe->waitReadable([this, &source] {
        const auto keep = shared_from_this();
        read(source);
    });
}

void Command::read(Source &source)
{
    for (int i = 0; i < ReadsPerTurn; ++i) {
        if (!source.pipe || !m_isReading || m_isOver)
            return;
        const bool isLimited = source.leftAfterDeadline >= 0;
        const qsizetype wanted = isLimited ? qMin(ReadSize, source.leftAfterDeadline) : ReadSize;
        QByteArray bytes(wanted, Qt::Uninitialized);
        const ssize_t count = wanted > 0 ? ::read(source.pipe->fd(), bytes.data(), size_t(wanted)) : 0;
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN && !isLimited) {
            wait(source);
            return;
        }
        if (count <= 0) {
            source.pipe.reset();
            maybeFinish();
            return;
        }
        if (isLimited)
            source.leftAfterDeadline -= count;
        bytes.truncate(count);
        if (m_handlers.output)
            m_handlers.output(source.channel, bytes);
    }
    wait(source);
}

void Command::setReading(bool reading)
{
    if (reading == m_isReading)
        return;
    m_isReading = reading;
    for (Source &source : m_sources)
        wait(source);
}

void Command::onExited(int code)
{
    if (m_isOver || m_exitCode)
        return;
    m_timeoutTimer.cancel();
    if (code < 0) {
        const auto ended = std::exchange(m_handlers, {}).ended;
        m_isOver = true;
        dropInput();
        m_onInputDrained = nullptr;
        if (ended)
            ended({0, true});
        return;
    }
    m_exitCode = m_isTimedOut ? TimeoutExitCode : code;
    dropInput();
    m_drainTimer.start(StragglerLimit, [this] { onDrainDeadline(); });
    maybeFinish();
}

/// What is in the pipes now was written in time and still counts, also if the client is slow to take it.
void Command::onDrainDeadline()
{
    const auto keep = shared_from_this();
    for (Source &source : m_sources) {
        int available = 0;
        if (source.pipe && ::ioctl(source.pipe->fd(), FIONREAD, &available) == 0)
            source.leftAfterDeadline = available;
        else
            source.pipe.reset();
    }
    for (Source &source : m_sources)
        read(source);
    maybeFinish();
}

void Command::maybeFinish()
{
    if (m_exitCode && !m_isOver && !m_sources[0].pipe && !m_sources[1].pipe)
        finish();
}

void Command::finish()
{
    m_isOver = true;
    m_drainTimer.cancel();
    m_onInputDrained = nullptr;
    const auto ended = std::exchange(m_handlers, {}).ended;
    if (ended)
        ended({*m_exitCode, false});
}

void Command::writeInput(const QByteArray &bytes)
{
    if (!m_input || m_inputClosing || bytes.isEmpty())
        return;
    m_inputBuffer += bytes;
    m_inputQueued = m_inputBuffer.size();
    flushInput();
}

void Command::closeInput()
{
    m_inputClosing = true;
    if (m_inputBuffer.isEmpty())
        m_input.reset();
}

void Command::flushInput()
{
    qsizetype done = 0;
    while (m_input && done < m_inputBuffer.size()) {
        const ssize_t count =
            ::write(m_input->fd(), m_inputBuffer.constData() + done, size_t(m_inputBuffer.size() - done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            break;
        if (count < 0) {
            dropInput(); // Nobody reads any more; that is no failure of the command.
            return;
        }
        done += count;
    }
    m_inputBuffer.remove(0, done);
    m_inputQueued = m_inputBuffer.size();
    if (!m_inputBuffer.isEmpty()) {
        m_input->waitWritable([this] {
            const auto keep = shared_from_this();
            flushInput();
        });
        return;
    }
    if (m_inputClosing)
        m_input.reset();
    if (const auto drained = m_onInputDrained)
        drained();
}

void Command::dropInput()
{
    m_input.reset();
    m_inputBuffer.clear();
    m_inputQueued = 0;
    if (const auto drained = m_onInputDrained)
        drained();
}

void Command::onInputDrained(std::function<void()> handler) { m_onInputDrained = std::move(handler); }

void Command::signalGroup(int number)
{
    const auto machine = m_machine.lock();
    if (machine && m_id != 0 && !m_exitCode)
        machine->signalGroup(m_id, number);
}

void Command::kill()
{
    if (m_isOver)
        return;
    const auto keep = shared_from_this();
    signalGroup(SIGKILL);
    m_isOver = true;
    m_timeoutTimer.cancel();
    m_drainTimer.cancel();
    m_handlers = {};
    m_onInputDrained = nullptr;
    m_input.reset();
    for (Source &source : m_sources)
        source.pipe.reset();
    if (const auto machine = m_machine.lock())
        machine->forget(m_id);
}

} // namespace Pilothouse
