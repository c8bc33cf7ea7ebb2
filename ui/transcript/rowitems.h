// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/markdownsegments.h"
#include "transcript/rowitem.h"

#include <optional>

namespace Pilothouse {

/// The model's words.
class TextItem final : public RowItem {
public:
    [[nodiscard]] bool isText() const override { return true; }
    [[nodiscard]] QString copyText(size_t segment) const override;

protected:
    void build(const TranscriptRow &row, const SegmentContext &inner, bool same) override;

private:
    std::optional<MarkdownSegments> m_words;
};

/// A person's words in a tinted block.
class UserItem final : public RowItem {
public:
    UserItem();
    [[nodiscard]] bool isText() const override { return true; }
    [[nodiscard]] QString copyText(size_t segment) const override;
    void paintBack(QPainter *painter, const SegmentContext &context, const QRect &rect,
                   bool isCurrent) const override;

protected:
    void build(const TranscriptRow &row, const SegmentContext &inner, bool same) override;

private:
    std::optional<MarkdownSegments> m_words;
};

/// One line that unfolds to what the model thought.
class ReasoningItem final : public RowItem {
public:
    [[nodiscard]] bool isText() const override { return m_shape.isUnfolded; }
    [[nodiscard]] QString copyText(size_t segment) const override;

protected:
    void build(const TranscriptRow &row, const SegmentContext &inner, bool same) override;

private:
    std::optional<MarkdownSegments> m_words;
    QString m_head;
};

/// A call in the stack of its step.
class CallItem final : public RowItem {
public:
    void paintBack(QPainter *painter, const SegmentContext &context, const QRect &rect,
                   bool isCurrent) const override;

protected:
    void build(const TranscriptRow &row, const SegmentContext &inner, bool same) override;

private:
    bool m_isWaiting = false;
    bool m_isRunning = false;
};

/// A step's hairline, or how a turn ended.
class LineItem final : public RowItem {
protected:
    void build(const TranscriptRow &row, const SegmentContext &inner, bool same) override;
};

/// A row that has not been read: room as high as it is thought to be (RowShape::widgetHeight).
class AbsentItem final : public RowItem {
protected:
    void build(const TranscriptRow &row, const SegmentContext &inner, bool same) override;
};

/// A quiet remark.
class NoticeItem final : public RowItem {
public:
    [[nodiscard]] bool isText() const override { return true; }

protected:
    void build(const TranscriptRow &row, const SegmentContext &inner, bool same) override;
};

/// What happened, what was kept, what to do.
class ErrorItem final : public RowItem {
public:
    ErrorItem();
    void paintBack(QPainter *painter, const SegmentContext &context, const QRect &rect,
                   bool isCurrent) const override;

protected:
    void build(const TranscriptRow &row, const SegmentContext &inner, bool same) override;
};

} // namespace Pilothouse
