// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropicreader.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

void AnthropicReader::onEvent(const SseEvent &event, const Json &json, QList<StreamEvent> &out)
{
    // The type inside counts; some gateways leave the event lines out.
    QString type = json[u"type"].toString();
    if (type.isEmpty())
        type = QString::fromUtf8(event.name);
    const qint64 index = json[u"index"].toInteger(-1);
    if (type == "message_start"_L1) {
        m_fold.startMessage(json[u"message"], out);
    } else if (type == "content_block_start"_L1) {
        m_fold.countOther(event.data.size()); // Kept as it came: results of searches, blocks nobody knows.
        m_fold.startBlock(index, json[u"content_block"], out);
    } else if (type == "content_block_delta"_L1) {
        m_fold.addDelta(index, json[u"delta"], out);
    } else if (type == "content_block_stop"_L1) {
        m_fold.stopBlock(index, out);
    } else if (type == "message_delta"_L1) {
        m_fold.messageDelta(json[u"delta"], json[u"usage"]);
    } else if (type == "message_stop"_L1) {
        stop(out);
    } else if (type == "error"_L1 || (type.isEmpty() && json.contains(u"error"))) {
        failFromFault(json, out);
    }
}

bool AnthropicReader::takeWhole(const Json &message, QList<StreamEvent> &out)
{
    if (!message[u"content"].isArray() || !message[u"stop_reason"].isString())
        return false;
    m_fold.startMessage(message, out);
    qint64 index = 0;
    for (const Json &block : message[u"content"].elements()) {
        m_fold.startBlock(index, block, out);
        m_fold.stopBlock(index, out);
        ++index;
    }
    m_fold.messageDelta(message, message[u"usage"]);
    return true;
}

} // namespace Pilothouse
