// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

class QString;
class QWidget;

namespace Pilothouse {

/// Tells a screen reader, if one runs, something that happened in the window of `from` without moving the
/// focus. Inert text, a sentence or a few.
void announce(const QWidget *from, const QString &text);

} // namespace Pilothouse
