// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

class QWidget;

namespace Pilothouse {

/// Whether the keyboard stands on `widget` or on something in it.
[[nodiscard]] bool holdsFocus(const QWidget *widget);
/// Call it before `from` is hidden or disabled: the keyboard goes on at `to`, if it stood there, instead of
/// wherever Qt finds the next thing that takes it.
void passFocus(const QWidget *from, QWidget *to);
/// Tab goes from `after` through what stands in the layout of `container`, in the order in which it stands
/// there and not in that in which it was made. Returns the last one: where to go on from.
QWidget *orderFocus(QWidget *after, const QWidget *container);
/// setEnabled() that passes the focus on.
void setEnabledKeeping(QWidget *widget, bool enabled, QWidget *next);

} // namespace Pilothouse
