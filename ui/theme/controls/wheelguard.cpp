// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/wheelguard.h"

#include <QEvent>
#include <QWidget>

namespace Pilothouse {

namespace {

class WheelGuard : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() != QEvent::Wheel)
            return false;
        event->ignore(); // Goes on to the parent.
        return true;
    }
};

} // namespace

void leaveWheelToPage(QWidget *control)
{
    control->setFocusPolicy(Qt::StrongFocus); // Not by the wheel.
    control->installEventFilter(new WheelGuard(control));
}

} // namespace Pilothouse
