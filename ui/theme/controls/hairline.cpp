// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/hairline.h"

#include "theme/metrics.h"
#include "theme/theme.h"

#include <QPainter>

namespace Pilothouse {

HairLine::HairLine(Qt::Orientation orientation, Role role, QWidget *parent)
    : QWidget(parent)
    , m_role(role)
{
    if (orientation == Qt::Horizontal)
        setFixedHeight(Metrics::StrokeHair);
    else
        setFixedWidth(Metrics::StrokeHair);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void HairLine::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), Theme::instance().color(m_role));
}

} // namespace Pilothouse
