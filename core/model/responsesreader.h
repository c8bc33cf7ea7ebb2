// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/answerreader.h"
#include "model/responsesfold.h"

namespace Pilothouse {

/// Answers of the OpenAI Responses protocol. The end markers are response.completed, response.incomplete and
/// response.failed; without one the answer is Truncated, however whole it looks.
class ResponsesReader final : public AnswerReader {
public:
    ResponsesReader()
        : AnswerReader(QLatin1StringView("OpenAI Responses"), m_fold)
    { }

private:
    void onEvent(const SseEvent &event, const Json &json, QList<StreamEvent> &out) override;
    bool takeWhole(const Json &response, QList<StreamEvent> &out) override;
    void failFromResponse(const Json &response, QList<StreamEvent> &out);

    ResponsesFold m_fold;
};

} // namespace Pilothouse
