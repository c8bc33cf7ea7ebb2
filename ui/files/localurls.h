// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QStringList>

class QMimeData;

namespace Pilothouse {

/// Paths of the local files that `data` names; empty if it names none. Addresses of other computers are left
/// out.
[[nodiscard]] QStringList localPaths(const QMimeData *data);

} // namespace Pilothouse
