// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QIcon>
#include <QPixmap>
#include <QRectF>
#include <QString>

class QPainter;

namespace Pilothouse {

/// Line icon, state glyph or machine mark resources/icons/NAME.svg, `size` device-independent pixels large.
/// `under` is the surface below it, for the parts that are cut out. Cached.
[[nodiscard]] QPixmap iconPixmap(const QString &name, int size, Role color, qreal dpr,
                                 Role under = Role::Canvas);
/// The same, centred in `rect`, as large as fits, at the painter's scale.
void paintIcon(QPainter *painter, const QRectF &rect, const QString &name, Role color,
               Role under = Role::Canvas);
/// An icon that takes its colour from the theme whenever it is painted; grey when disabled.
[[nodiscard]] QIcon icon(const QString &name, Role color = Role::Text2, Role under = Role::Window);

} // namespace Pilothouse
