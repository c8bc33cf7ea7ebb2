// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/localurls.h"

#include <QMimeData>
#include <QUrl>

namespace Pilothouse {

namespace {
constexpr qsizetype MostPaths = 10000; // A drop is made by a hand.
}

QStringList localPaths(const QMimeData *data)
{
    QStringList paths;
    if (!data || !data->hasUrls())
        return paths;
    for (const QUrl &url : data->urls()) {
        // A host would be another computer.
        if (url.isLocalFile() && url.host().isEmpty() && paths.size() < MostPaths)
            paths.append(url.toLocalFile());
    }
    return paths;
}

} // namespace Pilothouse
