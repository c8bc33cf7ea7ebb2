// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sidebar/conversationdelegate.h"

#include "sidebar/conversationlistmodel.h"

#include <QApplication>
#include <QPainter>
#include <QStyle>

namespace Pilothouse {

namespace {
constexpr int Side = 12;
constexpr int Above = 6;
constexpr int Between = 2;
} // namespace

void ConversationDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                                 const QModelIndex &index) const
{
    QStyleOptionViewItem background(option);
    background.text.clear();
    const QStyle *style = option.widget ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &background, painter, option.widget);

    const bool selected = option.state & QStyle::State_Selected;
    const QPalette::ColorGroup group =
        option.state & QStyle::State_Active ? QPalette::Active : QPalette::Inactive;
    const QColor ink = option.palette.color(group, selected ? QPalette::HighlightedText : QPalette::Text);
    QColor quiet = ink;
    quiet.setAlphaF(selected ? 0.9F : 0.72F);

    painter->save();
    const QRect area = option.rect.adjusted(Side, Above, -Side, -Above);
    QFont titleFont = option.font;
    titleFont.setWeight(index.data(ConversationListModel::IsRunningRole).toBool() ? QFont::DemiBold
                                                                                  : QFont::Normal);
    const QFontMetrics titleMetrics(titleFont);
    const QRect titleRect(area.x(), area.y(), area.width(), titleMetrics.height());
    const QString title = index.data(ConversationListModel::TitleRole).toString();
    painter->setFont(titleFont);
    painter->setPen(ink);
    painter->drawText(titleRect, Qt::AlignLeft | Qt::AlignVCenter,
                      titleMetrics.elidedText(title, Qt::ElideRight, titleRect.width()));

    const QFontMetrics metrics(option.font);
    QRect line(area.x(), titleRect.bottom() + 1 + Between, area.width(), metrics.height());
    QFont stateFont = option.font;
    stateFont.setWeight(QFont::Medium);
    const QFontMetrics stateMetrics(stateFont);
    const QString word = stateMetrics.elidedText(index.data(ConversationListModel::StateWordRole).toString(),
                                                 Qt::ElideRight, line.width());
    painter->setFont(stateFont);
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, word);
    line.setLeft(line.left() + stateMetrics.horizontalAdvance(word) + Side / 2);
    painter->setFont(option.font);
    painter->setPen(quiet);
    if (line.width() > Side)
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                          metrics.elidedText(index.data(ConversationListModel::StateDetailRole).toString(),
                                             Qt::ElideRight, line.width()));
    painter->restore();
}

QSize ConversationDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const
{
    return {120, 2 * QFontMetrics(option.font).height() + Between + 2 * Above};
}

} // namespace Pilothouse
