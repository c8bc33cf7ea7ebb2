// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace Pilothouse {

struct ConversationSettings;

/// What new machines of the hosted service are made with, as a person chose it; empty members: nobody chose.
struct MachineChoices {
    QString fromTemplate;
    std::optional<qint64> timeoutSeconds; ///< ConversationSettings::NoLimit: never paused by itself.
    std::optional<qint64> autoDeleteSeconds; ///< NoLimit: never deleted by itself; 0: with the first pause.
    bool isNetworkLimited = false; ///< Only `allowed` can be reached, nothing if that is empty.
    QStringList allowed;

    bool operator==(const MachineChoices &) const = default;
    /// Into those members of `settings` that say nothing yet.
    void fill(ConversationSettings &settings) const;
};

/// Name or id of a template as it may be asked for; empty: the service's default. The error says what is
/// wrong.
[[nodiscard]] Result<QString, Error> checkedTemplate(const QString &text);

enum class TimeLimit {
    Active = 1, ///< How long a machine may run before it is paused: to a week.
    Paused, ///< How long it is kept while paused before it is deleted: from now on to 30 days.
};
/// "90s", "30m", "2h", "7d", "never", or nothing for the engine's own. The error says what is wrong.
[[nodiscard]] Result<std::optional<qint64>, Error> checkedTimeLimit(TimeLimit which, const QString &text);
/// The same the other way round: "2h", "never", or nothing.
[[nodiscard]] QString timeLimitText(const std::optional<qint64> &seconds);

/// Hosts between commas, spaces or line ends: IPv4 addresses, CIDRs, domains, *.example.org for what is below
/// one. Each once, in small letters. The error names the first that is none.
[[nodiscard]] Result<QStringList, Error> checkedHosts(const QString &text);

} // namespace Pilothouse
