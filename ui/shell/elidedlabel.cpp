// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/elidedlabel.h"

#include "sidebar/statewords.h"

#include <QPainter>
#include <QStyle>

namespace Pilothouse {

ElidedLabel::ElidedLabel(const QString &accessibleName, QWidget *parent)
    : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setAccessibleName(accessibleName);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setWords(const QString &words)
{
    if (text() == words)
        return;
    setText(words);
    setToolTip(words.isEmpty() ? QString() : plainToolTip(words));
    setAccessibleDescription(words);
}

QSize ElidedLabel::minimumSizeHint() const { return {0, QLabel::minimumSizeHint().height()}; }

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QRect area = contentsRect();
    style()->drawItemText(&painter, area, static_cast<int>(alignment()) | Qt::TextSingleLine, palette(),
                          isEnabled(), fontMetrics().elidedText(text(), Qt::ElideRight, area.width()),
                          foregroundRole());
}

} // namespace Pilothouse
