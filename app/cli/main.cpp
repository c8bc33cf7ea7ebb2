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
    return Pilothouse::Cli::runCommandLine(app, &console);
}
