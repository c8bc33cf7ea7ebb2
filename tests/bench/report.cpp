// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include "util/json.h"

#include <QFile>

#include <algorithm>
#include <cstdio>

using namespace Qt::StringLiterals;

namespace Pilothouse::Bench {

double percentile(QList<double> values, double p)
{
    if (values.isEmpty())
        return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1,
                           static_cast<qsizetype>(p * static_cast<double>(values.size())))];
}

double peakMemoryMb()
{
    QFile status(u"/proc/self/status"_s);
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray &line : status.readAll().split('\n')) {
        if (line.startsWith("VmHWM:"))
            return static_cast<double>(line.mid(6).trimmed().split(' ').value(0).toLongLong()) / 1024.0;
    }
    return 0;
}

int runGroups(QStringList wanted, const Groups &groups)
{
    QString jsonFile;
    if (const qsizetype at = wanted.indexOf(u"--json"_s); at >= 0 && at + 1 < wanted.size()) {
        jsonFile = wanted[at + 1];
        wanted.remove(at, 2);
    }
    Json out = Json::array();
    bool allMet = true;
    for (const auto &[name, measure] : groups) {
        if (!wanted.isEmpty() && !wanted.contains(name))
            continue;
        for (const Figure &figure : measure()) {
            const bool met = !figure.target
                || (figure.moreIsBetter ? figure.value >= *figure.target : figure.value <= *figure.target);
            allMet = allMet && met;
            std::printf("%-28s %10.3f %-10s", qPrintable(figure.row), figure.value, qPrintable(figure.unit));
            if (figure.target)
                std::printf(" target %s %g %s", figure.moreIsBetter ? ">=" : "<=", *figure.target,
                            met ? "met" : "MISSED");
            if (figure.peerValue)
                std::printf("  %s %g", qPrintable(figure.peer), *figure.peerValue);
            std::printf("\n");
            std::fflush(stdout);
            Json row = Json::object();
            row.set(u"row"_s, Json::string(figure.row));
            row.set(u"value"_s, Json::number(figure.value));
            row.set(u"unit"_s, Json::string(figure.unit));
            row.set(u"target"_s, figure.target ? Json::number(*figure.target) : Json());
            row.set(u"met"_s, figure.target ? Json::boolean(met) : Json());
            row.set(u"peer"_s, figure.peer.isEmpty() ? Json() : Json::string(figure.peer));
            row.set(u"peerValue"_s, figure.peerValue ? Json::number(*figure.peerValue) : Json());
            row.set(u"ratio"_s,
                    figure.peerValue && figure.value > 0 ? Json::number(*figure.peerValue / figure.value)
                                                         : Json());
            out.append(row);
        }
    }
    if (!jsonFile.isEmpty()) {
        QFile file(jsonFile);
        if (!file.open(QIODevice::WriteOnly) || file.write(out.toPrettyJson() + '\n') < 0) {
            std::fprintf(stderr, "cannot write %s\n", qPrintable(jsonFile));
            return 1;
        }
    }
    return allMet ? 0 : 1;
}

} // namespace Pilothouse::Bench
