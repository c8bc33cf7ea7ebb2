// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include "theme/theme.h"

#include <QApplication>

using namespace Pilothouse::Bench;
using namespace Qt::StringLiterals;

int main(int argc, char *argv[])
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    QCoreApplication::setApplicationName(u"pilothouse"_s);
    Pilothouse::Theme::install(app);
    return runGroups(QCoreApplication::arguments().mid(1),
                     {{u"transcript"_s, measureTranscript}, {u"output"_s, measureOutput}});
}
