// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/answerfold.h"

#include <QHash>
#include <QList>

namespace Pilothouse {

/// Folds the events of one Anthropic message into normalized events and into the message that goes back.
/// Blocks are keyed by their `index` on the wire; `part` is the order of their start. Everything that is not
/// understood is ignored, except whole blocks: those are kept as they came, members and order included.
class AnthropicFold final : public AnswerFold {
public:
    void startMessage(const Json &message, QList<StreamEvent> &out);
    void startBlock(qint64 index, const Json &block, QList<StreamEvent> &out);
    void addDelta(qint64 index, const Json &delta, QList<StreamEvent> &out);
    void stopBlock(qint64 index, QList<StreamEvent> &out);
    void messageDelta(const Json &delta, const Json &usage);
    /// Content that is kept and is no text: counts like text.
    void countOther(qsizetype size) { (void)countText(size); }

    [[nodiscard]] bool hasContent() const override { return !m_blocks.isEmpty(); }
    [[nodiscard]] bool hasEnd() const override { return !m_stopWord.isEmpty(); }
    void finishContent(bool isFailed, QList<StreamEvent> &out) override;
    void appendStop(QList<StreamEvent> &out) const override;

private:
    struct Block {
        enum class Kind { Text = 1, Thinking, RedactedThinking, Call, ServerCall, ServerResult, Other };
        Kind kind = Kind::Other;
        Json json; ///< As started.
        QString text; ///< Joined pieces of text, thinking or argument text.
        QString signature;
        QByteArray args; ///< Calls, once closed.
        Json::Elements citations;
        bool hasSignature = false;
        bool isClosed = false;
        bool isReported = false; ///< Server calls.
    };

    [[nodiscard]] static Block::Kind kindOf(const QString &type);
    void closeCall(Block &block, int part, QList<StreamEvent> &out);
    void reportServerTool(const Block &block, int part, const Json &result, QList<StreamEvent> &out) const;
    void overlayUsage(const Json &usage);
    [[nodiscard]] StopReason stopReason() const;
    [[nodiscard]] Json stopDetail(StopReason reason) const;
    [[nodiscard]] QByteArray replay(StopReason reason, bool withCalls) const;
    [[nodiscard]] std::optional<Json> replayBlock(const Block &block, StopReason reason) const;

    QList<Block> m_blocks;
    QHash<qint64, int> m_partOfIndex;
    QString m_stopWord;
    Json m_stopSequence;
    Json m_stopDetails;
    std::optional<qint64> m_input; ///< Without the cached tokens.
    std::optional<qint64> m_output;
    std::optional<qint64> m_cacheRead;
    std::optional<qint64> m_cacheWrite;
    std::optional<qint64> m_reasoning;
    bool m_hasCalls = false;
};

} // namespace Pilothouse
