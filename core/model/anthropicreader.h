// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/anthropicfold.h"
#include "model/streamreader.h"
#include "net/sseparser.h"

namespace Pilothouse {

/// Answers of the Anthropic Messages protocol: an event stream, a whole JSON message (a gateway that ignores
/// `stream`), or an error body. The end marker is message_stop, or a message_delta with a stop reason if the
/// connection closes before it; anything less is Truncated.
class AnthropicReader final : public StreamReader {
public:
    /// Of an answer that is no event stream: the text that the fold takes, and its escapes.
    static constexpr qsizetype LargestBody = 16 * 1024 * 1024;
    static constexpr qsizetype LargestErrorBody = 64 * 1024; ///< Reasons are short; more is cut off.

    void begin(const AnswerHead &head) override;
    [[nodiscard]] QList<StreamEvent> feed(QByteArrayView bytes) override;
    [[nodiscard]] QList<StreamEvent> finish() override;
    [[nodiscard]] bool isFinished() const override { return m_isFinished; }
    [[nodiscard]] bool hasContent() const override { return m_fold.hasContent(); }

private:
    enum class Form { EventStream = 1, Message, ErrorBody, Page };

    void onSseEvent(const SseEvent &event, QList<StreamEvent> &out);
    void onEvent(const QString &type, const Json &json, QList<StreamEvent> &out);
    void finishMessage(QList<StreamEvent> &out);
    void finishErrorBody(QList<StreamEvent> &out);
    void stop(QList<StreamEvent> &out);
    void fail(const ApiError &error, QList<StreamEvent> &out);
    void failFromFault(const Json &json, QList<StreamEvent> &out);
    void failProtocol(const QString &what, QList<StreamEvent> &out);

    AnswerHead m_head;
    Form m_form = Form::EventStream;
    SseParser m_parser;
    AnthropicFold m_fold;
    QByteArray m_body;
    bool m_isFinished = false;
};

} // namespace Pilothouse
