// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "accessibletree.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QImage>
#include <QMetaEnum>
#include <QRadioButton>
#include <QTest>
#include <QTextEdit>
#include <QWidget>

#include <algorithm>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostChildren = 500; // Of one parent; a test shows no more.
constexpr int MostStops = 200;
constexpr int Around = 4; // A ring stands outside of its button.

QString roleName(QAccessible::Role role)
{
    const char *name = QMetaEnum::fromType<QAccessible::Role>().valueToKey(role);
    return name ? QString::fromLatin1(name) : QString::number(role);
}

bool isControlRole(QAccessible::Role role)
{
    static const QSet<int> roles{
        QAccessible::Button,   QAccessible::ButtonDropDown, QAccessible::ButtonMenu, QAccessible::CheckBox,
        QAccessible::ComboBox, QAccessible::EditableText,   QAccessible::Link,       QAccessible::List,
        QAccessible::ListItem, QAccessible::MenuItem,       QAccessible::PageTab,    QAccessible::PageTabList,
        QAccessible::MenuBar,  QAccessible::RadioButton,    QAccessible::ScrollBar,  QAccessible::Slider,
        QAccessible::SpinBox,  QAccessible::Table,          QAccessible::Tree,       QAccessible::TreeItem,
        QAccessible::Dialog};
    return roles.contains(role);
}

bool isButtonRole(QAccessible::Role role)
{
    return role == QAccessible::Button || role == QAccessible::ButtonDropDown
        || role == QAccessible::ButtonMenu || role == QAccessible::CheckBox
        || role == QAccessible::RadioButton || role == QAccessible::PageTab || role == QAccessible::MenuItem;
}

QWidget *widgetOf(const QAccessibleInterface *item) { return qobject_cast<QWidget *>(item->object()); }

QString step(QAccessibleInterface *item)
{
    const QString name = item->text(QAccessible::Name).left(40);
    const QString what = item->object() ? QString::fromLatin1(item->object()->metaObject()->className())
                                        : roleName(item->role());
    return name.isEmpty() ? what : QString(what + u" '"_s + name + u'\'');
}

} // namespace

QString describe(const QWidget *widget)
{
    if (!widget)
        return u"(nothing)"_s;
    QAccessibleInterface *item = QAccessible::queryAccessibleInterface(const_cast<QWidget *>(widget));
    QString text = item ? step(item) : QString::fromLatin1(widget->metaObject()->className());
    for (const QWidget *up = widget->parentWidget(); up; up = up->parentWidget()) {
        const QString name = QString::fromLatin1(up->metaObject()->className());
        if (name.startsWith("Pilothouse"_L1)) {
            text += u" in "_s + name;
            break;
        }
    }
    return text;
}

AccessibleTree::AccessibleTree(QWidget *window)
    : m_window(window)
{
    QAccessibleInterface *root = QAccessible::queryAccessibleInterface(window);
    if (root)
        walk(root, {}, false);
    else
        m_faults.append(u"The window has no interface"_s);
}

void AccessibleTree::walk(QAccessibleInterface *item, const QString &path, bool scrolls)
{
    if (!item->isValid()) {
        m_faults.append(path + u": not valid"_s);
        return;
    }
    if (item->state().invisible)
        return;
    const QString here = path + u'/' + step(item);
    m_all.append(item);
    check(item, here, scrolls);
    const bool isScroll = scrolls || qobject_cast<QAbstractScrollArea *>(item->object());
    checkChildren(item, here);
    const int count = std::min(item->childCount(), MostChildren);
    for (int i = 0; i < count; ++i) {
        if (QAccessibleInterface *child = item->child(i))
            walk(child, here, isScroll);
    }
}

void AccessibleTree::check(QAccessibleInterface *item, const QString &path, bool scrolls)
{
    const auto fault = [this, &path](const QString &what) { m_faults.append(path + u": "_s + what); };
    const QAccessible::Role role = item->role();
    const QAccessible::State state = item->state();
    const QWidget *widget = widgetOf(item);
    const bool isFocusable = widget ? widget->focusPolicy() != Qt::NoFocus : bool(state.focusable);
    const bool isControl = isFocusable || isControlRole(role);
    if (role == QAccessible::NoRole)
        fault(u"no role"_s);
    if (isControl) {
        ++m_controls;
        if (role == QAccessible::Client)
            fault(u"a control without a role"_s);
        if (item->text(QAccessible::Name).trimmed().isEmpty())
            fault(roleName(role) + u" without a name"_s);
        // Where its name is what is chosen, a label must say what for.
        if (role == QAccessible::ComboBox && item->relations(QAccessible::Label).isEmpty())
            fault(u"a combo box without a label"_s);
    }
    if (role == QAccessible::StaticText && item->text(QAccessible::Name).isEmpty() && !widget)
        fault(u"text without text"_s);
    // Combo boxes and trees of Qt never say that something is collapsed.
    const bool isQts = role == QAccessible::ComboBox || role == QAccessible::TreeItem;
    if (state.expandable && state.expanded == state.collapsed && !isQts)
        fault(u"neither expanded nor collapsed"_s);
    if (!state.expandable && (state.expanded || state.collapsed) && role != QAccessible::ComboBox)
        fault(u"expanded but not expandable"_s);
    if (widget)
        checkWidget(item, widget, path);
    if (!state.offscreen) {
        const QRect window(m_window->mapToGlobal(QPoint(0, 0)), m_window->size());
        const QRect rect = item->rect();
        if (rect.isEmpty() && role != QAccessible::Client && role != QAccessible::StaticText)
            fault(u"no place: %1×%2"_s.arg(rect.width()).arg(rect.height()));
        else if (!rect.isEmpty() && !scrolls && !window.contains(rect))
            fault(u"outside of the window: %1,%2 %3×%4"_s.arg(rect.x())
                      .arg(rect.y())
                      .arg(rect.width())
                      .arg(rect.height()));
        else if (!rect.isEmpty() && !widget && !window.intersects(rect))
            fault(u"not offscreen, but outside of the window"_s);
    }
}

void AccessibleTree::checkWidget(QAccessibleInterface *item, const QWidget *widget, const QString &path)
{
    const auto fault = [this, &path](const QString &what) { m_faults.append(path + u": "_s + what); };
    const QAccessible::State state = item->state();
    if (state.disabled == widget->isEnabled())
        fault(widget->isEnabled() ? u"said to be disabled"_s : u"not said to be disabled"_s);
    if (widget->isEnabled() && widget->focusPolicy() != Qt::NoFocus && !state.focusable)
        fault(u"not said to be focusable"_s);
    if (state.focused && !widget->hasFocus() && !qobject_cast<const QAbstractItemView *>(widget))
        fault(u"said to have the focus"_s);
    if (const auto *button = qobject_cast<const QAbstractButton *>(widget)) {
        const bool checkable = button->isCheckable();
        if (state.checkable != checkable)
            fault(u"checkable is said wrongly"_s);
        if (checkable && state.checked != button->isChecked())
            fault(u"checked is said wrongly"_s);
        if (button->text().isEmpty() && button->toolTip().isEmpty())
            fault(u"an icon without a tooltip"_s);
    }
}

void AccessibleTree::checkChildren(QAccessibleInterface *item, const QString &path)
{
    const auto fault = [this, &path](const QString &what) { m_faults.append(path + u": "_s + what); };
    QStringList buttons;
    const int count = std::min(item->childCount(), MostChildren);
    for (int i = 0; i < count; ++i) {
        QAccessibleInterface *child = item->child(i);
        if (!child) {
            fault(u"child %1 of %2 is missing"_s.arg(i).arg(count));
            continue;
        }
        if (child->parent() != item)
            fault(u"child %1 (%2) has another parent: %3"_s.arg(i).arg(
                step(child), child->parent() ? step(child->parent()) : u"none"_s));
        if (const int index = item->indexOfChild(child); index != i)
            fault(u"child %1 (%2) is found at %3"_s.arg(i).arg(step(child)).arg(index));
        // What Qt does not find in a menu under the pointer: lines between entries.
        if (child->state().invisible || child->role() == QAccessible::Separator)
            continue;
        const QRect rect = child->rect();
        if (!child->state().offscreen && !rect.isEmpty() && item->rect().contains(rect.center())) {
            QAccessibleInterface *there = item->childAt(rect.center().x(), rect.center().y());
            if (!there)
                fault(u"nothing is found where child %1 (%2) is"_s.arg(i).arg(step(child)));
            else if (there != child && !there->rect().contains(rect.center()))
                fault(u"%1 is found where child %2 (%3) is"_s.arg(step(there)).arg(i).arg(step(child)));
        }
        if (!isButtonRole(child->role()))
            continue;
        const QString name = child->text(QAccessible::Name);
        if (!name.isEmpty() && buttons.contains(name))
            fault(u"two buttons '%1'"_s.arg(name));
        buttons.append(name);
    }
}

QStringList AccessibleTree::names(QAccessible::Role role) const
{
    QStringList names;
    for (const QAccessibleInterface *item : m_all) {
        if (item->role() == role)
            names.append(item->text(QAccessible::Name));
    }
    return names;
}

QAccessibleInterface *AccessibleTree::find(QAccessible::Role role, const QString &name) const
{
    const auto found = std::find_if(m_all.cbegin(), m_all.cend(), [&](const QAccessibleInterface *item) {
        return item->role() == role && item->text(QAccessible::Name) == name;
    });
    return found == m_all.cend() ? nullptr : *found;
}

QList<QWidget *> tabStops(const QWidget *window)
{
    QList<QWidget *> stops;
    for (QWidget *widget : window->findChildren<QWidget *>()) {
        if (widget->window() != window || !widget->isVisible() || !widget->isEnabled()
            || !(widget->focusPolicy() & Qt::TabFocus) || widget->focusProxy())
            continue;
        // Of choices that exclude each other Tab reaches the one that is made; arrows reach the others.
        const auto *radio = qobject_cast<QRadioButton *>(widget);
        if (radio && !radio->isChecked())
            continue;
        stops.append(widget);
    }
    return stops;
}

TabWalk tabWalk(QWidget *window, bool backwards, bool looks)
{
    TabWalk walk;
    const auto grab = [window](const QWidget *widget) {
        const QRect place(widget->mapTo(window, QPoint(0, 0)), widget->size());
        return window->grab(place.adjusted(-Around, -Around, Around, Around)).toImage();
    };
    const QWidget *first = nullptr;
    for (int i = 0; i < MostStops; ++i) {
        QWidget *before = QApplication::focusWidget();
        if (!before) {
            walk.faults.append(u"the focus is lost after "_s
                               + describe(walk.controls.isEmpty() ? nullptr : walk.controls.last()));
            return walk;
        }
        const QImage with = looks ? grab(before) : QImage();
        QTest::keyClick(before, backwards ? Qt::Key_Backtab : Qt::Key_Tab,
                        backwards ? Qt::ShiftModifier : Qt::NoModifier);
        QWidget *now = QApplication::focusWidget();
        if (now == before) {
            walk.faults.append(u"the focus stays on "_s + describe(before));
            return walk;
        }
        // The first was reached by other means than Tab and may look otherwise.
        if (looks && i > 0 && before->isVisible() && grab(before) == with)
            walk.faults.append(u"the focus is not seen on "_s + describe(before));
        if (now && now->window() != window) {
            walk.faults.append(u"the focus leaves the window after "_s + describe(before));
            return walk;
        }
        if (now && now == first)
            return walk;
        if (!first)
            first = now;
        if (now)
            walk.controls.append(now);
    }
    walk.faults.append(u"it does not end"_s);
    return walk;
}

} // namespace Pilothouse::Tests
