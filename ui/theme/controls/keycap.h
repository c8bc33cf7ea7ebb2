// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QRect>
#include <QString>

class QPainter;

namespace Pilothouse {

/// The picture of a key inside a button or field: 16 pixels high, outlined.
struct KeyCap {
    [[nodiscard]] static int widthOf(const QString &key);
    [[nodiscard]] static int height();
    static void paint(QPainter *painter, const QRect &rect, const QString &key, Role ink, Role under);
};

} // namespace Pilothouse
