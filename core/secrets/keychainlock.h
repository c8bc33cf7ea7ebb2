// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QObject>

#include <functional>
#include <optional>

namespace Pilothouse {

/// Whether the default collection of the desktop's secret service is locked. A locked one says that a key is
/// not there when it is, and that it was deleted when it was not (measured with libsecret), so answers are
/// not believed before this was asked. Where there is no such service (other systems), nothing is known.
class KeychainLock : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Never blocks; replies once, on a later event-loop turn, within two seconds.
    void ask(std::function<void(std::optional<bool> isLocked)> reply);
};

} // namespace Pilothouse
