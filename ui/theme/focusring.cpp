// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/focusring.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QCoreApplication>
#include <QFocusEvent>
#include <QFocusFrame>
#include <QLabel>

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
            focusOut(widget, static_cast<QFocusEvent *>(event)->reason());
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
    const bool isBack =
        widget == m_left && (reason == Qt::ActiveWindowFocusReason || reason == Qt::PopupFocusReason);
    m_left = nullptr;
    const auto *box = qobject_cast<QComboBox *>(widget);
    if ((byKey || isBack)
        && (qobject_cast<QAbstractButton *>(widget) || qobject_cast<QLabel *>(widget)
            || (box && !box->isEditable())))
        show(widget);
}

void FocusRing::show(QWidget *widget)
{
    if (!m_frame)
        m_frame = new QFocusFrame(widget);
    m_frame->setWidget(widget);
    // Qt leaves it hidden for what is scrolled out of view, which is where Tab goes before the page scrolls
    // to it. Shown it moves along; what scrolls cuts it off.
    m_frame->show();
    m_frame->raise();
}

void FocusRing::focusOut(QWidget *widget, Qt::FocusReason reason)
{
    const bool isRinged = m_frame && m_frame->widget() == widget;
    if (isRinged && (reason == Qt::ActiveWindowFocusReason || reason == Qt::PopupFocusReason))
        m_left = widget;
    if (qobject_cast<QAbstractScrollArea *>(widget))
        widget->update();
    if (isRinged)
        m_frame->setWidget(nullptr);
}

} // namespace Pilothouse
