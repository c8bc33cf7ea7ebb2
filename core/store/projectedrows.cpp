// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/projectedrows.h"

#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype MaxWord = 200;
} // namespace

TranscriptRow *ProjectedRows::find(qint64 number)
{
    const auto it = rows.find(number);
    return it == rows.end() ? nullptr : &it->second;
}

TranscriptRow &ProjectedRows::add(const Event &event, const Json &payload, TranscriptRow::Kind kind,
                                  bool closed)
{
    TranscriptRow row;
    row.conversation = conversation;
    row.row = ++lastRow;
    row.kind = kind;
    row.turn = smallInteger(payload[u"turn"]);
    row.step = smallInteger(payload[u"step"]);
    row.firstSeq = event.seq;
    row.atMs = event.atMs;
    row.closed = closed;
    row.data = Json::object();
    TranscriptRow &added = rows[row.row] = row;
    touch(added, event);
    return added;
}

void ProjectedRows::touch(TranscriptRow &row, const Event &event)
{
    row.lastSeq = event.seq;
    if (!changed.contains(row.row))
        changed.append(row.row);
}

int ProjectedRows::smallInteger(const Json &value)
{
    return static_cast<int>(qBound(qint64(0), value.toInteger(0), qint64(std::numeric_limits<int>::max())));
}

QString ProjectedRows::word(const Json &value) { return value.toString().left(MaxWord); }

Json ProjectedRows::boundedMembers(const Json &payload, std::initializer_list<QStringView> keys)
{
    Json out = Json::object();
    for (const QStringView key : keys) {
        const Json &value = payload[key];
        if (value.isString())
            out.set(key.toString(), Json::string(value.toString().left(MaxErrorText)));
        else if (value.toJson().size() <= MaxErrorText)
            out.set(key.toString(), value);
    }
    return out;
}

void ProjectedRows::setState(TranscriptRow &row, const QString &state)
{
    row.data.set(u"state"_s, Json::string(state));
}

} // namespace Pilothouse
