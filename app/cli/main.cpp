// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "commandline.h"
#include "console.h"

#include <QCoreApplication>

#include <fcntl.h>
#include <unistd.h>

namespace {

/// A program may be started with its standard streams closed. Then the next file that is opened would get
/// their numbers, and output would be written into it: the log, say. What is put in their place fails when it
/// is used, so that nothing is lost in silence.
void occupyStandardStreams()
{
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) < 0)
            (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); // The lowest free number.
    }
}

} // namespace

int main(int argc, char *argv[])
{
    occupyStandardStreams();
    QCoreApplication app(argc, argv);
    // The same name in all programs: the data folder depends on it.
    QCoreApplication::setApplicationName(QStringLiteral("pilothouse"));
    QCoreApplication::setApplicationVersion(QStringLiteral(PILOTHOUSE_VERSION));
    Pilothouse::Cli::Console console;
    const int code = Pilothouse::Cli::runCommandLine(app, &console);
    console.flush();
    if (console.writeProblem().isEmpty())
        return code;
    console.err(QStringLiteral("pilothouse-cli: standard output could not be written: ")
                + console.writeProblem());
    return code == 0 ? 1 : code;
}
