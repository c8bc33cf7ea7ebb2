// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/streamevent.h"

#include <QHash>
#include <QList>

namespace Pilothouse {

/// Folds the events of one Anthropic message into normalized events and into the message that goes back.
/// Blocks are keyed by their `index` on the wire; `part` is the order of their start. Everything that is not
/// understood is ignored, except whole blocks: those are kept as they came, members and order included.
class AnthropicFold {
public:
    /// More blocks or text than any real answer has; beyond it the server is broken or hostile. The longest
    /// output that a vendor offers is 128 000 tokens, about half a million characters; search results and
    /// signatures come on top. Each character is held some five times (two bytes each: here, in the step, on
    /// its way to the log and to the reader), so this is what an endless answer costs at most in memory.
    static constexpr qsizetype MostBlocks = 4096;
    static constexpr qint64 MostText = 8LL * 1024 * 1024; ///< Characters over all blocks.

    void startMessage(const Json &message, QList<StreamEvent> &out);
    void startBlock(qint64 index, const Json &block, QList<StreamEvent> &out);
    void addDelta(qint64 index, const Json &delta, QList<StreamEvent> &out);
    void stopBlock(qint64 index, QList<StreamEvent> &out);
    void messageDelta(const Json &delta, const Json &usage);
    /// Content that is kept and is no text: counts like text.
    void countOther(qsizetype size) { (void)countText(size); }

    [[nodiscard]] bool hasContent() const { return !m_blocks.isEmpty(); }
    [[nodiscard]] bool hasStopReason() const { return !m_stopWord.isEmpty(); }
    [[nodiscard]] bool isOverfull() const { return m_overfull; }

    /// What is still owed before the last event: server tools without a result, and the counters if any came.
    void finishContent(QList<StreamEvent> &out);
    void appendStop(QList<StreamEvent> &out) const;

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
    [[nodiscard]] bool countText(qsizetype more);
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
    qint64 m_textSize = 0;
    bool m_hasCalls = false;
    bool m_overfull = false;
};

} // namespace Pilothouse
