// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/calloutput.h"

#include "text/lastline.h"
#include "transcript/callsegment.h"

namespace Pilothouse {

CallOutput lastLines(const QByteArray &bytes, qint64 total)
{
    CallOutput out;
    out.isRead = true;
    out.bytes = total;
    out.isCut = bytes.size() < total;
    qsizetype end = bytes.size();
    if (end > 0 && bytes[end - 1] == '\n')
        --end;
    while (end > 0 && out.lines.size() < CallLinesSegment::MostLines) {
        const qsizetype newline = bytes.lastIndexOf('\n', end - 1);
        LastLine line;
        line.feed(QByteArrayView(bytes).sliced(newline + 1, end - newline - 1));
        out.lines.prepend(line.text());
        end = newline;
    }
    out.isCut = out.isCut || end > 0;
    return out;
}

} // namespace Pilothouse
