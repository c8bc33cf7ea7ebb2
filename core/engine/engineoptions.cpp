// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/engineoptions.h"

#include <QStandardPaths>
#include <QtGlobal>

namespace Pilothouse {

using namespace Qt::StringLiterals;

QString defaultDataDir(const QString &option, const std::function<QString(const QString &)> &environment)
{
    if (!option.isEmpty())
        return option;
    const QString variable = environment(u"PILOTHOUSE_DATA_DIR"_s);
    return variable.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation)
                              : variable;
}

QString processEnvironment(const QString &name) { return qEnvironmentVariable(name.toUtf8().constData()); }

} // namespace Pilothouse
