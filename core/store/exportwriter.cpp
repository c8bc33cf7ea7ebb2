// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "store/exportwriter.h"

#include "store/logreader.h"

#include <QIODevice>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int EventsPerPage = 500;

} // namespace

void ExportWriter::write(const QByteArray &bytes)
{
    if (m_isGood && m_device.write(bytes) != bytes.size())
        m_isGood = false;
}

Result<Done, Error> ExportWriter::result() const
{
    if (m_isGood)
        return Done();
    return fail(Error{ErrorKind::Storage,
                      u"The export could not be written ("_s + m_device.errorString() + u")."_s,
                      u"The conversation is unchanged; the exported file is incomplete."_s,
                      u"Free some space or choose another place, then export again."_s});
}

Result<Done, Error> forEachEvent(LogReader &reader, const QString &conversation,
                                 const std::function<bool(const Event &)> &visit)
{
    qint64 from = 1;
    while (true) {
        const auto page = reader.events(conversation, from, EventsPerPage);
        if (!page)
            return fail(page.error());
        if (page->isEmpty())
            return Done();
        for (const EventPtr &event : *page) {
            if (!visit(*event))
                return Done();
        }
        from = page->last()->seq + 1;
    }
}

} // namespace Pilothouse
