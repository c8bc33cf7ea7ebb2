// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/streamedtext.h"

#include "store/transcriptprojector.h"
#include "text/dataaddress.h"

#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;

void appendStreamedText(TranscriptRow &row, QStringView text)
{
    // What stands in the row tells all: no state of its own that would have to be stored.
    const qsizetype open = openDataAddress(row.text);
    const QString looked = QStringView(row.text).mid(open) + text;
    const QString kept =
        shortenDataAddresses(looked, DataAddress::Kept, std::numeric_limits<qsizetype>::max());
    row.text.truncate(open);
    const qsizetype room = TranscriptProjector::MaxText - row.text.size();
    row.text += QStringView(kept).left(room);
    if (kept.size() > room && !row.data.contains(u"cut"))
        row.data.set(u"cut"_s, Json::boolean(true));
}

} // namespace Pilothouse
