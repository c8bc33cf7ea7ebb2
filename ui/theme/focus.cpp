// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/focus.h"

#include <QLayout>
#include <QWidget>

namespace Pilothouse {

namespace {

QWidget *orderLayout(QWidget *after, const QLayout *layout)
{
    for (int i = 0; layout && i < layout->count(); ++i) {
        QLayoutItem *item = layout->itemAt(i);
        QWidget *widget = item->widget();
        if (widget && widget->focusPolicy() != Qt::NoFocus) {
            QWidget::setTabOrder(after, widget);
            after = widget;
        }
        after = orderLayout(after, widget ? widget->layout() : item->layout());
    }
    return after;
}

} // namespace

QWidget *orderFocus(QWidget *after, const QWidget *container)
{
    return orderLayout(after, container->layout());
}

bool holdsFocus(const QWidget *widget)
{
    // Of its window, not of the application: also while a dialog or another window is in front.
    const QWidget *at = widget->window()->focusWidget();
    return at && (at == widget || widget->isAncestorOf(at));
}

void passFocus(const QWidget *from, QWidget *to)
{
    if (to && holdsFocus(from))
        to->setFocus(Qt::OtherFocusReason);
}

void setEnabledKeeping(QWidget *widget, bool enabled, QWidget *next)
{
    if (!enabled && widget->isEnabled())
        passFocus(widget, next);
    widget->setEnabled(enabled);
}

} // namespace Pilothouse
