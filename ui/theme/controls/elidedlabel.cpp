// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/elidedlabel.h"

#include "theme/paint.h"
#include "theme/theme.h"

#include <QPainter>
#include <QStyle>

namespace Pilothouse {

ElidedLabel::ElidedLabel(const QString &accessibleName, TextStyle style, Role color, QWidget *parent)
    : Label({}, style, color, parent)
{
    setAccessibleName(accessibleName);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setWords(const QString &words)
{
    if (text() == words)
        return;
    setText(words);
    setToolTip(plainToolTip(words));
    setAccessibleDescription(words);
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode)
{
    m_mode = mode;
    update();
}

QSize ElidedLabel::sizeHint() const
{
    const QMargins margins = contentsMargins();
    return {fontMetrics().horizontalAdvance(text()) + margins.left() + margins.right() + 1,
            QLabel::sizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const { return {0, QLabel::minimumSizeHint().height()}; }

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QRect area = contentsRect();
    // The whole tells the direction, not what is left of it; the side stays that of the window.
    const Qt::Alignment side = QStyle::visualAlignment(layoutDirection(), alignment()) | Qt::AlignAbsolute;
    style()->drawItemText(
        &painter, area, static_cast<int>(side) | Qt::TextSingleLine | textDirectionFlag(text()), palette(),
        isEnabled(), fontMetrics().elidedText(text(), m_mode, area.width()), foregroundRole());
}

} // namespace Pilothouse
