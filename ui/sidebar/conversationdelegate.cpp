// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sidebar/conversationdelegate.h"

#include "sidebar/conversationlistmodel.h"
#include "sidebar/sidebarmodel.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/statelook.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QApplication>
#include <QDateTime>
#include <QLineEdit>
#include <QPainter>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Group = SidebarModel::Group;
constexpr int GlyphLeft = Metrics::SpaceM;
constexpr int TextLeft = 36;
constexpr int Right = Metrics::SpaceM;
constexpr int TimeWidth = 56;
constexpr int CostWidth = 48;
constexpr int TokensWidth = 44;
constexpr int NarrowRow = 32;
constexpr int NarrowGap = 13;
constexpr qint64 Minute = 60'000;
constexpr qint64 Hour = 60 * Minute;

Group groupOf(const QModelIndex &index)
{
    return static_cast<Group>(index.data(SidebarModel::GroupRole).toInt());
}

bool hasThreeLines(Group group) { return group == Group::NeedsYou || group == Group::Running; }

// Titles follow their own direction, so that a Hebrew one starts at its right end.
Qt::Alignment alignmentOf(const QString &text, Qt::LayoutDirection direction)
{
    const bool rightToLeft = text.isRightToLeft();
    return Qt::AlignVCenter | Qt::AlignAbsolute
        | ((rightToLeft || (text.isEmpty() && direction == Qt::RightToLeft)) ? Qt::AlignRight
                                                                             : Qt::AlignLeft);
}

} // namespace

qint64 ConversationDelegate::ageOf(const QModelIndex &index) const
{
    const qint64 since = index.data(ConversationListModel::StateSinceRole).toLongLong();
    const qint64 now = m_now > 0 ? m_now : QDateTime::currentMSecsSinceEpoch();
    return since > 0 ? std::max<qint64>(0, now - since) : 0;
}

QString ConversationDelegate::timeText(const QModelIndex &index) const
{
    return groupOf(index) == Group::Running ? elapsedText(ageOf(index)) : ageText(ageOf(index));
}

qint64 ConversationDelegate::nextChangeMs(const QModelIndex &index) const
{
    const qint64 age = ageOf(index);
    if (groupOf(index) != Group::Running)
        return ageChangesIn(age);
    const qint64 unit = age < Hour ? 1000 : Minute;
    return unit - age % unit;
}

QRect ConversationDelegate::timeRect(const QRect &row, Qt::LayoutDirection direction)
{
    const Theme &theme = Theme::instance();
    const int width = theme.px(TimeWidth);
    return QStyle::visualRect(
        direction, row,
        QRect(row.right() + 1 - Right - width, row.top() + 2, width, theme.lineHeight(TextStyle::Body)));
}

QSize ConversationDelegate::sizeHint(const QStyleOptionViewItem &, const QModelIndex &index) const
{
    const Theme &theme = Theme::instance();
    const bool heading = index.data(SidebarModel::IsHeadingRole).toBool();
    if (m_narrow)
        return {theme.px(Metrics::Rail), heading ? NarrowGap : theme.px(NarrowRow)};
    if (heading)
        return {Metrics::SidebarMin, theme.px(Metrics::SidebarGroupHeader)};
    return {Metrics::SidebarMin,
            theme.px(hasThreeLines(groupOf(index)) ? Metrics::SidebarRowFull : Metrics::SidebarRowCompact)};
}

void ConversationDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                                 const QModelIndex &index) const
{
    if (index.data(SidebarModel::IsHeadingRole).toBool()) {
        paintHeading(painter, option, index);
        return;
    }
    if (m_narrow) {
        paintGlyphOnly(painter, option, index);
        return;
    }
    const Theme &theme = Theme::instance();
    const bool selected = option.state & QStyle::State_Selected;
    // The conversation that is shown beside stays marked as such, whatever has the focus.
    paintRow(painter, QRectF(option.rect), selected, true, option.state & QStyle::State_MouseOver,
             option.direction);
    const Role under = selected ? Role::Selected : Role::Window;
    const QRect row = option.rect;
    const auto mirrored = [&](const QRect &part) { return QStyle::visualRect(option.direction, row, part); };
    const Group group = groupOf(index);
    const QString state = index.data(ConversationListModel::StateRole).toString();
    const QString detailKey = index.data(ConversationListModel::StateDetailRole).toString();
    StateLook look = conversationLook(state);
    if (state == "waiting"_L1) // The group says who is awaited.
        look = conversationLook(state, index.data(ConversationListModel::RawDetailRole).toString());

    const int line1 = theme.lineHeight(TextStyle::Body);
    const int line2 = theme.lineHeight(TextStyle::State);
    const int lines = line1 + line2 + (hasThreeLines(group) ? line2 : 0);
    int y = row.top() + (row.height() - lines) / 2;
    const int glyph = Metrics::IconNormal;
    paintIcon(painter, mirrored(QRect(row.left() + GlyphLeft, y + (line1 - glyph) / 2, glyph, glyph)),
              look.glyph, look.color, under);

    QRect time = timeRect(row, option.direction);
    time.moveTop(y);
    painter->setFont(theme.font(TextStyle::Small));
    painter->setPen(theme.color(Role::Text3));
    const QString age = timeText(index);
    painter->drawText(
        time, static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignRight) | Qt::AlignVCenter),
        age);
    const int ageWidth = QFontMetrics(theme.font(TextStyle::Small)).horizontalAdvance(age);

    const QString title = index.data(ConversationListModel::TitleRole).toString();
    const QFont titleFont =
        theme.font(index.data(SidebarModel::UnseenRole).toBool() ? TextStyle::BodyStrong : TextStyle::Body);
    const QRect titleRect =
        mirrored(QRect(row.left() + TextLeft, y,
                       std::max(0, row.width() - TextLeft - Right - ageWidth - Metrics::SpaceS), line1));
    painter->setFont(titleFont);
    painter->setPen(theme.color(Role::Text));
    painter->drawText(titleRect,
                      static_cast<int>(alignmentOf(title, option.direction)) | Qt::TextSingleLine
                          | textDirectionFlag(title),
                      QFontMetrics(titleFont).elidedText(title, Qt::ElideRight, titleRect.width()));

    y += line1;
    const int room = std::max(0, row.width() - TextLeft - Right);
    painter->setFont(theme.font(TextStyle::State));
    painter->setPen(theme.color(look.color));
    const QFontMetrics stateMetrics(theme.font(TextStyle::State));
    const QString word = stateMetrics.elidedText(look.word, Qt::ElideRight, room);
    const int wordWidth = stateMetrics.horizontalAdvance(word);
    painter->drawText(mirrored(QRect(row.left() + TextLeft, y, wordWidth + 1, line2)),
                      Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextDontClip, word);
    const int detailLeft = wordWidth + Metrics::SpaceS;
    if (room > detailLeft + Metrics::SpaceL) {
        painter->setFont(theme.font(TextStyle::Small));
        painter->setPen(theme.color(Role::Text2));
        painter->drawText(mirrored(QRect(row.left() + TextLeft + detailLeft, y, room - detailLeft, line2)),
                          static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignLeft))
                              | Qt::AlignAbsolute | Qt::AlignVCenter | Qt::TextSingleLine
                              | textDirectionFlag(detailKey),
                          QFontMetrics(theme.font(TextStyle::Small))
                              .elidedText(detailKey, Qt::ElideRight, room - detailLeft));
    }
    if (hasThreeLines(group)) {
        y += line2;
        const StateLook machine = machineLook(index.data(ConversationListModel::SandboxStateRole).toString());
        const int mark = Metrics::IconInline;
        paintIcon(painter, mirrored(QRect(row.left() + TextLeft, y + (line2 - mark) / 2, mark, mark)),
                  machine.glyph, Role::Text3, under);
        const QFont meta = theme.font(TextStyle::Meta);
        painter->setFont(meta);
        painter->setPen(theme.color(Role::Text3));
        const int left = TextLeft + mark + Metrics::SpaceXs;
        const int figures = theme.px(CostWidth + TokensWidth);
        QString words = machine.word;
        if (state == "waiting"_L1
            && index.data(ConversationListModel::SandboxStateRole).toString() == "paused"_L1)
            words = tr("paused, free");
        painter->drawText(
            mirrored(QRect(row.left() + left, y, std::max(0, row.width() - left - Right - figures), line2)),
            static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignLeft)) | Qt::AlignVCenter,
            QFontMetrics(meta).elidedText(words, Qt::ElideRight,
                                          std::max(0, row.width() - left - Right - figures)));
        const auto right =
            static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignRight)) | Qt::AlignVCenter;
        const QVariant cost = index.data(ConversationListModel::CostNanosRole);
        if (cost.isValid())
            painter->drawText(
                mirrored(QRect(row.right() + 1 - Right - theme.px(CostWidth), y, theme.px(CostWidth), line2)),
                right, costText(cost.toLongLong()));
        const QVariant input = index.data(ConversationListModel::InputTokensRole);
        const QVariant output = index.data(ConversationListModel::OutputTokensRole);
        if (input.isValid() || output.isValid())
            painter->drawText(
                mirrored(QRect(row.right() + 1 - Right - figures, y, theme.px(TokensWidth), line2)), right,
                tokensText(input.toLongLong() + output.toLongLong()));
    }
    if (option.state & QStyle::State_HasFocus)
        paintFocusRing(painter, QRectF(row).adjusted(1, 1, -1, -1), Metrics::RadiusToolButton);
}

void ConversationDelegate::paintHeading(QPainter *painter, const QStyleOptionViewItem &option,
                                        const QModelIndex &index) const
{
    const Theme &theme = Theme::instance();
    const QRect row = option.rect;
    if (m_narrow) {
        if (index.row() > 0)
            painter->fillRect(row.left() + Metrics::SpaceM, row.center().y(),
                              row.width() - 2 * Metrics::SpaceM, 1, theme.color(Role::Line));
        return;
    }
    const bool foldable = groupOf(index) == Group::Archived;
    if (foldable) {
        painter->fillRect(QRect(row.left(), row.top(), row.width(), 1), theme.color(Role::Hair));
        if (option.state & QStyle::State_MouseOver)
            painter->fillRect(row, theme.color(Role::Hover));
    }
    const auto mirrored = [&](const QRect &part) { return QStyle::visualRect(option.direction, row, part); };
    int left = Metrics::SpaceM;
    if (foldable) {
        const bool open = index.data(SidebarModel::IsOpenRole).toBool();
        const QString folded = option.direction == Qt::RightToLeft ? u"chevron-left"_s : u"chevron-right"_s;
        paintIcon(painter,
                  mirrored(QRect(row.left() + left - 2, row.top() + (row.height() - Metrics::IconSmall) / 2,
                                 Metrics::IconSmall, Metrics::IconSmall)),
                  open ? u"chevron-down"_s : folded, Role::Text2, Role::Window);
        left += Metrics::SpaceL + 2;
    }
    const QString name = index.data().toString();
    const QFont font = theme.font(TextStyle::Section);
    const int width = QFontMetrics(font).horizontalAdvance(name);
    const auto start = static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignLeft))
        | Qt::AlignVCenter | Qt::TextDontClip;
    painter->setFont(font);
    painter->setPen(theme.color(Role::Text2));
    painter->drawText(mirrored(QRect(row.left() + left, row.top(), width, row.height())), start, name);
    painter->setFont(theme.font(TextStyle::Meta));
    painter->setPen(theme.color(Role::Text3));
    painter->drawText(mirrored(QRect(row.left() + left + width + 6, row.top(), 60, row.height())), start,
                      QString::number(index.data(SidebarModel::CountRole).toInt()));
    if (option.state & QStyle::State_HasFocus)
        paintFocusRing(painter, QRectF(row).adjusted(1, 1, -1, -1), Metrics::RadiusToolButton);
}

void ConversationDelegate::paintGlyphOnly(QPainter *painter, const QStyleOptionViewItem &option,
                                          const QModelIndex &index) const
{
    const bool selected = option.state & QStyle::State_Selected;
    paintRow(painter, QRectF(option.rect), selected, true, option.state & QStyle::State_MouseOver,
             option.direction);
    const QString state = index.data(ConversationListModel::StateRole).toString();
    const StateLook look = state == "waiting"_L1
        ? conversationLook(state, index.data(ConversationListModel::RawDetailRole).toString())
        : conversationLook(state);
    QRect place(0, 0, Metrics::IconNormal, Metrics::IconNormal);
    place.moveCenter(option.rect.center());
    paintIcon(painter, place, look.glyph, look.color, selected ? Role::Selected : Role::Window);
    if (option.state & QStyle::State_HasFocus)
        paintFocusRing(painter, QRectF(option.rect).adjusted(1, 1, -1, -1), Metrics::RadiusToolButton);
}

QWidget *ConversationDelegate::createEditor(QWidget *parent, const QStyleOptionViewItem &,
                                            const QModelIndex &) const
{
    auto *editor = new QLineEdit(parent);
    editor->setAccessibleName(tr("Title"));
    return editor;
}

void ConversationDelegate::updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                                                const QModelIndex &) const
{
    const int height = Theme::instance().px(Metrics::InputSmall) + 2;
    const QRect row = option.rect;
    editor->setGeometry(QStyle::visualRect(
        option.direction, row,
        QRect(row.left() + TextLeft - 8, row.top() + 4, row.width() - TextLeft + 8 - Right + 4, height)));
}

} // namespace Pilothouse
