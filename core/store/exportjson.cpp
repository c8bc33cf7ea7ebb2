// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/exportjson.h"

#include "store/exportwriter.h"
#include "store/logreader.h"
#include "store/ndjson.h"

namespace Pilothouse {

Result<Done, Error> exportJson(LogReader &reader, const QString &conversation, QIODevice &out)
{
    const auto known = reader.conversation(conversation);
    if (!known)
        return fail(known.error());
    ExportWriter writer(out);
    writer.write("[");
    bool isFirst = true;
    const auto done = forEachEvent(reader, conversation, [&](const Event &event) {
        writer.write(isFirst ? "\n" : ",\n");
        isFirst = false;
        writer.write(ndjsonLine(reader, event));
        return writer.isGood();
    });
    if (!done)
        return fail(done.error());
    writer.write("\n]\n");
    return writer.result();
}

} // namespace Pilothouse
