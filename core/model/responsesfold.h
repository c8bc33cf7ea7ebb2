// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/answerfold.h"

#include <QMap>

namespace Pilothouse {

/// Folds the events of one OpenAI Responses answer into normalized events and into the items that go back.
/// Items overlap on the wire and are keyed by their `output_index`, their content by `content_index` or
/// `summary_index`; `part` is the order in which content first appeared. What `done` says of an item counts,
/// and goes back as it came, members and order included; the closing response only fills gaps.
class ResponsesFold final : public AnswerFold {
public:
    /// An event that is about an item or its content, or nothing known. `size`: bytes of the event.
    void take(const QString &type, const Json &event, qsizetype size, QList<StreamEvent> &out);
    /// Any `response` object: id and model.
    void startResponse(const Json &response, QList<StreamEvent> &out);
    /// The closing response, complete or incomplete.
    void close(const Json &response, QList<StreamEvent> &out);
    void takeUsage(const Json &usage);

    [[nodiscard]] bool hasContent() const override { return !m_items.isEmpty(); }
    [[nodiscard]] bool hasEnd() const override { return !m_stopWord.isEmpty(); }
    void finishContent(bool isFailed, QList<StreamEvent> &out) override;
    void appendStop(QList<StreamEvent> &out) const override;

private:
    /// One content part of a message.
    struct Piece {
        QString text;
        int part = -1; ///< -1: nothing was given out.
        qsizetype citations = 0;
        bool isRefusal = false;
    };
    struct Item {
        enum class Kind { Message = 1, Reasoning, Call, CustomCall, ServerCall, Other };
        enum class Source {
            None = 1,
            Summary,
            Raw
        }; ///< Of a reasoning item's text: the first kind that came.
        Kind kind = Kind::Other;
        Source source = Source::None;
        Json json; ///< As added, then as done.
        QMap<qint64, Piece> pieces;
        QString text; ///< Joined pieces of arguments, input or reasoning.
        qint64 lastIndex = 0; ///< Of the reasoning part that `text` ends in.
        qint64 counted = 0; ///< Characters that went into the bound.
        int part = -1;
        bool isDone = false;
    };

    [[nodiscard]] static Item::Kind kindOf(const QString &type);
    [[nodiscard]] std::optional<qint64> indexOf(const Json &event, const QString &id) const;
    [[nodiscard]] Item *itemFor(const Json &event, Item::Kind kind);
    [[nodiscard]] bool count(Item &item, qsizetype more);
    void addItem(qint64 index, const Json &json, QList<StreamEvent> &out);
    void addText(Item &item, qint64 index, const QString &text, bool isRefusal, QList<StreamEvent> &out);
    void addReasoning(Item &item, Item::Source source, qint64 index, const QString &text,
                      QList<StreamEvent> &out);
    void addCitation(Item &item, qint64 index, const Json &annotation, QList<StreamEvent> &out);
    void finishItem(qint64 index, const Json &json, qsizetype size, QList<StreamEvent> &out);
    void finishMessage(Item &item, QList<StreamEvent> &out);
    void finishReasoning(Item &item, QList<StreamEvent> &out);
    void finishCall(Item &item, QList<StreamEvent> &out);
    void finishServerCall(Item &item, QList<StreamEvent> &out) const;
    [[nodiscard]] StopReason stopReason() const;
    [[nodiscard]] QByteArray replay(bool withCalls) const;
    [[nodiscard]] static std::optional<Json> replayItem(const Item &item);

    QMap<qint64, Item> m_items; ///< By output_index.
    QString m_stopWord;
    Usage m_usage;
    int m_parts = 0;
    bool m_isStarted = false;
    bool m_isIncomplete = false;
    bool m_hasCalls = false;
    bool m_hasRefusal = false;
};

} // namespace Pilothouse
