// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/tag.h"

#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QPainter>

namespace Pilothouse {

Tag::Tag(const QString &text, QWidget *parent)
    : QLabel(text, parent)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize Tag::sizeHint() const
{
    const Theme &theme = Theme::instance();
    return {QFontMetrics(theme.font(TextStyle::Meta)).horizontalAdvance(text()) + 2 * Metrics::SpaceXs,
            theme.px(Metrics::Tag)};
}

void Tag::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::instance();
    QPainter painter(this);
    paintBox(&painter, QRectF(rect()), Role::SelectedInactive,
             theme.scheme() == Scheme::HighContrast ? Role::Line : Role::SelectedInactive,
             Metrics::RadiusTag);
    painter.setFont(theme.font(TextStyle::Meta));
    painter.setPen(theme.color(Role::Text2));
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextSingleLine, text());
}

} // namespace Pilothouse
