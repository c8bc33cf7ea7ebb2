// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/rowsaccessible.h"

#include <QAbstractScrollArea>

namespace Pilothouse {

namespace {
constexpr int MostRows = 1024; // Interfaces that are kept; more were asked for by scrolling.
}

/// One row, found by its number whenever it is asked, as rows come and go.
class RowsAccessible::Row final : public QAccessibleInterface {
public:
    Row(const RowsAccessible *rows, qint64 row)
        : m_rows(rows)
        , m_row(row)
    { }
    [[nodiscard]] qint64 number() const { return m_row; }

    [[nodiscard]] bool isValid() const override { return m_rows->isValid(); }
    [[nodiscard]] QObject *object() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface *parent() const override
    {
        return QAccessible::queryAccessibleInterface(m_rows->view());
    }
    [[nodiscard]] QAccessibleInterface *child(int) const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    [[nodiscard]] int childCount() const override { return 0; }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::ListItem; }
    [[nodiscard]] QAccessible::State state() const override
    {
        QAccessible::State out;
        out.readOnly = true;
        out.selectableText = true;
        out.offscreen = rect().isEmpty();
        return out;
    }
    [[nodiscard]] QRect rect() const override
    {
        if (!isValid())
            return {};
        const QWidget *viewport = m_rows->view()->viewport();
        const QRect seen = m_rows->rowRect(m_row).intersected(viewport->rect());
        return {viewport->mapToGlobal(seen.topLeft()), seen.size()};
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Name && isValid() ? m_rows->rowName(m_row) : QString();
    }
    void setText(QAccessible::Text, const QString &) override { }

private:
    const RowsAccessible *m_rows; ///< Takes its rows with it.
    qint64 m_row;
};

RowsAccessible::RowsAccessible(QAbstractScrollArea *view)
    : QAccessibleWidget(view, QAccessible::List)
{ }

RowsAccessible::~RowsAccessible() { forget(); }

QAbstractScrollArea *RowsAccessible::view() const { return static_cast<QAbstractScrollArea *>(widget()); }

int RowsAccessible::childCount() const { return rowsSeen() + QAccessibleWidget::childCount(); }

QAccessibleInterface *RowsAccessible::child(int index) const
{
    const int rows = rowsSeen();
    if (index >= rows)
        return QAccessibleWidget::child(index - rows);
    return index < 0 ? nullptr : rowInterface(firstRow() + index);
}

int RowsAccessible::indexOfChild(const QAccessibleInterface *child) const
{
    const int rows = rowsSeen();
    if (const auto *row = dynamic_cast<const Row *>(child)) {
        const qint64 index = row->number() - firstRow();
        return index >= 0 && index < rows ? static_cast<int>(index) : -1;
    }
    const int index = QAccessibleWidget::indexOfChild(child);
    return index < 0 ? index : index + rows;
}

QAccessibleInterface *RowsAccessible::childAt(int x, int y) const
{
    const QWidget *viewport = view()->viewport();
    const QPoint point = viewport->mapFromGlobal(QPoint(x, y));
    const qint64 row = viewport->rect().contains(point) ? rowAt(point) : -1;
    if (row >= firstRow() && row < firstRow() + rowsSeen())
        return rowInterface(row);
    return QAccessibleWidget::childAt(x, y);
}

QAccessibleInterface *RowsAccessible::rowInterface(qint64 row) const
{
    if (const QAccessible::Id known = m_rows.value(row))
        return QAccessible::accessibleInterface(known);
    if (m_rows.size() >= MostRows)
        forget();
    auto *made = new Row(this, row); // The registry owns it.
    m_rows.insert(row, QAccessible::registerAccessibleInterface(made));
    return made;
}

void RowsAccessible::forget() const
{
    for (const QAccessible::Id id : std::as_const(m_rows))
        QAccessible::deleteAccessibleInterface(id);
    m_rows.clear();
}

} // namespace Pilothouse
