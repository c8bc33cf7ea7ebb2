// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QAccessibleWidget>
#include <QHash>

class QAbstractScrollArea;

namespace Pilothouse {

/// A scroll area that paints rows, as assistive technology sees it: a list whose first children are the rows
/// that are seen, whatever their number in all, then the widgets in it.
class RowsAccessible : public QAccessibleWidget {
public:
    explicit RowsAccessible(QAbstractScrollArea *view);
    ~RowsAccessible() override;
    Q_DISABLE_COPY_MOVE(RowsAccessible)

    [[nodiscard]] virtual qint64 firstRow() const = 0; ///< At the top of the viewport.
    [[nodiscard]] virtual int rowsSeen() const = 0; ///< From there on, also those that are cut.
    [[nodiscard]] virtual QString rowName(qint64 row) const = 0; ///< Inert and bounded; any number may come.
    [[nodiscard]] virtual QRect rowRect(qint64 row) const = 0; ///< In the viewport; empty: not seen.
    [[nodiscard]] virtual qint64 rowAt(const QPoint &point) const = 0; ///< In the viewport; -1: none.

    [[nodiscard]] QAbstractScrollArea *view() const;
    [[nodiscard]] int childCount() const override;
    [[nodiscard]] QAccessibleInterface *child(int index) const override;
    [[nodiscard]] int indexOfChild(const QAccessibleInterface *child) const override;
    [[nodiscard]] QAccessibleInterface *childAt(int x, int y) const override;

private:
    class Row;
    [[nodiscard]] QAccessibleInterface *rowInterface(qint64 row) const;
    void forget() const;

    mutable QHash<qint64, QAccessible::Id> m_rows; ///< Made on demand, by row.
};

} // namespace Pilothouse
