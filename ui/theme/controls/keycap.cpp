// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/keycap.h"

#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace Pilothouse {

int KeyCap::widthOf(const QString &key)
{
    const QFontMetrics metrics(Theme::instance().font(TextStyle::Meta));
    return std::max(height(), metrics.horizontalAdvance(key) + 2 * Metrics::SpaceXs);
}

int KeyCap::height() { return Theme::instance().px(Metrics::KeyCap); }

void KeyCap::paint(QPainter *painter, const QRect &rect, const QString &key, Role ink, Role under)
{
    const Theme &theme = Theme::instance();
    const bool solid = under == Role::AccentSolid || under == Role::FailedSolid;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(theme.color(solid ? ink : Role::Line), Metrics::StrokeOutline));
    painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), Metrics::RadiusKeyCap,
                             Metrics::RadiusKeyCap);
    painter->setFont(theme.font(TextStyle::Meta));
    painter->setPen(theme.color(solid || ink == Role::Disabled ? ink : Role::Text2));
    painter->drawText(rect, Qt::AlignCenter | Qt::TextSingleLine | Qt::TextDontClip, key);
    painter->restore();
}

} // namespace Pilothouse
