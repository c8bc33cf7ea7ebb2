// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/outputaccessible.h"

#include "inspector/outputview.h"
#include "theme/rowsaccessible.h"
#include "theme/units.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int LongestName = 4000; // Of a row; a screen reader reads no further.

class ViewAccessible final : public RowsAccessible {
public:
    explicit ViewAccessible(OutputView *view)
        : RowsAccessible(view)
    { }

    [[nodiscard]] qint64 firstRow() const override { return output()->top().row; }
    [[nodiscard]] int rowsSeen() const override
    {
        if (!output()->model())
            return 0;
        const qint64 end = std::min(output()->model()->rowCount(), output()->lastVisibleRow() + 1);
        return static_cast<int>(std::max(qint64(0), end - firstRow()));
    }
    [[nodiscard]] QString rowName(qint64 number) const override
    {
        const LineStore::Row *row = output()->model() ? output()->model()->row(number) : nullptr;
        if (!row)
            return {};
        const bool isError = row->channel == LineStore::Channel::Stderr;
        const QString words = isError ? OutputView::tr("Line %1, stderr: ") : OutputView::tr("Line %1: ");
        return QString(words.arg(row->line) + rowText(*row).left(LongestName));
    }
    [[nodiscard]] QRect rowRect(qint64 row) const override { return output()->rowRect(row); }
    [[nodiscard]] qint64 rowAt(const QPoint &point) const override
    {
        const qint64 row = output()->placeAt(point).row; // The last one for all that is below it.
        return output()->rowRect(row).contains(point) ? row : -1;
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        const QString own = QAccessibleWidget::text(kind);
        if (kind != QAccessible::Description || !own.isEmpty() || !output()->model())
            return own;
        return countedText(output()->model()->store().lineCount(), OutputView::tr("1 line"),
                           OutputView::tr("%1 lines"));
    }

private:
    [[nodiscard]] OutputView *output() const { return static_cast<OutputView *>(widget()); }
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
