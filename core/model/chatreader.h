// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/answerreader.h"
#include "model/chatfold.h"

namespace Pilothouse {

/// Answers of the OpenAI Chat Completions protocol and of its many imitators. The end marker is [DONE]; a
/// finish reason makes the answer complete too, but counters may follow it. Neither: Truncated.
class ChatReader final : public AnswerReader {
public:
    ChatReader()
        : AnswerReader(QLatin1StringView("OpenAI Chat Completions"), m_fold)
    { }

private:
    void onEvent(const SseEvent &event, const Json &json, QList<StreamEvent> &out) override;
    void onDoneMarker(QList<StreamEvent> &out) override;
    bool takeWhole(const Json &answer, QList<StreamEvent> &out) override;

    ChatFold m_fold;
};

} // namespace Pilothouse
