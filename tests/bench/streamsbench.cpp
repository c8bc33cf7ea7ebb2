// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include "core/engine/manystreams.h"

namespace Pilothouse::Bench {

using namespace Qt::StringLiterals;

QList<Figure> measureStreams()
{
    constexpr int Streams = 50;
    constexpr int TokensPerSecond = 100;
    constexpr int Calls = 500;
    constexpr double MostMs = 100;
    const Tests::ManyStreams seen = Tests::runManyStreams(Streams, TokensPerSecond, Calls);
    if (!seen.problem.isEmpty())
        qFatal("%s", qPrintable(seen.problem));
    return {{u"streams.control.p99"_s, percentile(seen.callsMs, 0.99), u"ms"_s, MostMs, false, {}, {}},
            {u"streams.control.median"_s, percentile(seen.callsMs, 0.5), u"ms"_s, {}, false, {}, {}},
            {u"streams.tokens"_s, seen.tokensPerSecond, u"tokens/s"_s, {}, true, {}, {}}};
}

} // namespace Pilothouse::Bench
