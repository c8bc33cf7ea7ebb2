// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/answerreader.h"
#include "model/anthropicfold.h"

namespace Pilothouse {

/// Answers of the Anthropic Messages protocol. The end marker is message_stop, or a message_delta with a stop
/// reason if the connection closes before it; anything less is Truncated.
class AnthropicReader final : public AnswerReader {
public:
    AnthropicReader()
        : AnswerReader(QLatin1StringView("Anthropic Messages"), m_fold)
    { }

private:
    void onEvent(const SseEvent &event, const Json &json, QList<StreamEvent> &out) override;
    bool takeWhole(const Json &message, QList<StreamEvent> &out) override;

    AnthropicFold m_fold;
};

} // namespace Pilothouse
