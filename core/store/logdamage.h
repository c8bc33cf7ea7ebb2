// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/event.h"
#include "util/result.h"

#include <QStringList>

namespace Pilothouse {

class Database;

/// Stands in the place of an event that cannot be shown: same conversation, seq and time, kind Error.
[[nodiscard]] EventPtr damagedEvent(const Event &event);
/// Stands for the events `first` to `last` that the log should hold and does not.
[[nodiscard]] EventPtr missingEvents(const QString &conversation, qint64 first, qint64 last, qint64 atMs);
/// True if the payload is one valid JSON object.
[[nodiscard]] bool isSound(const Event &event);

/// The error for a file whose structure is damaged; `detail` is SQLite's word.
[[nodiscard]] Error damagedLog(const QString &detail);
/// Reads the structure of the whole file: slow with a large one. Error: damagedLog().
[[nodiscard]] Result<Done, Error> checkStructure(Database &database);
/// What is wrong with the log, one finding a line; empty if it is sound. Reads at most a bounded part of it
/// and then says so.
[[nodiscard]] Result<QStringList, Error> findDamage(Database &database);

} // namespace Pilothouse
