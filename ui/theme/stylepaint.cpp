// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/stylepaint.h"

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QPainter>
#include <QStyleOption>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int MenuSide = Metrics::SpaceM;
constexpr int MenuIconColumn = Metrics::SpaceXl;
constexpr qreal BrokenDash = 3;

// Where tints are dropped the chosen entry needs another mark.
Role chosenFill()
{
    return Theme::instance().scheme() == Scheme::HighContrast ? Role::SelectionBack : Role::Selected;
}
Role chosenText()
{
    return Theme::instance().scheme() == Scheme::HighContrast ? Role::SelectionText : Role::Text;
}
void frameIfUntinted(QPainter *painter, const QRectF &rect, qreal radius)
{
    if (Theme::instance().scheme() == Scheme::HighContrast)
        paintChosenFrame(painter, rect, radius);
}

} // namespace

void paintButtonGround(QPainter *painter, const QRectF &rect, const ButtonLook &look)
{
    const qreal radius = look.small ? Metrics::RadiusControlSmall : Metrics::RadiusControl;
    const bool raised = look.hovered || look.pressed;
    switch (look.kind) {
    case ButtonLook::Kind::Primary: {
        if (!look.enabled) {
            paintBox(painter, rect, Role::SelectedInactive, Role::SelectedInactive, radius);
            return;
        }
        const Role fill = raised ? Role::AccentSolidHover : Role::AccentSolid;
        paintBox(painter, rect, fill, fill, radius);
        return;
    }
    case ButtonLook::Kind::Danger: {
        const Role fill = look.enabled ? Role::FailedSolid : Role::SelectedInactive;
        paintBox(painter, rect, fill, fill, radius);
        return;
    }
    case ButtonLook::Kind::Secondary: {
        Role fill = Role::Raised;
        if (look.enabled && (look.pressed || look.checked))
            fill = Role::SelectedInactive;
        else if (look.enabled && look.hovered)
            fill = Role::Hover;
        paintBox(painter, rect, fill, look.enabled ? Role::Button : Role::Line, radius);
        if (look.checked)
            frameIfUntinted(painter, rect, radius);
        return;
    }
    case ButtonLook::Kind::Plain:
        if (look.enabled && (look.pressed || look.checked))
            paintBox(painter, rect, Role::SelectedInactive, Role::SelectedInactive, radius);
        else if (look.enabled && look.hovered)
            paintBox(painter, rect, Role::Hover, Role::Hover, radius);
        if (look.checked)
            frameIfUntinted(painter, rect, radius);
        return;
    }
}

void paintFieldFrame(QPainter *painter, const QStyleOption &option, bool fill, bool isEmpty)
{
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool focused = enabled && option.state & QStyle::State_HasFocus;
    const QRectF rect(option.rect);
    // Where there are no tints, a broken outline tells a field that holds nothing from one that is filled in.
    const bool isBroken = isEmpty && Theme::instance().scheme() == Scheme::HighContrast;
    if (fill && !isBroken) {
        paintBox(painter, rect, Role::Raised, enabled ? Role::Control : Role::Line, Metrics::RadiusControl);
    } else {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        QPen pen(Theme::instance().color(enabled ? Role::Control : Role::Line), Metrics::StrokeOutline);
        if (isBroken)
            pen.setDashPattern({BrokenDash, BrokenDash});
        painter->setPen(pen);
        painter->setBrush(fill ? QBrush(Theme::instance().color(Role::Raised)) : QBrush(Qt::NoBrush));
        painter->drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), Metrics::RadiusControl,
                                 Metrics::RadiusControl);
        painter->restore();
    }
    if (focused)
        paintFocusRing(painter, rect, Metrics::RadiusControl - 1);
}

void paintCheck(QPainter *painter, const QStyleOption &option, bool round)
{
    const bool enabled = option.state & QStyle::State_Enabled;
    const bool on = option.state & QStyle::State_On;
    const bool partly = option.state & QStyle::State_NoChange;
    const QRectF box(option.rect);
    const qreal radius = round ? box.height() / 2 : Metrics::RadiusToolButton;
    if (on || partly) {
        const Role fill = enabled ? Role::AccentSolid : Role::Disabled;
        if (round) {
            paintBox(painter, box, Role::Raised, enabled ? Role::AccentSolid : Role::Disabled, radius);
            paintBox(painter, box.adjusted(4, 4, -4, -4), fill, fill, radius);
            return;
        }
        paintBox(painter, box, fill, fill, radius);
        paintIcon(painter, box.adjusted(2, 2, -2, -2), partly ? u"minus"_s : u"check"_s, Role::OnAccent);
        return;
    }
    paintBox(painter, box, Role::Raised, enabled ? Role::Control : Role::Line, radius);
}

void paintMenuItem(QPainter *painter, const QStyleOptionMenuItem &item)
{
    const Theme &theme = Theme::instance();
    const QRect rect = item.rect;
    if (item.menuItemType == QStyleOptionMenuItem::Separator) {
        painter->fillRect(rect.left(), rect.center().y(), rect.width(), Metrics::StrokeHair,
                          theme.color(Role::Hair));
        return;
    }
    const bool enabled = item.state & QStyle::State_Enabled;
    const bool chosen = enabled && item.state & QStyle::State_Selected;
    if (chosen) {
        const QRectF row = QRectF(rect).adjusted(Metrics::SpaceXs, 0, -Metrics::SpaceXs, 0);
        paintBox(painter, row, chosenFill(), chosenFill(), Metrics::RadiusToolButton);
    }
    const Role ink = !enabled ? Role::Disabled : chosen ? chosenText() : Role::Text;
    const auto mirrored = [&](const QRect &part) { return QStyle::visualRect(item.direction, rect, part); };
    QRect mark(rect.left() + MenuSide, rect.top(), Metrics::IconNormal, rect.height());
    const bool checkable = item.checkType != QStyleOptionMenuItem::NotCheckable;
    if (checkable && item.checked) {
        paintIcon(painter,
                  mirrored(QRect(mark.left(), rect.center().y() - 7, Metrics::IconSmall, Metrics::IconSmall)),
                  u"check"_s, ink);
    } else if (!item.icon.isNull()) {
        item.icon.paint(painter, mirrored(mark), Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
    }
    QRect words = rect;
    words.setLeft(rect.left() + MenuSide + MenuIconColumn);
    words.setRight(rect.right() - MenuSide);
    if (item.menuItemType == QStyleOptionMenuItem::SubMenu) {
        const QRect arrow(words.right() - Metrics::IconSmall, rect.center().y() - 7, Metrics::IconSmall,
                          Metrics::IconSmall);
        paintIcon(painter, mirrored(arrow),
                  item.direction == Qt::RightToLeft ? u"chevron-left"_s : u"chevron-right"_s, ink);
    }
    const qsizetype tab = item.text.indexOf(u'\t');
    painter->setFont(item.font);
    painter->setPen(theme.color(ink));
    constexpr int Flags = Qt::AlignVCenter | Qt::TextShowMnemonic | Qt::TextSingleLine | Qt::TextDontClip;
    painter->drawText(mirrored(words),
                      Flags | static_cast<int>(QStyle::visualAlignment(item.direction, Qt::AlignLeft)),
                      tab < 0 ? item.text : item.text.left(tab));
    if (tab >= 0) {
        if (enabled && !chosen)
            painter->setPen(theme.color(Role::Text3));
        painter->drawText(mirrored(words),
                          Flags | static_cast<int>(QStyle::visualAlignment(item.direction, Qt::AlignRight)),
                          item.text.mid(tab + 1));
    }
}

void paintMenuBarItem(QPainter *painter, const QStyleOptionMenuItem &item, bool withMnemonics)
{
    const bool enabled = item.state & QStyle::State_Enabled;
    const bool chosen = enabled && item.state & (QStyle::State_Selected | QStyle::State_Sunken);
    const Role barFill =
        Theme::instance().scheme() == Scheme::HighContrast ? Role::SelectionBack : Role::SelectedInactive;
    if (chosen)
        paintBox(painter, QRectF(item.rect).adjusted(0, 2, 0, -2), barFill, barFill,
                 Metrics::RadiusToolButton);
    painter->setPen(Theme::instance().color(!enabled ? Role::Disabled : chosen ? chosenText() : Role::Text));
    painter->drawText(item.rect,
                      Qt::AlignCenter | (withMnemonics ? Qt::TextShowMnemonic : Qt::TextHideMnemonic)
                          | Qt::TextDontClip | Qt::TextSingleLine,
                      item.text);
}

void paintTabShape(QPainter *painter, const QStyleOptionTab &tab)
{
    const Theme &theme = Theme::instance();
    if (tab.state & QStyle::State_Selected) {
        QRect bar = tab.rect.adjusted(Metrics::SpaceXs, 0, -Metrics::SpaceXs, 0);
        bar.setTop(tab.rect.bottom() + 1 - Metrics::StrokeTabBar);
        painter->fillRect(bar, theme.color(Role::Accent));
    }
    if (tab.state & QStyle::State_HasFocus && tab.state & QStyle::State_Selected)
        paintFocusRing(painter, QRectF(tab.rect).adjusted(2, 4, -2, -4), Metrics::RadiusToolButton);
}

void paintTabLabel(QPainter *painter, const QStyleOptionTab &tab)
{
    const Theme &theme = Theme::instance();
    const bool enabled = tab.state & QStyle::State_Enabled;
    const bool current = tab.state & QStyle::State_Selected;
    painter->setFont(theme.font(current ? TextStyle::BodyStrong : TextStyle::Body));
    Role ink = current || tab.state & QStyle::State_MouseOver ? Role::Text : Role::Text2;
    if (!enabled)
        ink = Role::Disabled;
    painter->setPen(theme.color(ink));
    painter->drawText(tab.rect, Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextSingleLine, tab.text);
}

void paintScrollBar(QPainter *painter, const QStyleOptionSlider &bar, const QRect &thumb)
{
    if (bar.minimum >= bar.maximum)
        return;
    const bool active = bar.state & QStyle::State_MouseOver || bar.state & QStyle::State_Sunken;
    QRectF body(thumb);
    constexpr qreal Thin = 6;
    if (bar.orientation == Qt::Vertical)
        body = QRectF(body.center().x() - Thin / 2, body.top() + 2, Thin, body.height() - 4);
    else
        body = QRectF(body.left() + 2, body.center().y() - Thin / 2, body.width() - 4, Thin);
    const Role fill = active ? Role::Control : Role::Scroll;
    paintBox(painter, body, fill, fill, Thin / 2);
}

void paintSpinBox(QPainter *painter, const QStyleOptionSpinBox &box, const QRect &up, const QRect &down)
{
    paintFieldFrame(painter, box, true);
    const bool enabled = box.state & QStyle::State_Enabled;
    const auto arrow = [&](const QRect &rect, const QString &name, QAbstractSpinBox::StepEnabledFlag step) {
        const QRectF place(rect.center().x() - 6, rect.center().y() - 5, Metrics::IconInline,
                           Metrics::IconInline);
        paintIcon(painter, place, name, enabled && box.stepEnabled & step ? Role::Text2 : Role::Disabled);
    };
    arrow(up, u"chevron-up"_s, QAbstractSpinBox::StepUpEnabled);
    arrow(down, u"chevron-down"_s, QAbstractSpinBox::StepDownEnabled);
}

void paintComboBox(QPainter *painter, const QStyleOptionComboBox &box, const QRect &arrow)
{
    ButtonLook look;
    look.enabled = box.state & QStyle::State_Enabled;
    look.hovered = box.state & QStyle::State_MouseOver;
    look.pressed = box.state & QStyle::State_On;
    if (box.editable)
        paintFieldFrame(painter, box, true);
    else
        paintButtonGround(painter, QRectF(box.rect), look);
    paintIcon(painter,
              QRectF(arrow.center().x() - 6, arrow.center().y() - 6, Metrics::IconSmall, Metrics::IconSmall),
              u"chevron-down"_s, look.enabled ? Role::Text2 : Role::Disabled);
}

} // namespace Pilothouse
