// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/iconlabel.h"

#include "theme/icons.h"
#include "theme/metrics.h"

#include <QPainter>
#include <QStyle>

namespace Pilothouse {

namespace {
constexpr int IconRoom = Metrics::IconInline + 4;
}

IconLabel::IconLabel(const QString &icon, const QString &accessibleName, TextStyle style, Role color,
                     QWidget *parent)
    : ElidedLabel(accessibleName, style, color, parent)
    , m_icon(icon)
{
    if (layoutDirection() == Qt::RightToLeft)
        setContentsMargins(0, 0, IconRoom, 0);
    else
        setContentsMargins(IconRoom, 0, 0, 0);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void IconLabel::paintEvent(QPaintEvent *event)
{
    ElidedLabel::paintEvent(event);
    if (text().isEmpty())
        return;
    QPainter painter(this);
    const QRect place(0, (height() - Metrics::IconInline) / 2, Metrics::IconInline, Metrics::IconInline);
    paintIcon(&painter, QStyle::visualRect(layoutDirection(), rect(), place), m_icon, Role::Text2,
              Role::Window);
}

} // namespace Pilothouse
