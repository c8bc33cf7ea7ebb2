// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "application.h"
#include "commandline.h"
#include "shell/settingsbinding.h"
#include "theme/theme.h"

#include <QApplication>

#include <cstdio>

using namespace Qt::StringLiterals;

int main(int argc, char *argv[])
{
    // Help and wrong arguments need no screen.
    QStringList arguments;
    for (int i = 0; i < argc; ++i)
        arguments.append(QString::fromLocal8Bit(argv[i]));
    // The same name in all programs and no organisation: the data folder depends on both.
    QCoreApplication::setApplicationName(u"pilothouse"_s);
    QCoreApplication::setApplicationVersion(QStringLiteral(PILOTHOUSE_VERSION));
    QGuiApplication::setApplicationDisplayName(u"Pilothouse"_s);
    QGuiApplication::setDesktopFileName(u"org.pilothouse.Pilothouse"_s);
    const Pilothouse::Desktop::CommandLine commandLine = Pilothouse::Desktop::parseCommandLine(arguments);
    if (commandLine.exitCode) {
        std::fputs(commandLine.output.toLocal8Bit().constData(),
                   *commandLine.exitCode == 0 ? stdout : stderr);
        return *commandLine.exitCode;
    }
#ifdef Q_OS_LINUX
    // Qt would abort with advice that does not help.
    if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")
        && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        std::fputs(
            "pilothouse: there is no display (DISPLAY and WAYLAND_DISPLAY are not set). Nothing was started. "
            "pilothouse-cli does the same work in a terminal.\n",
            stderr);
        return 1;
    }
#endif
    QApplication app(argc, argv);
    Pilothouse::Theme::install(app);
    Pilothouse::SettingsBinding::applyAppearance(commandLine.engine.dataDir);
    Pilothouse::Desktop::Application application(commandLine);
    application.show();
    return QApplication::exec();
}
