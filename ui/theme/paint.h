// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QRectF>
#include <QString>

class QPainter;

namespace Pilothouse {

/// A flag of QPainter::drawText(): the direction of the text itself, by its first strong character, whatever
/// that of the window is. It also turns alignments that are not Qt::AlignAbsolute.
[[nodiscard]] int textDirectionFlag(const QString &text);

/// A box with its outline inside `rect`. No outline: give `fill` twice.
void paintBox(QPainter *painter, const QRectF &rect, Role fill, Role outline, qreal radius);
/// The focus ring just inside `rect`.
void paintFocusRing(QPainter *painter, const QRectF &rect, qreal radius);
/// The mark of what is chosen where there are no tints: a thick frame just inside `rect`.
void paintChosenFrame(QPainter *painter, const QRectF &rect, qreal radius);
/// Background of a row: selection with its bar at the leading edge, else the row under the pointer, else
/// nothing. `active`: the view has the focus, or its pane shows this row.
void paintRow(QPainter *painter, const QRectF &rect, bool selected, bool active, bool hovered,
              Qt::LayoutDirection direction = Qt::LeftToRight);
/// Text for a tooltip: shown as it is, never taken for rich text, wrapped, bounded.
[[nodiscard]] QString plainToolTip(const QString &text);

} // namespace Pilothouse
