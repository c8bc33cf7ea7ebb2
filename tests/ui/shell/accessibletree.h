// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QAccessible>
#include <QList>
#include <QStringList>

class QWidget;

namespace Pilothouse::Tests {

/// What an assistive technology finds in a window, and what it would stumble over. Walks what is visible.
class AccessibleTree {
public:
    explicit AccessibleTree(QWidget *window);

    /// One line for each fault: roles, names, states, places, relations between parents and children.
    [[nodiscard]] const QStringList &faults() const { return m_faults; }
    /// Everything visible, parents first.
    [[nodiscard]] const QList<QAccessibleInterface *> &all() const { return m_all; }
    [[nodiscard]] int controlCount() const { return m_controls; }
    /// Names of everything visible with this role.
    [[nodiscard]] QStringList names(QAccessible::Role role) const;
    [[nodiscard]] QAccessibleInterface *find(QAccessible::Role role, const QString &name) const;

private:
    void walk(QAccessibleInterface *item, const QString &path, bool scrolls);
    void check(QAccessibleInterface *item, const QString &path, bool scrolls);
    void checkWidget(QAccessibleInterface *item, const QWidget *widget, const QString &path);
    void checkChildren(QAccessibleInterface *item, const QString &path);

    QWidget *m_window;
    QStringList m_faults;
    QList<QAccessibleInterface *> m_all;
    int m_controls = 0;
};

/// Tab (or Shift+Tab) from where the focus is until it is there again: the controls in order. Faults: the
/// focus stays on a control, is lost, leaves the window or does not come back; a control does not look
/// different with the focus.
struct TabWalk {
    QList<QWidget *> controls;
    QStringList faults;
};
[[nodiscard]] TabWalk tabWalk(QWidget *window, bool backwards, bool looks);
/// What Tab should reach in a window now.
[[nodiscard]] QList<QWidget *> tabStops(const QWidget *window);
/// The widget as faults name it.
[[nodiscard]] QString describe(const QWidget *widget);

} // namespace Pilothouse::Tests
