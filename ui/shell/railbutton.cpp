// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/railbutton.h"

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QPainter>

namespace Pilothouse {

namespace {
constexpr int Height = 48;
}

RailButton::RailButton(const QString &icon, const QString &text, QWidget *parent)
    : QAbstractButton(parent)
    , m_icon(icon)
{
    setText(text);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
}

QSize RailButton::sizeHint() const
{
    return {Theme::instance().px(Metrics::PaneRail) - 1, Theme::instance().px(Height)};
}

void RailButton::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::instance();
    QPainter painter(this);
    Role under = Role::Window;
    if (underMouse() || isDown()) {
        under = isDown() ? Role::SelectedInactive : Role::Hover;
        paintBox(&painter, QRectF(rect()).adjusted(2, 0, -2, 0), under, under, Metrics::RadiusToolButton);
    }
    const int line = theme.lineHeight(TextStyle::Meta);
    const int top = (height() - Metrics::IconNormal - line - 2) / 2;
    paintIcon(&painter,
              QRectF((width() - Metrics::IconNormal) / 2.0, top, Metrics::IconNormal, Metrics::IconNormal),
              m_icon, Role::Text2, under);
    painter.setFont(theme.font(TextStyle::Meta));
    painter.setPen(theme.color(Role::Text2));
    painter.drawText(QRect(0, top + Metrics::IconNormal + 2, width(), line),
                     Qt::AlignCenter | Qt::TextSingleLine, text());
}

} // namespace Pilothouse
