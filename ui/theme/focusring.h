// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QObject>
#include <QPointer>

class QFocusFrame;
class QWidget;

namespace Pilothouse {

/// Shows the ring around the button, the box of choices or the text that got the focus by the keyboard,
/// outside of it so that nothing moves. Fields and views paint their own, always.
class FocusRing : public QObject {
    Q_OBJECT
public:
    explicit FocusRing(QObject *parent);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void focusIn(QWidget *widget, Qt::FocusReason reason);
    void focusOut(QWidget *widget, Qt::FocusReason reason);
    void show(QWidget *widget);

    QPointer<QFocusFrame> m_frame; ///< Belongs to the window, or what scrolls, that it is shown in.
    QPointer<QWidget> m_left; ///< Had the ring when its window was left or its list opened.
};

} // namespace Pilothouse
