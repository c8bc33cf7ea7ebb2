// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/style.h"

#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/stylepaint.h"
#include "theme/theme.h"

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int ScrollExtent = 12;
constexpr int ScrollThumbMin = 28;
constexpr int MenuRow = 26;
constexpr int MenuSeparator = 9;
constexpr int MenuMarks = 2 * Metrics::SpaceM + Metrics::SpaceXl; // Both sides and the column of marks.
constexpr int ShortcutGap = Metrics::SpaceXl;
constexpr int ComboArrow = Metrics::SpaceXl;
constexpr int TipMargin = 6;

bool showsPlaceholder(const QWidget *widget)
{
    const auto *field = qobject_cast<const QLineEdit *>(widget);
    return field && field->text().isEmpty() && !field->placeholderText().isEmpty();
}

} // namespace

Style::Style()
    : QProxyStyle(QStyleFactory::create(u"fusion"_s))
{ }

void Style::polish(QWidget *widget)
{
    QProxyStyle::polish(widget);
    if (qobject_cast<QMenu *>(widget)) {
        // Round corners are not worth a translucent window on every system.
        widget->setFont(Theme::instance().font(TextStyle::Body));
    }
    if (auto *field = qobject_cast<QLineEdit *>(widget)) {
        // Qt repaints the text alone, and here the outline tells whether there is any.
        QObject::connect(field, &QLineEdit::textChanged, field, [field] {
            if (Theme::instance().scheme() == Scheme::HighContrast)
                field->update();
        });
    }
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    const Theme &theme = Theme::instance();
    switch (static_cast<int>(metric)) {
    case PM_SplitterWidth: // Qt widens the place to grab to five pixels by itself.
        return Metrics::SplitterVisible;
    case PM_ScrollBarExtent:
        return ScrollExtent;
    case PM_ScrollBarSliderMin:
        return ScrollThumbMin;
    case PM_MenuPanelWidth:
        return 1;
    case PM_MenuHMargin:
    case PM_MenuBarItemSpacing:
    case PM_MenuBarPanelWidth:
    case PM_MenuBarHMargin:
    case PM_MenuBarVMargin:
        return 0;
    case PM_MenuVMargin:
        return Metrics::SpaceXs;
    case PM_FocusFrameHMargin:
    case PM_FocusFrameVMargin:
        return Metrics::StrokeFocusRing + Metrics::StrokeFocusOffset;
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarBaseOverlap:
    case PM_TabBarBaseHeight:
        return 0;
    case PM_TabBarTabHSpace:
        return theme.px(Metrics::SpaceXxl);
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
        return Metrics::IconNormal;
    case PM_ToolTipLabelFrameWidth:
        return TipMargin;
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing:
        return Metrics::SpaceS;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int Style::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                     QStyleHintReturn *returnData) const
{
    switch (static_cast<int>(hint)) {
    case SH_Widget_Animation_Duration:
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
    case SH_DialogButtonBox_ButtonsHaveIcons:
    case SH_ComboBox_Popup:
    case SH_FocusFrame_Mask:
        return 0;
    case SH_FocusFrame_AboveWidget:
    case SH_ItemView_ShowDecorationSelected:
    case SH_MenuBar_MouseTracking:
    case SH_Menu_MouseTracking:
        return 1;
    case SH_ToolTipLabel_Opacity:
        return 255;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returnData);
    }
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                              const QWidget *widget) const
{
    const Theme &theme = Theme::instance();
    switch (static_cast<int>(type)) {
    case CT_MenuItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option)) {
            if (item->menuItemType == QStyleOptionMenuItem::Separator)
                return {2, MenuSeparator}; // An empty size would be left out.
            const QFontMetrics metrics(item->font);
            const qsizetype tab = item->text.indexOf(u'\t');
            int width = metrics
                            .size(Qt::TextShowMnemonic | Qt::TextSingleLine,
                                  tab < 0 ? item->text : item->text.left(tab))
                            .width();
            width += tab < 0 ? ShortcutGap : ShortcutGap + metrics.horizontalAdvance(item->text.mid(tab + 1));
            return {width + MenuMarks, theme.px(MenuRow)};
        }
        break;
    case CT_MenuBarItem:
        return {size.width() + 2 * Metrics::SpaceM - 4, theme.px(Metrics::ToolButton)};
    case CT_PushButton: {
        QSize hint = QProxyStyle::sizeFromContents(type, option, size, widget);
        hint.setHeight(std::max(theme.px(Metrics::ButtonHeight), size.height() + 4));
        hint.setWidth(std::max(hint.width(), size.width() + 2 * Metrics::SpaceM));
        return hint;
    }
    case CT_LineEdit:
        return {size.width(), std::max(theme.px(Metrics::Input), size.height())};
    case CT_ComboBox:
        return {size.width() + Metrics::SpaceM + ComboArrow + 4, theme.px(Metrics::Input)};
    case CT_TabBarTab:
        return {size.width(), theme.px(Metrics::ColumnHeader)};
    case CT_ItemViewItem: {
        QSize hint = QProxyStyle::sizeFromContents(type, option, size, widget);
        hint.setHeight(std::max(hint.height(), theme.px(Metrics::Row)));
        return hint;
    }
    default:
        break;
    }
    return QProxyStyle::sizeFromContents(type, option, size, widget);
}

QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl part,
                            const QWidget *widget) const
{
    if (control == CC_ComboBox) {
        const QRect rect = option->rect;
        if (part == SC_ComboBoxArrow)
            return visualRect(option->direction, rect,
                              QRect(rect.right() - ComboArrow, rect.top(), ComboArrow, rect.height()));
        if (part == SC_ComboBoxEditField)
            return visualRect(option->direction, rect, rect.adjusted(Metrics::SpaceS, 2, -ComboArrow, -2));
    }
    if (control != CC_ScrollBar)
        return QProxyStyle::subControlRect(control, option, part, widget);
    const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option);
    if (!bar)
        return {};
    // No arrows: the whole length is the groove.
    const bool vertical = bar->orientation == Qt::Vertical;
    const int length = vertical ? bar->rect.height() : bar->rect.width();
    int thumb = length;
    int start = 0;
    if (bar->maximum > bar->minimum) {
        const double range = static_cast<double>(bar->maximum) - bar->minimum;
        thumb = std::clamp(static_cast<int>(length * bar->pageStep / (range + bar->pageStep)),
                           std::min(ScrollThumbMin, length), length);
        start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - thumb,
                                        bar->upsideDown);
    }
    int from = 0;
    int size = 0;
    switch (static_cast<int>(part)) {
    case SC_ScrollBarSlider:
        from = start;
        size = thumb;
        break;
    case SC_ScrollBarGroove:
        size = length;
        break;
    case SC_ScrollBarSubPage:
        size = start;
        break;
    case SC_ScrollBarAddPage:
        from = start + thumb;
        size = length - from;
        break;
    default:
        return {};
    }
    const QRect rect = vertical ? QRect(bar->rect.left(), bar->rect.top() + from, bar->rect.width(), size)
                                : QRect(bar->rect.left() + from, bar->rect.top(), size, bar->rect.height());
    return vertical ? rect : visualRect(bar->direction, bar->rect, rect);
}

QRect Style::subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const
{
    if (element == SE_LineEditContents)
        return option->rect.adjusted(Metrics::SpaceS - 2, 1, 2 - Metrics::SpaceS, -1);
    return QProxyStyle::subElementRect(element, option, widget);
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                          const QWidget *widget) const
{
    switch (static_cast<int>(element)) {
    case PE_PanelButtonCommand: {
        ButtonLook look;
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option)) {
            if (button->features & QStyleOptionButton::DefaultButton)
                look.kind = ButtonLook::Kind::Primary;
            if (button->features & QStyleOptionButton::Flat)
                look.kind = ButtonLook::Kind::Plain;
        }
        look.enabled = option->state & State_Enabled;
        look.hovered = option->state & State_MouseOver;
        look.pressed = option->state & State_Sunken;
        look.checked = option->state & State_On;
        paintButtonGround(painter, QRectF(option->rect), look);
        return;
    }
    case PE_PanelLineEdit:
        if (const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option);
            frame && frame->lineWidth > 0)
            paintFieldFrame(painter, *option, true, showsPlaceholder(widget));
        return;
    case PE_FrameLineEdit:
        return; // Painted with the panel.
    case PE_Frame:
        // A view that ends at its column's edges has no frame; what has one is a field.
        if (qobject_cast<const QAbstractScrollArea *>(widget)) {
            paintFieldFrame(painter, *option, false);
            return;
        }
        break;
    case PE_FrameFocusRect: // Buttons have the ring around them, rows paint their own.
        if (const auto *view = qobject_cast<const QAbstractItemView *>(widget); view && view->hasFocus())
            paintFocusRing(painter, QRectF(option->rect), Metrics::RadiusToolButton);
        return;
    case PE_PanelMenu:
        painter->fillRect(option->rect, Theme::instance().color(Role::Raised));
        return;
    case PE_FrameMenu:
    case PE_PanelTipLabel:
        if (element == PE_PanelTipLabel)
            painter->fillRect(option->rect, Theme::instance().color(Role::Raised));
        painter->setPen(Theme::instance().color(Role::Line));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5));
        return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        paintCheck(painter, *option, false);
        return;
    case PE_IndicatorRadioButton:
        paintCheck(painter, *option, true);
        return;
    case PE_PanelItemViewRow:
        return; // The item paints the whole row.
    case PE_PanelItemViewItem:
        paintRow(painter, QRectF(option->rect), option->state & State_Selected, widget && widget->hasFocus(),
                 option->state & State_MouseOver, option->direction);
        return;
    case PE_FrameStatusBarItem:
    case PE_PanelStatusBar:
    case PE_PanelMenuBar:
    case PE_FrameTabBarBase:
    case PE_FrameTabWidget:
        return;
    default:
        break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void Style::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                        const QWidget *widget) const
{
    const Theme &theme = Theme::instance();
    switch (static_cast<int>(element)) {
    case CE_Splitter:
        painter->fillRect(option->rect, theme.color(Role::Hair));
        return;
    case CE_FocusFrame:
        paintFocusRing(painter, QRectF(option->rect), Metrics::RadiusControl + Metrics::StrokeFocusRing);
        return;
    case CE_MenuItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option)) {
            paintMenuItem(painter, *item);
            return;
        }
        break;
    case CE_MenuBarItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option)) {
            // The letters are shown when they are of use: while the keyboard is in the menus.
            paintMenuBarItem(painter, *item, widget && widget->hasFocus());
            return;
        }
        break;
    case CE_MenuEmptyArea:
        painter->fillRect(option->rect, theme.color(Role::Raised));
        return;
    case CE_MenuBarEmptyArea:
        return;
    case CE_ComboBoxLabel:
        if (const auto *box = qstyleoption_cast<const QStyleOptionComboBox *>(option)) {
            QStyleOptionComboBox copy(*box);
            const int icon = box->currentIcon.isNull() ? 0 : box->iconSize.width() + Metrics::SpaceXs;
            const int room =
                subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget).width() - icon - 2;
            copy.currentText = box->fontMetrics.elidedText(box->currentText, Qt::ElideRight, room);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    case CE_PushButtonLabel:
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option);
            button && button->features & QStyleOptionButton::DefaultButton && button->state & State_Enabled) {
            QStyleOptionButton copy(*button);
            copy.palette.setColor(QPalette::ButtonText, theme.color(Role::OnAccent));
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    case CE_TabBarTabShape:
        if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option)) {
            paintTabShape(painter, *tab);
            return;
        }
        break;
    case CE_TabBarTabLabel:
        if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option)) {
            paintTabLabel(painter, *tab);
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                               const QWidget *widget) const
{
    if (control == CC_ScrollBar) {
        if (const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option)) {
            paintScrollBar(painter, *bar, subControlRect(control, option, SC_ScrollBarSlider, widget));
            return;
        }
    }
    if (control == CC_SpinBox) {
        if (const auto *box = qstyleoption_cast<const QStyleOptionSpinBox *>(option)) {
            paintSpinBox(painter, *box, subControlRect(control, option, SC_SpinBoxUp, widget),
                         subControlRect(control, option, SC_SpinBoxDown, widget));
            return;
        }
    }
    if (control == CC_ComboBox) {
        if (const auto *box = qstyleoption_cast<const QStyleOptionComboBox *>(option)) {
            paintComboBox(painter, *box, subControlRect(control, option, SC_ComboBoxArrow, widget));
            return;
        }
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

} // namespace Pilothouse
