// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/modelresources.h"

#include <QDir>

// Must stand outside of every namespace.
static void initModelResources() { Q_INIT_RESOURCE(model); }

namespace Pilothouse {

using namespace Qt::StringLiterals;

QString ModelResources::scenarioPath(const QString &name)
{
    initModelResources();
    return u":/pilothouse/demo/%1.json"_s.arg(name);
}

QStringList ModelResources::scenarioNames()
{
    initModelResources();
    QStringList names = QDir(u":/pilothouse/demo"_s).entryList({u"*.json"_s}, QDir::Files, QDir::Name);
    for (QString &name : names)
        name.chop(5);
    return names;
}

QString ModelResources::registryPath()
{
    initModelResources();
    return u":/pilothouse/model/providers.json"_s;
}

} // namespace Pilothouse
