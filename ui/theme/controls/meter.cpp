// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/meter.h"

#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace Pilothouse {

namespace {
constexpr int Length = 32;
constexpr int Thickness = 4;
constexpr double NearLimit = 0.75;
} // namespace

Meter::Meter(const QString &name, QWidget *parent)
    : QWidget(parent)
{
    setAccessibleName(name);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void Meter::setPart(double part)
{
    part = std::isfinite(part) ? std::clamp(part, 0.0, 1.0) : 0.0;
    if (part == m_part)
        return;
    m_part = part;
    setAccessibleDescription(words(part));
    update();
}

QString Meter::words(double part)
{
    if (part >= 1)
        return tr("full");
    const QString percent = tr("%1 %").arg(static_cast<int>(std::lround(part * 100)));
    return part >= NearLimit ? tr("%1, near limit").arg(percent) : percent;
}

bool Meter::isNearLimit(double part) { return part >= NearLimit; }

QSize Meter::sizeHint() const { return {Theme::instance().px(Length), Thickness}; }

void Meter::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QRectF track((QRect(0, (height() - Thickness) / 2, width(), Thickness)));
    const bool outlined = Theme::instance().scheme() == Scheme::HighContrast;
    paintBox(&painter, track, Role::MeterTrack, outlined ? Role::Line : Role::MeterTrack, Thickness / 2.0);
    if (m_part <= 0)
        return;
    QRectF fill = track;
    fill.setWidth(std::max<qreal>(Thickness, track.width() * m_part));
    if (layoutDirection() == Qt::RightToLeft)
        fill.moveRight(track.right());
    const Role role = m_part >= 1 ? Role::Failed : m_part >= NearLimit ? Role::Waiting : Role::MeterFill;
    paintBox(&painter, fill, role, role, Thickness / 2.0);
}

} // namespace Pilothouse
