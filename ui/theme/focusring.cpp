// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/focusring.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QCoreApplication>
#include <QFocusEvent>
#include <QFocusFrame>

namespace Pilothouse {

FocusRing::FocusRing(QObject *parent)
    : QObject(parent)
{
    QCoreApplication::instance()->installEventFilter(this);
}

bool FocusRing::eventFilter(QObject *watched, QEvent *event)
{
    // Called for every event of the program: the two kinds first.
    if (event->type() == QEvent::FocusIn) {
        if (auto *widget = qobject_cast<QWidget *>(watched))
            focusIn(widget, static_cast<QFocusEvent *>(event)->reason());
    } else if (event->type() == QEvent::FocusOut) {
        if (auto *widget = qobject_cast<QWidget *>(watched))
            focusOut(widget);
    }
    return false;
}

void FocusRing::focusIn(QWidget *widget, Qt::FocusReason reason)
{
    if (qobject_cast<QAbstractScrollArea *>(widget)) {
        widget->update(); // Its frame tells the focus; Qt repaints only what is inside.
        return;
    }
    const bool byKey = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason
        || reason == Qt::ShortcutFocusReason || reason == Qt::OtherFocusReason;
    if (!byKey || !(qobject_cast<QAbstractButton *>(widget) || qobject_cast<QComboBox *>(widget)))
        return;
    if (!m_frame)
        m_frame = new QFocusFrame(widget);
    m_frame->setWidget(widget);
}

void FocusRing::focusOut(QWidget *widget)
{
    if (qobject_cast<QAbstractScrollArea *>(widget))
        widget->update();
    if (m_frame && m_frame->widget() == widget)
        m_frame->setWidget(nullptr);
}

} // namespace Pilothouse
