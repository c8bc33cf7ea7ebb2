// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/engineoptions.h"

#include "secrets/systemkeychain.h"

#include <QDir>
#include <QStandardPaths>
#include <QtGlobal>

namespace Pilothouse {

using namespace Qt::StringLiterals;

QString defaultDataDir(const QString &option, const std::function<QString(const QString &)> &environment)
{
    // Absolute from here on: the sandbox service is another process with another working directory.
    if (!option.isEmpty())
        return QDir(option).absolutePath();
    const QString variable = environment(u"PILOTHOUSE_DATA_DIR"_s);
    return variable.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation)
                              : QDir(variable).absolutePath();
}

QString processEnvironment(const QString &name) { return qEnvironmentVariable(name.toUtf8().constData()); }

void useSystemKeychain(EngineOptions &options)
{
    options.keychain = [] { return std::make_unique<SystemKeychain>(); };
}

} // namespace Pilothouse
