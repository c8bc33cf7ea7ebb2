// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

class QPainter;
class QRect;
class QRectF;
class QStyleOption;
class QStyleOptionComboBox;
class QStyleOptionMenuItem;
class QStyleOptionSlider;
class QStyleOptionSpinBox;
class QStyleOptionTab;

namespace Pilothouse {

/// How a button is to look.
struct ButtonLook {
    enum class Kind { Primary = 1, Secondary, Plain, Danger };
    Kind kind = Kind::Secondary;
    bool enabled = true;
    bool hovered = false;
    bool pressed = false;
    bool checked = false;
    bool small = false;
};

// What Style paints, part by part.
void paintButtonGround(QPainter *painter, const QRectF &rect, const ButtonLook &look);
/// `isEmpty`: nothing stands in it but words about what could.
void paintFieldFrame(QPainter *painter, const QStyleOption &option, bool fill, bool isEmpty = false);
void paintCheck(QPainter *painter, const QStyleOption &option, bool round);
void paintMenuItem(QPainter *painter, const QStyleOptionMenuItem &item);
void paintMenuBarItem(QPainter *painter, const QStyleOptionMenuItem &item, bool withMnemonics);
void paintTabShape(QPainter *painter, const QStyleOptionTab &tab);
void paintTabLabel(QPainter *painter, const QStyleOptionTab &tab);
void paintScrollBar(QPainter *painter, const QStyleOptionSlider &bar, const QRect &thumb);
void paintSpinBox(QPainter *painter, const QStyleOptionSpinBox &box, const QRect &up, const QRect &down);
void paintComboBox(QPainter *painter, const QStyleOptionComboBox &box, const QRect &arrow);

} // namespace Pilothouse
