// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/chatreader.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

void ChatReader::onEvent(const SseEvent &, const Json &json, QList<StreamEvent> &out)
{
    if (!json[u"error"].isNull() || json[u"object"].toString() == "error"_L1) {
        failFromFault(json, out);
        return;
    }
    m_fold.addChunk(json, false, out);
    if (m_fold.finishWord() == "error"_L1)
        failFromFault(Json::object(), out);
}

void ChatReader::onDoneMarker(QList<StreamEvent> &out)
{
    m_fold.setDone();
    stop(out);
}

bool ChatReader::takeWhole(const Json &answer, QList<StreamEvent> &out)
{
    if (answer[u"choices"].size() == 0)
        return false;
    m_fold.addChunk(answer, true, out);
    return true;
}

} // namespace Pilothouse
