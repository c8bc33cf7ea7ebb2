// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "util/unixsignals.h"

#include <csignal>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace Pilothouse {

namespace {

int s_pair[2] = {-1, -1};

extern "C" void onSignal(int number)
{
    const char byte = static_cast<char>(number);
    // A full buffer means that a signal is already waiting to be read.
    [[maybe_unused]] const ssize_t written = ::write(s_pair[0], &byte, 1);
}

} // namespace

UnixSignals::UnixSignals(QObject *parent)
    : QObject(parent)
{
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, s_pair) != 0)
        return;
    m_notifier = std::make_unique<QSocketNotifier>(s_pair[1], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this, isFirst = true]() mutable {
        char bytes[16];
        const ssize_t count = ::read(s_pair[1], bytes, sizeof bytes);
        for (ssize_t i = 0; i < count; ++i) {
            // A closed terminal comes twice, from the kernel and from the shell: that is nobody's second
            // Ctrl-C.
            if (std::exchange(isFirst, false) || bytes[i] != SIGHUP)
                Q_EMIT interrupted();
        }
    });
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    struct sigaction before = {};
    ::sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) // nohup wants it ignored.
        ::sigaction(SIGHUP, &action, nullptr);
    std::signal(SIGPIPE,
                SIG_IGN); // A reader that goes away is an error of write(), not the end of the process.
}

UnixSignals::~UnixSignals()
{
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    struct sigaction hangUp = {};
    ::sigaction(SIGHUP, nullptr, &hangUp);
    if (hangUp.sa_handler == onSignal)
        std::signal(SIGHUP, SIG_IGN); // The program is at its end; the second one must not spoil that.
    for (int &fd : s_pair) {
        if (fd >= 0)
            ::close(fd);
        fd = -1;
    }
}

} // namespace Pilothouse
