// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/answerfold.h"
#include "model/chatcalls.h"
#include "model/thinktags.h"

namespace Pilothouse {

/// Folds the chunks of one Chat Completions answer into normalized events and into the assistant message that
/// goes back. At most one text, one thinking and one refusal part; nothing says that a call is complete but
/// the end of the stream, so calls are given out then.
class ChatFold final : public AnswerFold {
public:
    /// `isWhole`: an answer that was not streamed, with `message` in place of `delta`.
    void addChunk(const Json &chunk, bool isWhole, QList<StreamEvent> &out);
    void setDone() { m_isDone = true; } ///< The marker [DONE] came.
    [[nodiscard]] const QString &finishWord() const { return m_finishWord; }

    [[nodiscard]] bool hasContent() const override { return m_nextPart > 0; }
    [[nodiscard]] bool hasEnd() const override { return m_isDone || !m_finishWord.isEmpty(); }
    void finishContent(bool isFailed, QList<StreamEvent> &out) override;
    void appendStop(QList<StreamEvent> &out) const override;

private:
    /// Content as it came: pieces of text, of thinking inside an array, or parts that nobody knows.
    struct Segment {
        enum class Kind { Text = 1, Thinking, Other };
        Kind kind = Kind::Text;
        QString text;
        Json json;
    };

    void giveStart(QList<StreamEvent> &out);
    void addDelta(const Json &delta, QList<StreamEvent> &out);
    void addReasoning(const Json &delta, QList<StreamEvent> &out);
    void addReasoningDetail(const Json &detail);
    void addContent(const Json &content, QList<StreamEvent> &out);
    void addText(const QString &text, QList<StreamEvent> &out);
    void addThinking(const QString &text, QList<StreamEvent> &out);
    void addSegment(Segment::Kind kind, const QString &text);
    void addUsage(const Json &usage);
    void give(StreamEvent::Type type, int &part, const QString &text, QList<StreamEvent> &out);
    [[nodiscard]] StopReason stopReason() const;
    [[nodiscard]] Json replayContent() const;
    [[nodiscard]] QByteArray replay(bool withCalls) const;

    QString m_id;
    QString m_model;
    QString m_finishWord;
    QString m_reasoning;
    QString m_reasoningField; ///< The name under which it came.
    QString m_refusal;
    Json::Elements m_reasoningDetails;
    QList<Segment> m_segments;
    ChatCalls m_calls;
    ThinkTags m_tags;
    Usage m_usage;
    int m_nextPart = 0;
    int m_textPart = -1;
    int m_thinkingPart = -1;
    int m_refusalPart = -1;
    bool m_isStarted = false;
    bool m_hasArray = false; ///< Content came as an array and goes back as one.
    bool m_isDone = false;
};

} // namespace Pilothouse
