// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "options.h"
#include "service.h"

#include <cstdio>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace Pilothouse;

namespace {

int fail(const StartError &error)
{
    const QByteArray text = error.message.toLocal8Bit();
    std::fprintf(stderr, "pilothouse-sandboxd: %s\n", text.constData());
    return int(error.code);
}

void print(const QByteArray &text)
{
    std::fwrite(text.constData(), 1, size_t(text.size()), stdout);
    std::fflush(stdout);
}

/// Each command takes five descriptors and each connection one; the usual 1024 are soon used up.
void raiseFileLimit()
{
    rlimit limit = {};
    constexpr rlim_t wanted = 65536;
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = qMin(wanted, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The starting process: waits for the ready line or the end of the child, and passes on either.
int waitForChild(pid_t child, int pipe)
{
    QByteArray line;
    char part[512];
    ssize_t size = 0;
    while ((size = ::read(pipe, part, sizeof part)) > 0)
        line.append(part, qsizetype(size));
    if (line.endsWith('\n')) {
        print(line);
        return 0;
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : int(ExitCode::Internal);
}

/// From here on nothing may hold the starter's terminal or pipes. Messages go to the data folder.
void leaveTerminal(const QByteArray &dataFolder)
{
    const QByteArray log = dataFolder + "/service.log";
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const int file =
        ::open(log.constData(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    ::dup2(null, 0);
    ::dup2(null, 1);
    ::dup2(file >= 0 ? file : null, 2);
}

} // namespace

int main(int argc, char **argv)
{
    // What the starter's session can read is no business of a sandbox.
    leaveSessionKeyring();
    // The service outlives its starter, whose locks and pipes must not stay held by it.
    dropInheritedDescriptors();
    const auto options = parseOptions(QList<QByteArray>(argv + 1, argv + argc));
    if (!options)
        return fail({ExitCode::Usage, options.error()});
    if (options->help || options->version) {
        print(options->help ? helpText() : QByteArray("pilothouse-sandboxd " PILOTHOUSE_VERSION "\n"));
        return 0;
    }
    const auto key = readKey(*options);
    if (!key)
        return fail(key.error());
    PipePair pipe;
    if (options->detach) {
        pipe = makePipe();
        const pid_t child = pipe.readEnd.isValid() ? ::fork() : -1;
        if (child < 0)
            return fail({ExitCode::Internal, QStringLiteral("The system starts no process.")});
        if (child > 0) {
            pipe.writeEnd.reset();
            return waitForChild(child, pipe.readEnd.get());
        }
        pipe.readEnd.reset();
        ::setsid();
    }
    raiseFileLimit();
    Service service(*options);
    const auto error = service.run(*key, [&](const QByteArray &line) {
        if (!options->detach) {
            print(line);
            return;
        }
        leaveTerminal(options->dataFolder);
        [[maybe_unused]] const ssize_t written =
            ::write(pipe.writeEnd.get(), line.constData(), size_t(line.size()));
        pipe.writeEnd.reset();
    });
    return error ? fail(*error) : 0;
}
