// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QAccessibleTextInterface>
#include <QRect>
#include <QString>

#include <algorithm>

namespace Pilothouse {

/// Words that can be read in pieces and neither selected nor changed; letters have no places of their own.
class AccessibleText : public QAccessibleTextInterface {
public:
    [[nodiscard]] virtual QString words() const = 0; ///< Inert and bounded.
    [[nodiscard]] virtual QRect place() const = 0; ///< On the screen.

    void selection(int, int *start, int *end) const override { *start = *end = 0; }
    int selectionCount() const override { return 0; }
    void addSelection(int, int) override { }
    void removeSelection(int) override { }
    void setSelection(int, int, int) override { }
    int cursorPosition() const override { return 0; }
    void setCursorPosition(int) override { }
    QString text(int start, int end) const override
    {
        const QString all = words();
        const int from = std::max(0, start);
        return all.mid(from, end < 0 ? -1 : std::max(0, end - from));
    }
    int characterCount() const override { return static_cast<int>(words().size()); }
    QRect characterRect(int) const override { return place(); }
    int offsetAtPoint(const QPoint &point) const override { return place().contains(point) ? 0 : -1; }
    void scrollToSubstring(int, int) override { }
    QString attributes(int, int *start, int *end) const override
    {
        *start = 0;
        *end = characterCount();
        return {};
    }
};

} // namespace Pilothouse
