// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/outputaccessible.h"

#include "inspector/outputview.h"

#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>
#include <QScrollBar>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostRows = 1024; // Interfaces that are kept; more were asked for by scrolling.
constexpr int LongestName = 4000; // Of a row; a screen reader reads no further.

/// One row, found by its number whenever it is asked, as rows come and go.
class RowAccessible final : public QAccessibleInterface {
public:
    RowAccessible(OutputView *view, qint64 row)
        : m_view(view)
        , m_row(row)
    { }

    [[nodiscard]] bool isValid() const override { return m_view && m_view->model(); }
    [[nodiscard]] QObject *object() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface *parent() const override
    {
        return QAccessible::queryAccessibleInterface(m_view);
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
        out.offscreen = !m_view || m_view->rowRect(m_row).isEmpty();
        return out;
    }
    [[nodiscard]] QRect rect() const override
    {
        if (!m_view)
            return {};
        const QRect inView = m_view->rowRect(m_row);
        return {m_view->viewport()->mapToGlobal(inView.topLeft()), inView.size()};
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        const LineStore::Row *row = isValid() ? m_view->model()->row(m_row) : nullptr;
        if (kind != QAccessible::Name || !row)
            return {};
        const bool isError = row->channel == LineStore::Channel::Stderr;
        const QString number = isError ? OutputView::tr("Line %1, stderr: ") : OutputView::tr("Line %1: ");
        return QString(number.arg(row->line) + rowText(*row).left(LongestName));
    }
    void setText(QAccessible::Text, const QString &) override { }

private:
    QPointer<OutputView> m_view;
    qint64 m_row;
};

class ViewAccessible final : public QAccessibleWidget {
public:
    explicit ViewAccessible(OutputView *view)
        : QAccessibleWidget(view, QAccessible::List)
    { }
    ~ViewAccessible() override { forget(); }
    Q_DISABLE_COPY_MOVE(ViewAccessible)

    [[nodiscard]] int childCount() const override { return rowCount() + static_cast<int>(bars().size()); }
    [[nodiscard]] QAccessibleInterface *child(int index) const override
    {
        const int rows = rowCount();
        if (index >= rows)
            return QAccessible::queryAccessibleInterface(bars().value(index - rows));
        return index < 0 ? nullptr : rowInterface(first() + index);
    }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface *child) const override
    {
        for (int i = 0; i < childCount(); ++i) {
            if (this->child(i) == child)
                return i;
        }
        return -1;
    }
    [[nodiscard]] QAccessibleInterface *childAt(int x, int y) const override
    {
        const QPoint point = view()->viewport()->mapFromGlobal(QPoint(x, y));
        if (!view()->viewport()->rect().contains(point))
            return nullptr;
        const qint64 row = view()->placeAt(point).row;
        return row >= first() && row < first() + rowCount() ? rowInterface(row) : nullptr;
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        const QString own = QAccessibleWidget::text(kind);
        if (kind != QAccessible::Description || !own.isEmpty() || !view()->model())
            return own;
        return OutputView::tr("%n line(s)", nullptr, static_cast<int>(view()->model()->store().lineCount()));
    }

private:
    [[nodiscard]] OutputView *view() const { return static_cast<OutputView *>(widget()); }
    [[nodiscard]] qint64 first() const { return view()->top().row; }
    [[nodiscard]] int rowCount() const
    {
        if (!view()->model())
            return 0;
        const qint64 end = std::min(view()->model()->rowCount(), view()->lastVisibleRow() + 1);
        return static_cast<int>(std::max(qint64(0), end - first()));
    }
    [[nodiscard]] QList<QScrollBar *> bars() const
    {
        QList<QScrollBar *> out;
        for (QScrollBar *bar : {view()->verticalScrollBar(), view()->horizontalScrollBar()}) {
            if (bar->isVisible())
                out.append(bar);
        }
        return out;
    }
    [[nodiscard]] QAccessibleInterface *rowInterface(qint64 row) const
    {
        if (const QAccessible::Id known = m_rows.value(row))
            return QAccessible::accessibleInterface(known);
        if (m_rows.size() >= MostRows)
            forget();
        auto *made = new RowAccessible(view(), row); // The registry owns it.
        m_rows.insert(row, QAccessible::registerAccessibleInterface(made));
        return made;
    }
    void forget() const
    {
        for (const QAccessible::Id id : std::as_const(m_rows))
            QAccessible::deleteAccessibleInterface(id);
        m_rows.clear();
    }

    mutable QHash<qint64, QAccessible::Id> m_rows; ///< Made on demand, by row.
};

QAccessibleInterface *makeInterface(const QString &, QObject *object)
{
    auto *view = qobject_cast<OutputView *>(object);
    return view ? new ViewAccessible(view) : nullptr;
}

} // namespace

void installOutputAccessible()
{
    static const bool isDone = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(isDone)
}

} // namespace Pilothouse
