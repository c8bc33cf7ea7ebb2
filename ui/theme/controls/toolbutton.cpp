// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/toolbutton.h"

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QPainter>

namespace Pilothouse {

using namespace Qt::StringLiterals;

ToolButton::ToolButton(const QString &iconName, const QString &name, QWidget *parent)
    : QToolButton(parent)
    , m_icon(iconName)
{
    setFocusPolicy(Qt::StrongFocus);
    setAutoRaise(true);
    setPopupMode(InstantPopup);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setName(name);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void ToolButton::setIconName(const QString &iconName)
{
    if (m_icon == iconName)
        return;
    m_icon = iconName;
    update();
}

void ToolButton::setName(const QString &name, const QString &shortcut)
{
    setAccessibleName(name);
    setToolTip(plainToolTip(shortcut.isEmpty() ? name : QString(name + u" ("_s + shortcut + u')')));
}

void ToolButton::setSmall(bool small)
{
    m_small = small;
    updateGeometry();
}

void ToolButton::setIconRole(Role role)
{
    m_role = role;
    update();
}

QSize ToolButton::sizeHint() const
{
    const int side = Theme::instance().px(m_small ? Metrics::ToolButtonSmall : Metrics::ToolButton);
    return {side, side};
}

void ToolButton::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    Role under = Role::Window;
    if (isEnabled() && (isDown() || isChecked() || underMouse())) {
        under = isDown() || isChecked() ? Role::SelectedInactive : Role::Hover;
        paintBox(&painter, QRectF(rect()), under, under, Metrics::RadiusToolButton);
    }
    if (isChecked() && Theme::instance().scheme() == Scheme::HighContrast)
        paintChosenFrame(&painter, QRectF(rect()), Metrics::RadiusToolButton);
    const QRectF place((width() - Metrics::IconNormal) / 2.0, (height() - Metrics::IconNormal) / 2.0,
                       Metrics::IconNormal, Metrics::IconNormal);
    paintIcon(&painter, place, m_icon, isEnabled() ? m_role : Role::Disabled, under);
}

} // namespace Pilothouse
