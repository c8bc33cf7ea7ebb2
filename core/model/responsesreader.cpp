// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/responsesreader.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

void ResponsesReader::onEvent(const SseEvent &event, const Json &json, QList<StreamEvent> &out)
{
    QString type = json[u"type"].toString();
    if (type.isEmpty())
        type = QString::fromUtf8(event.name);
    const Json &response = json[u"response"];
    if (type == "response.completed"_L1 || type == "response.incomplete"_L1) {
        m_fold.close(response, out);
        if (!m_fold.isOverfull())
            stop(out);
    } else if (type == "response.failed"_L1) {
        failFromResponse(response, out);
    } else if (type == "error"_L1 || (type.isEmpty() && json.contains(u"error"))) {
        failFromFault(json, out);
    } else {
        if (response.isObject())
            m_fold.startResponse(response, out);
        m_fold.take(type, json, event.data.size(), out);
    }
}

void ResponsesReader::failFromResponse(const Json &response, QList<StreamEvent> &out)
{
    m_fold.startResponse(response, out);
    m_fold.takeUsage(response[u"usage"]);
    failFromFault(response[u"error"], out);
}

bool ResponsesReader::takeWhole(const Json &response, QList<StreamEvent> &out)
{
    if (!response[u"output"].isArray())
        return false;
    if (response[u"status"].toString() == "failed"_L1)
        failFromResponse(response, out);
    else
        m_fold.close(response, out);
    return true;
}

} // namespace Pilothouse
