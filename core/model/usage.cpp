// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/usage.h"

#include <QList>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Counter = std::optional<qint64> Usage::*;

struct NamedCounter {
    QLatin1StringView name;
    Counter member;
};

constexpr NamedCounter Counters[] = {
    {"input"_L1, &Usage::input},         {"output"_L1, &Usage::output},
    {"cacheRead"_L1, &Usage::cacheRead}, {"cacheWrite"_L1, &Usage::cacheWrite},
    {"reasoning"_L1, &Usage::reasoning},
};

} // namespace

Json Usage::toJson() const
{
    Json json = Json::object();
    for (const NamedCounter &counter : Counters) {
        const std::optional<qint64> &value = this->*counter.member;
        json.appendMember(counter.name, value ? Json::number(*value) : Json());
    }
    return json;
}

Usage Usage::fromJson(const Json &json)
{
    Usage usage;
    for (const NamedCounter &counter : Counters)
        usage.*counter.member = json[QString(counter.name)].toInteger();
    return usage;
}

Usage Usage::sum(const QList<Usage> &steps)
{
    Usage total;
    if (steps.isEmpty())
        return total;
    for (const NamedCounter &counter : Counters) {
        std::optional<qint64> sum = 0;
        for (const Usage &step : steps) {
            const std::optional<qint64> &value = step.*counter.member;
            qint64 next = 0;
            if (!sum || !value || qAddOverflow(*sum, *value, &next))
                sum.reset();
            else
                sum = next;
        }
        total.*counter.member = sum;
    }
    return total;
}

void overlayCounter(std::optional<qint64> &counter, const Json &value)
{
    constexpr qint64 Largest = 1'000'000'000'000;
    const std::optional<qint64> number = value.toInteger();
    if (number && *number >= 0 && *number <= Largest)
        counter = number;
}

} // namespace Pilothouse
