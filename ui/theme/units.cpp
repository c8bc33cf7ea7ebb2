// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/units.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 Second = 1000;
// An age is no clock: counted by seconds it would only draw the eye, and paint the window sixty times.
constexpr qint64 AgeStep = 10 * Second;
constexpr qint64 Minute = 60 * Second;
constexpr qint64 Hour = 60 * Minute;
constexpr qint64 Day = 24 * Hour;

QString number(qint64 value) { return QString::number(value); }

QString minutesAndSeconds(qint64 ms)
{
    if (ms >= Hour)
        return u"%1h %2m"_s.arg(number(ms / Hour), number(ms % Hour / Minute));
    return u"%1m %2s"_s.arg(number(ms / Minute), number(ms % Minute / Second));
}

// One decimal below ten, none above: two figures are enough to compare by.
QString scaled(double value, double unit)
{
    const double inUnit = value / unit;
    const double tenths = std::round(inUnit * 10) / 10;
    if (tenths < 10 && tenths != std::floor(tenths))
        return QString::number(tenths, 'f', 1);
    return QString::number(std::round(inUnit), 'f', 0);
}

} // namespace

QString durationText(qint64 ms)
{
    ms = std::max<qint64>(ms, 0);
    if (ms < Minute - 50)
        return QString::number(static_cast<double>(ms) / Second, 'f', 1) + u" s"_s;
    return minutesAndSeconds(std::max(ms, Minute));
}

QString elapsedText(qint64 ms)
{
    ms = std::max<qint64>(ms, 0);
    return ms < Minute ? QString(number(ms / Second) + u's') : minutesAndSeconds(ms);
}

QString timedOutText(qint64 ms)
{
    const qint64 seconds = std::max<qint64>(1, (ms + 500) / 1000);
    return u"timed out after "_s
        + (seconds < 120 ? QString(QString::number(seconds) + u" s"_s) : elapsedText(seconds * 1000));
}

QString ageText(qint64 ms)
{
    ms = std::max<qint64>(ms, 0);
    if (ms < AgeStep)
        return u"now"_s;
    if (ms < Minute)
        return number(ms / AgeStep * (AgeStep / Second)) + u's';
    if (ms < Hour)
        return number(ms / Minute) + u'm';
    if (ms < Day)
        return number(ms / Hour) + u'h';
    return number(ms / Day) + u'd';
}

qint64 ageChangesIn(qint64 ms)
{
    ms = std::max<qint64>(ms, 0);
    const qint64 unit = ms < Minute ? AgeStep : ms < Hour ? Minute : ms < Day ? Hour : Day;
    return unit - ms % unit;
}

QString tokensText(qint64 tokens)
{
    if (tokens < 1000)
        return number(std::max<qint64>(tokens, 0));
    if (tokens < 999'500)
        return scaled(static_cast<double>(tokens), 1e3) + u'k';
    return scaled(static_cast<double>(tokens), 1e6) + u'M';
}

QString costText(qint64 nanos)
{
    const double dollars = static_cast<double>(std::max<qint64>(nanos, 0)) / 1e9;
    if (dollars > 0 && dollars < 0.0005)
        return u"<$0.001"_s;
    const int decimals = dollars == 0 || dollars >= 0.0995 ? 2 : 3;
    return u'$' + QString::number(dollars, 'f', decimals);
}

QString bytesText(qint64 bytes)
{
    bytes = std::max<qint64>(bytes, 0);
    const auto value = static_cast<double>(bytes);
    if (bytes < 1000)
        return number(bytes) + u" B"_s;
    if (value < 999.5e3)
        return scaled(value, 1e3) + u" KB"_s;
    if (value < 999.5e6)
        return scaled(value, 1e6) + u" MB"_s;
    return scaled(value, 1e9) + u" GB"_s;
}

QString countedText(qint64 count, const QString &one, const QString &many)
{
    return count == 1 ? one : many.arg(QLocale().toString(count));
}

} // namespace Pilothouse
