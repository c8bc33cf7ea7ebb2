// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

class QWidget;

namespace Pilothouse {

/// A wheel turned over `control`, a box with choices or numbers, scrolls the page that it is on and changes
/// nothing: Qt's own boxes take each notch for a choice, and a person who scrolls a page of settings changes
/// what the pointer happens to pass. The list that such a box opens scrolls as ever.
void leaveWheelToPage(QWidget *control);

} // namespace Pilothouse
