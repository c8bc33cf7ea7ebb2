// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/paint.h"

#include "text/inerttext.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QPainter>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype LongestToolTip = 1000;
}

void paintBox(QPainter *painter, const QRectF &rect, Role fill, Role outline, qreal radius)
{
    const Theme &theme = Theme::instance();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(theme.color(fill));
    if (fill == outline) {
        painter->setPen(Qt::NoPen);
        painter->drawRoundedRect(rect, radius, radius);
    } else {
        painter->setPen(QPen(theme.color(outline), Metrics::StrokeOutline));
        painter->drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius - 0.5, radius - 0.5);
    }
    painter->restore();
}

void paintFocusRing(QPainter *painter, const QRectF &rect, qreal radius)
{
    constexpr qreal Half = Metrics::StrokeFocusRing / 2.0;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(Theme::instance().color(Role::Focus), Metrics::StrokeFocusRing));
    painter->drawRoundedRect(rect.adjusted(Half, Half, -Half, -Half), radius, radius);
    painter->restore();
}

void paintChosenFrame(QPainter *painter, const QRectF &rect, qreal radius)
{
    constexpr qreal Half = Metrics::StrokeChosen / 2.0;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(Theme::instance().color(Role::Text), Metrics::StrokeChosen));
    painter->drawRoundedRect(rect.adjusted(Half, Half, -Half, -Half), radius, radius);
    painter->restore();
}

void paintRow(QPainter *painter, const QRectF &rect, bool selected, bool active, bool hovered,
              Qt::LayoutDirection direction)
{
    const Theme &theme = Theme::instance();
    if (selected) {
        painter->fillRect(rect, theme.color(active ? Role::Selected : Role::SelectedInactive));
        QRectF bar = rect;
        bar.setWidth(Metrics::StrokeSelectionBar);
        if (direction == Qt::RightToLeft)
            bar.moveRight(rect.right());
        painter->fillRect(bar, theme.color(active ? Role::Accent : Role::Text3));
        if (theme.scheme() == Scheme::HighContrast)
            paintChosenFrame(painter, rect, 0);
    } else if (hovered) {
        painter->fillRect(rect, theme.color(Role::Hover));
    }
}

int textDirectionFlag(const QString &text)
{
    return text.isRightToLeft() ? Qt::TextForceRightToLeft : Qt::TextForceLeftToRight;
}

QString plainToolTip(const QString &text)
{
    if (text.isEmpty())
        return {};
    return u"<p>"_s + inertText(QStringView(text).left(LongestToolTip)).toHtmlEscaped() + u"</p>"_s;
}

} // namespace Pilothouse
