// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/label.h"

#include "theme/theme.h"

#include <QEvent>

namespace Pilothouse {

Label::Label(const QString &text, TextStyle style, Role color, QWidget *parent)
    : QLabel(text, parent)
    , m_style(style)
    , m_color(color)
{
    setTextFormat(Qt::PlainText);
    setForegroundRole(QPalette::WindowText); // Else it depends on what the parent stands on.
    apply();
    connect(&Theme::instance(), &Theme::changed, this, &Label::apply);
}

void Label::setLook(TextStyle style, Role color)
{
    if (style == m_style && color == m_color)
        return;
    m_style = style;
    m_color = color;
    apply();
}

void Label::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::EnabledChange)
        apply();
}

void Label::apply()
{
    const Theme &theme = Theme::instance();
    setFont(theme.font(m_style));
    QPalette own = palette();
    own.setColor(QPalette::WindowText, theme.color(isEnabled() ? m_color : Role::Disabled));
    setPalette(own);
}

} // namespace Pilothouse
