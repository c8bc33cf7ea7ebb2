// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QLayout>
#include <QList>

namespace Pilothouse {

/// Items beside each other, in as many lines as the width needs: nothing is cut. Items after endLeading()
/// stand at the far end: of the line while all fit into one, otherwise of lines of their own. Hidden items
/// take no room.
class WrapLayout : public QLayout {
public:
    explicit WrapLayout(int gap);
    ~WrapLayout() override;

    void endLeading() { m_trailing = static_cast<int>(m_items.size()); }

    void addItem(QLayoutItem *item) override { m_items.append(item); }
    [[nodiscard]] int count() const override { return static_cast<int>(m_items.size()); }
    [[nodiscard]] QLayoutItem *itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem *takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSize() const override;
    void setGeometry(const QRect &rect) override;

private:
    using Line = QList<QLayoutItem *>;
    struct Lines {
        QList<Line> lines;
        qsizetype leading = 0; ///< Lines without an item of the far end.
        qsizetype before = 0; ///< Items of the line after these that stand before such ones.
    };
    [[nodiscard]] Lines lines(int width) const;
    [[nodiscard]] int lineWidth(const Line &line) const;
    [[nodiscard]] static int lineHeight(const Line &line);

    QList<QLayoutItem *> m_items;
    int m_gap;
    int m_trailing = -1;
};

} // namespace Pilothouse
