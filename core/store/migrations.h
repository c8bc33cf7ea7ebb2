// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/database.h"

namespace Pilothouse {

/// Form of the tables that hold the truth. Derived tables have a version of their own (DerivedTables).
constexpr int SchemaVersion = 1;

/// Looks at the file read-only, so that one that is newer or not ours stays as it is, byte for byte.
/// Errors: Storage (newer program's file, other program's file, damaged).
[[nodiscard]] Result<Done, Error> checkSchema(const QString &fileName);

/// Brings an opened database to SchemaVersion, one step and one transaction per version.
[[nodiscard]] Result<Done, Error> migrate(Database &database);

/// The error for a file written by a newer program.
[[nodiscard]] Error newerSchema(qint64 version);

} // namespace Pilothouse
