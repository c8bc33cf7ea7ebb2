// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/imageview.h"

#include "theme/metrics.h"
#include "theme/theme.h"

#include <QPainter>

namespace Pilothouse {

namespace {
constexpr int CheckSize = 8; // Behind what is transparent.
}

ImageView::ImageView(QWidget *parent)
    : QWidget(parent)
{
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void ImageView::setImage(const QImage &image, const QSize &size, const QString &accessibleName)
{
    m_image = image;
    m_size = size;
    m_scaled = {};
    setAccessibleName(accessibleName);
    update();
}

void ImageView::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::instance();
    QPainter painter(this);
    painter.fillRect(rect(), theme.color(Role::Canvas));
    if (m_image.isNull())
        return;
    const QRect place =
        rect().marginsRemoved({Metrics::SpaceM, Metrics::SpaceM, Metrics::SpaceM, Metrics::SpaceM});
    if (place.width() < 1 || place.height() < 1)
        return;
    QSize size = m_size;
    if (size.width() > place.width() || size.height() > place.height())
        size.scale(place.size(), Qt::KeepAspectRatio);
    size = size.expandedTo({1, 1});
    const qreal dpr = devicePixelRatioF();
    const QSize pixels = (QSizeF(size) * dpr).toSize();
    if (m_scaled.size() != pixels) {
        m_scaled =
            QPixmap::fromImage(m_image.scaled(pixels, Qt::IgnoreAspectRatio, Qt::SmoothTransformation));
        m_scaled.setDevicePixelRatio(dpr);
    }
    QRect target({0, 0}, size);
    target.moveCenter(place.center());
    if (m_image.hasAlphaChannel()) {
        painter.save();
        painter.setClipRect(target);
        painter.fillRect(target, theme.color(Role::Raised));
        for (int y = 0; y * CheckSize < size.height(); ++y) {
            for (int x = y % 2; x * CheckSize < size.width(); x += 2)
                painter.fillRect(target.left() + x * CheckSize, target.top() + y * CheckSize, CheckSize,
                                 CheckSize, theme.color(Role::Sunken));
        }
        painter.restore();
    }
    painter.drawPixmap(target.topLeft(), m_scaled);
}

} // namespace Pilothouse
