// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QLayout>

#include <memory>
#include <vector>

namespace Pilothouse {

/// A line of a table: columns of a fixed width, and some that share what is left. Where nothing worth sharing
/// is left those go below the others. Lines with the same columns and the same width look the same, so that
/// columns stand under each other.
class ColumnsLayout : public QLayout {
    Q_OBJECT
public:
    explicit ColumnsLayout(QWidget *parent);
    ~ColumnsLayout() override;

    void addColumn(QWidget *widget, int width); ///< Of this width; the first may shrink or grow.
    void addFilling(QWidget *widget, int stretch); ///< Shares what is left, or goes below.
    [[nodiscard]] bool isBroken(int width) const; ///< Whether some columns are below, at this width.
    void setLineHeight(int height); ///< Of the first line; 0: as high as what stands in it.

    void addItem(QLayoutItem *item) override;
    [[nodiscard]] int count() const override;
    [[nodiscard]] QLayoutItem *itemAt(int index) const override;
    QLayoutItem *takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override;
    [[nodiscard]] bool hasHeightForWidth() const override;
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize minimumSize() const override;
    [[nodiscard]] QSize sizeHint() const override;
    void setGeometry(const QRect &rect) override;

private:
    struct Column {
        std::unique_ptr<QLayoutItem> item;
        int width = 0;
        int stretch = 0; ///< 0: of a fixed width.
    };

    [[nodiscard]] int fixedWidth(bool isBroken) const; ///< With the gaps.
    [[nodiscard]] int lineHeight() const;
    [[nodiscard]] int fillingHeight() const;
    [[nodiscard]] int leastFirst() const;

    std::vector<Column> m_columns;
    int m_lineHeight = 0;
};

} // namespace Pilothouse
