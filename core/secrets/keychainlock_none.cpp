// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "secrets/keychainlock.h"

namespace Pilothouse {

void KeychainLock::ask(std::function<void(std::optional<bool>)> reply)
{
    QMetaObject::invokeMethod(
        this, [reply] { reply(std::nullopt); }, Qt::QueuedConnection);
}

} // namespace Pilothouse
