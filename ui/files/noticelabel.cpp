// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/noticelabel.h"

#include "theme/paint.h"

#include <QPainter>
#include <QStyle>
#include <QTextLayout>

#include <algorithm>

namespace Pilothouse {

namespace {
constexpr qsizetype MostLines = 2;
constexpr int Narrowest = 40;
} // namespace

NoticeLabel::NoticeLabel(const QString &accessibleName, QWidget *parent)
    : Label({}, TextStyle::Small, Role::Text, parent)
{
    setAccessibleName(accessibleName);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void NoticeLabel::setWords(const QString &words)
{
    if (text() == words)
        return;
    setText(words);
    setToolTip(plainToolTip(words));
    setAccessibleDescription(words);
    updateGeometry();
}

QStringList NoticeLabel::lines(int width) const
{
    QTextLayout layout(text(), font());
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    QStringList lines;
    layout.beginLayout();
    while (lines.size() < MostLines) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(std::max(Narrowest, width));
        // The last one takes what is left, to be elided.
        const QString rest = text().mid(line.textStart());
        lines.append(lines.size() + 1 < MostLines ? rest.left(line.textLength()).trimmed() : rest);
    }
    layout.endLayout();
    return lines;
}

int NoticeLabel::heightForWidth(int width) const
{
    const QMargins margins = contentsMargins();
    const qsizetype count = std::max<qsizetype>(1, lines(width - margins.left() - margins.right()).size());
    return fontMetrics().height() * static_cast<int>(count) + margins.top() + margins.bottom();
}

QSize NoticeLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(text()) + 1, heightForWidth(width())};
}

QSize NoticeLabel::minimumSizeHint() const { return {0, fontMetrics().height()}; }

void NoticeLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    QRect line = contentsRect();
    line.setHeight(fontMetrics().height());
    for (const QString &words : lines(line.width())) {
        style()->drawItemText(
            &painter, line, static_cast<int>(Qt::AlignLeading) | Qt::TextSingleLine, palette(), isEnabled(),
            fontMetrics().elidedText(words, Qt::ElideRight, line.width()), foregroundRole());
        line.translate(0, line.height());
    }
}

} // namespace Pilothouse
