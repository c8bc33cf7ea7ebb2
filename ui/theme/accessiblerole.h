// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QAccessible>

class QWidget;

namespace Pilothouse {

/// Says what a plain widget or a scroll area is, where Qt would call it a client area. For constructors: it
/// must be told before anybody asks for the widget's interface.
void setAccessibleRole(QWidget *widget, QAccessible::Role role);

} // namespace Pilothouse
