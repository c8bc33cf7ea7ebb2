// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "commandline.h"
#include "console.h"

#include <QCoreApplication>

#include <clocale>

int main(int argc, char *argv[])
{
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
