// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/ndjson.h"

#include "store/logreader.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

QByteArray ndjsonLine(LogReader &reader, const Event &event)
{
    if (event.kind != EventKind::ToolOutput)
        return eventToNdjson(event);
    const Json payload = event.json();
    const qint64 length = payload[u"length"].toInteger(0);
    const QByteArray bytes =
        reader
            .output(event.conversation, payload[u"callId"].toString(), payload[u"channel"].toString(),
                    payload[u"offset"].toInteger(0), length)
            .value_or({});
    if (bytes.size() >= length || !event.payload.endsWith('}') || payload.size() == 0)
        return eventToNdjson(event, bytes);
    Event marked = event;
    marked.payload.chop(1);
    marked.payload += ",\"missing\":" + QByteArray::number(length - bytes.size()) + '}';
    return eventToNdjson(marked, bytes);
}

} // namespace Pilothouse
