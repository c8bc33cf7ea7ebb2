// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QList>
#include <QString>

namespace Pilothouse {

/// What the data folder takes on disk.
struct DataUsage {
    struct Item {
        QString conversation;
        QString title;
        qint64 bytes = 0; ///< Events and output.
    };
    qint64 logBytes = 0; ///< log.db with its journal.
    qint64 outputBytes = 0; ///< Output of commands, in files of their own.
    QList<Item> heaviest; ///< At most ten, largest first.
};

} // namespace Pilothouse
