// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/filesservice.h"

#include <QList>

namespace Pilothouse {

/// Order of rows: folders first, then by name, letters of either case together. Total: different names are
/// never equal.
[[nodiscard]] int compareFileNames(bool aIsFolder, const QByteArray &a, bool bIsFolder, const QByteArray &b);
/// For a worker thread when there are many.
void sortFiles(QList<FileEntry> &entries);

} // namespace Pilothouse
