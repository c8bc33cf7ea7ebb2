// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/streamevent.h"
#include "model/streamreader.h"

#include <QList>

#include <functional>
#include <memory>

namespace Pilothouse::Tests {

/// One pair tests/data/streams/NAME.{sse,json}.
struct Fixture {
    QByteArray body;
    AnswerHead head;
    QList<qsizetype> splits;
    Json::Elements events;
    Json replay;
};

[[nodiscard]] Fixture loadFixture(const QString &name);
/// Names of all fixtures with this prefix, sorted.
[[nodiscard]] QStringList fixtureNames(const QString &prefix);

/// All events of an answer in these packets; the reader must be quiet after its last one.
[[nodiscard]] QList<StreamEvent> read(StreamReader &reader, const AnswerHead &head,
                                      const QList<QByteArray> &packets);
/// What is wrong with what fresh readers make of the fixture in all feedings: whole, at its own cuts, byte by
/// byte, in sevens, and in random packets. Empty: nothing.
[[nodiscard]] QString fixtureComplaint(const QString &name,
                                       const std::function<std::unique_ptr<StreamReader>()> &make);

/// Live events as the fixtures list them: one per block, pieces joined, in the order of the blocks.
[[nodiscard]] Json::Elements joined(const QList<StreamEvent> &events);

/// Empty when `actual` matches, else what differs. Missing members and null are equal; `message` of an error
/// is compared as "contains".
[[nodiscard]] QString difference(const Json::Elements &actual, const Json::Elements &expected);

/// Equal but for missing members and null, which are the same.
[[nodiscard]] bool sameJson(const Json &actual, const Json &expected);

/// Sizes of packets that a feeding cuts a body into.
[[nodiscard]] QList<QByteArray> cut(const QByteArray &body, const QList<qsizetype> &offsets);
[[nodiscard]] QList<QByteArray> cutEvery(const QByteArray &body, qsizetype size);
[[nodiscard]] QList<QByteArray> cutAtRandom(const QByteArray &body, quint32 seed);

} // namespace Pilothouse::Tests
