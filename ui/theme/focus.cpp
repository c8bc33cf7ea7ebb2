// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/focus.h"

#include <QWidget>

namespace Pilothouse {

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
