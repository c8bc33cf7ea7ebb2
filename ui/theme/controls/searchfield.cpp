// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/searchfield.h"

#include "theme/controls/keycap.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyle>

namespace Pilothouse {

using namespace Qt::StringLiterals;

SearchField::SearchField(const QString &name, const QString &keyCap, QWidget *parent)
    : QLineEdit(parent)
    , m_icon(u"search"_s)
    , m_keyCap(keyCap)
{
    setAccessibleName(name);
    setToolTip(keyCap.isEmpty() ? name : QString(name + u" ("_s + keyCap + u')'));
    updateMargins();
    connect(this, &QLineEdit::textChanged, this, &SearchField::updateMargins);
    connect(&Theme::instance(), &Theme::changed, this, &SearchField::updateMargins);
}

void SearchField::setIconName(const QString &name)
{
    m_icon = name;
    update();
}

void SearchField::updateMargins()
{
    const int icon = Metrics::IconNormal + Metrics::SpaceS;
    const int cap =
        m_keyCap.isEmpty() || !text().isEmpty() ? 0 : KeyCap::widthOf(m_keyCap) + Metrics::SpaceXs;
    if (layoutDirection() == Qt::RightToLeft)
        setTextMargins(cap, 0, icon, 0);
    else
        setTextMargins(icon, 0, cap, 0);
}

void SearchField::paintEvent(QPaintEvent *event)
{
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    const auto mirrored = [&](const QRect &part) {
        return QStyle::visualRect(layoutDirection(), rect(), part);
    };
    paintIcon(&painter,
              mirrored(QRect(Metrics::SpaceS, (height() - Metrics::IconNormal) / 2, Metrics::IconNormal,
                             Metrics::IconNormal)),
              m_icon, isEnabled() ? Role::Text2 : Role::Disabled);
    if (m_keyCap.isEmpty() || !text().isEmpty())
        return;
    const int cap = KeyCap::widthOf(m_keyCap);
    KeyCap::paint(&painter,
                  mirrored(QRect(width() - cap - Metrics::SpaceS, (height() - KeyCap::height()) / 2, cap,
                                 KeyCap::height())),
                  m_keyCap, isEnabled() ? Role::Text2 : Role::Disabled, Role::Raised);
}

void SearchField::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        if (!text().isEmpty()) {
            clear();
            return;
        }
        Q_EMIT left();
        event->ignore(); // What lies around it may have something to close.
        return;
    }
    if (event->key() == Qt::Key_Down) {
        Q_EMIT downPressed();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

} // namespace Pilothouse
