// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/linesaccessible.h"

#include "files/linesview.h"
#include "theme/rowsaccessible.h"
#include "theme/units.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

class ViewAccessible final : public RowsAccessible {
public:
    explicit ViewAccessible(LinesView *view)
        : RowsAccessible(view)
    { }

    [[nodiscard]] qint64 firstRow() const override { return lines()->firstVisibleLine(); }
    [[nodiscard]] int rowsSeen() const override
    {
        return static_cast<int>(std::clamp<qint64>(lineCount() - firstRow(), 0, lines()->visibleLineCount()));
    }
    [[nodiscard]] QString rowName(qint64 row) const override
    {
        if (row < 0 || row >= lineCount())
            return {};
        const PreviewDocument *document = lines()->document();
        return LinesView::tr("Line %1: %2").arg(document->gutter(row), document->line(row));
    }
    [[nodiscard]] QRect rowRect(qint64 row) const override { return lines()->lineRect(row); }
    [[nodiscard]] qint64 rowAt(const QPoint &point) const override
    {
        const int height = lines()->lineRect(firstRow()).height();
        const qint64 row = firstRow() + point.y() / std::max(1, height);
        return row < lineCount() ? row : -1;
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        const QString own = QAccessibleWidget::text(kind);
        if (kind != QAccessible::Description || !own.isEmpty() || !lines()->document())
            return own;
        return countedText(lineCount(), LinesView::tr("1 line"), LinesView::tr("%1 lines"));
    }

private:
    [[nodiscard]] LinesView *lines() const { return static_cast<LinesView *>(widget()); }
    [[nodiscard]] qint64 lineCount() const
    {
        return lines()->document() ? qint64(lines()->document()->lineCount()) : 0;
    }
};

QAccessibleInterface *makeInterface(const QString &, QObject *object)
{
    auto *view = qobject_cast<LinesView *>(object);
    return view ? new ViewAccessible(view) : nullptr;
}

} // namespace

void installLinesAccessible()
{
    static const bool isDone = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(isDone)
}

} // namespace Pilothouse
