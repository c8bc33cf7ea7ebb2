// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "eventloop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <utility>

namespace Pilothouse {

namespace asio = boost::asio;
using boost::system::error_code;

class EventLoop::Private {
public:
    asio::io_context context{1};
    std::unique_ptr<asio::signal_set> signals;
    std::function<void(int)> onSignal;

    void waitSignal()
    {
        signals->async_wait([this](const error_code &error, int number) {
            if (error)
                return;
            onSignal(number);
            waitSignal();
        });
    }
};

EventLoop::EventLoop()
    : d(std::make_unique<Private>())
{ }

EventLoop::~EventLoop() = default;

void EventLoop::run()
{
    const auto guard = asio::make_work_guard(d->context);
    d->context.restart();
    d->context.run();
}

void EventLoop::stop() { d->context.stop(); }

void EventLoop::post(std::function<void()> work) { asio::post(d->context, std::move(work)); }

void EventLoop::onSignals(std::initializer_list<int> signals, std::function<void(int)> handler)
{
    d->signals = std::make_unique<asio::signal_set>(d->context);
    d->onSignal = std::move(handler);
    error_code ignored;
    for (const int number : signals)
        d->signals->add(number, ignored);
    d->waitSignal();
}

void *EventLoop::native() { return &d->context; }

// A completion may already be queued when its object goes away or is told something new. So handlers live in
// a shared part and are called only if they are still the ones that were meant.
class Timer::Private : public std::enable_shared_from_this<Timer::Private> {
public:
    explicit Private(asio::io_context &context)
        : timer(context)
    { }
    asio::steady_timer timer;
    std::function<void()> handler;
    quint64 generation = 0;
};

Timer::Timer(EventLoop &loop)
    : d(std::make_shared<Private>(*static_cast<asio::io_context *>(loop.native())))
{ }

Timer::~Timer() { cancel(); }

void Timer::start(std::chrono::milliseconds delay, std::function<void()> handler)
{
    cancel();
    d->handler = std::move(handler);
    d->timer.expires_after(delay);
    d->timer.async_wait([shared = d, generation = d->generation](const error_code &error) {
        if (error || generation != shared->generation || !shared->handler)
            return;
        std::exchange(shared->handler, nullptr)();
    });
}

void Timer::cancel()
{
    ++d->generation;
    d->handler = nullptr;
    d->timer.cancel();
}

class FdWatcher::Private {
public:
    Private(asio::io_context &context, int fd)
        : descriptor(context, fd)
    { }
    asio::posix::stream_descriptor descriptor;
    std::function<void()> onReadable;
    std::function<void()> onWritable;
};

FdWatcher::FdWatcher(EventLoop &loop, UniqueFd fd)
    : d(std::make_shared<Private>(*static_cast<asio::io_context *>(loop.native()), fd.release()))
{ }

FdWatcher::~FdWatcher()
{
    d->onReadable = nullptr;
    d->onWritable = nullptr;
    error_code ignored;
    d->descriptor.close(ignored);
}

int FdWatcher::fd() const { return d->descriptor.native_handle(); }

void FdWatcher::waitReadable(std::function<void()> handler)
{
    const bool waiting = bool(d->onReadable);
    d->onReadable = std::move(handler);
    if (waiting)
        return;
    d->descriptor.async_wait(asio::posix::stream_descriptor::wait_read, [shared = d](const error_code &) {
        if (shared->onReadable)
            std::exchange(shared->onReadable, nullptr)();
    });
}

void FdWatcher::waitWritable(std::function<void()> handler)
{
    const bool waiting = bool(d->onWritable);
    d->onWritable = std::move(handler);
    if (waiting)
        return;
    d->descriptor.async_wait(asio::posix::stream_descriptor::wait_write, [shared = d](const error_code &) {
        if (shared->onWritable)
            std::exchange(shared->onWritable, nullptr)();
    });
}

} // namespace Pilothouse
