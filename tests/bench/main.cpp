// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include <QCoreApplication>

using namespace Pilothouse::Bench;
using namespace Qt::StringLiterals;

int main(int argc, char *argv[])
{
    QCoreApplication app(argc, argv);
    QCoreApplication::setApplicationName(u"pilothouse"_s);
    // The loop comes first: its memory figure is the peak of this process.
    return runGroups(QCoreApplication::arguments().mid(1),
                     {{u"loop"_s, measureLoop},
                      {u"latency"_s, measureLatency},
                      {u"sse"_s, measureSse},
                      {u"streams"_s, measureStreams}});
}
