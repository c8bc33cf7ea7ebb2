// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/button.h"

#include "theme/controls/keycap.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyle>
#include <QStyleOptionButton>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr int Gap = Metrics::SpaceS;
constexpr int ChevronGap = Metrics::SpaceXs;
constexpr int ShrunkWidth = 88;
} // namespace

Button::Button(const QString &text, Kind kind, QWidget *parent)
    : QPushButton(text, parent)
    , m_kind(kind)
{
    setAutoDefault(false);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void Button::setKind(Kind kind)
{
    m_kind = kind;
    update();
}

void Button::setSmall(bool small)
{
    m_small = small;
    updateGeometry();
}

void Button::setIconName(const QString &name, int size)
{
    m_icon = name;
    m_iconSize = size;
    updateGeometry();
    update();
}

void Button::setIconRole(std::optional<Role> role)
{
    m_iconRole = role;
    update();
}

void Button::setKeyCap(const QString &key)
{
    m_keyCap = key;
    setToolTip(key);
    updateGeometry();
    update();
}

void Button::setChevron(bool chevron)
{
    m_chevron = chevron;
    updateGeometry();
}

void Button::setMayShrink(bool mayShrink)
{
    m_mayShrink = mayShrink;
    setSizePolicy(mayShrink ? QSizePolicy::Maximum : QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize Button::minimumSizeHint() const
{
    const QSize hint = sizeHint();
    return m_mayShrink ? QSize(std::min(hint.width(), ShrunkWidth), hint.height()) : hint;
}

void Button::setTextStyle(TextStyle style)
{
    m_style = style;
    updateGeometry();
    update();
}

void Button::setTextRole(Role role)
{
    m_ink = role;
    update();
}

void Button::setBusy(bool busy)
{
    if (busy == m_busy)
        return;
    m_busy = busy;
    setDown(false);
    setAccessibleDescription(busy ? tr("Being done") : QString());
    update();
}

bool Button::event(QEvent *event)
{
    if (m_busy) {
        switch (event->type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonRelease:
        case QEvent::MouseButtonDblClick:
            event->accept();
            return true;
        case QEvent::KeyPress:
        case QEvent::KeyRelease: {
            const int key = static_cast<QKeyEvent *>(event)->key();
            if (key == Qt::Key_Space || key == Qt::Key_Return || key == Qt::Key_Enter
                || key == Qt::Key_Select) {
                event->accept();
                return true;
            }
            break;
        }
        default:
            break;
        }
    }
    return QPushButton::event(event);
}

bool Button::isPressedBy(const QKeyEvent *event) const
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    // A dialog's buttons know Enter by themselves; with a modifier it is a shortcut of something else.
    return isEnter && m_enterPresses && !autoDefault()
        && (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
}

void Button::keyPressEvent(QKeyEvent *event)
{
    if (!isPressedBy(event)) {
        QPushButton::keyPressEvent(event);
        return;
    }
    QKeyEvent asSpace(QEvent::KeyPress, Qt::Key_Space, Qt::NoModifier, QString(), event->isAutoRepeat());
    if (!asSpace.isAutoRepeat()) // One that is held presses once, and goes nowhere else.
        QPushButton::keyPressEvent(&asSpace);
}

void Button::keyReleaseEvent(QKeyEvent *event)
{
    if (!isPressedBy(event)) {
        QPushButton::keyReleaseEvent(event);
        return;
    }
    QKeyEvent asSpace(QEvent::KeyRelease, Qt::Key_Space, Qt::NoModifier, QString(), event->isAutoRepeat());
    if (!asSpace.isAutoRepeat())
        QPushButton::keyReleaseEvent(&asSpace);
}

int Button::keyCapWidth() const { return m_keyCap.isEmpty() ? 0 : Gap + KeyCap::widthOf(m_keyCap); }

int Button::contentWidth() const
{
    int width = keyCapWidth();
    if (!text().isEmpty())
        width += QFontMetrics(Theme::instance().font(m_style)).size(Qt::TextShowMnemonic, text()).width();
    if (!m_icon.isEmpty())
        width += m_iconSize + (text().isEmpty() ? 0 : Gap);
    if (m_chevron)
        width += ChevronGap + Metrics::IconSmall;
    return width;
}

QSize Button::sizeHint() const
{
    const Theme &theme = Theme::instance();
    const int side = m_kind == Kind::Plain || m_small ? Metrics::SpaceS : Metrics::SpaceM;
    return {contentWidth() + 2 * side, theme.px(m_small ? Metrics::ButtonSmall : Metrics::ButtonHeight)};
}

void Button::paintEvent(QPaintEvent *)
{
    QStyleOptionButton option;
    initStyleOption(&option);
    QPainter painter(this);
    const bool works = isEnabled() && !m_busy;
    const Theme &theme = Theme::instance();
    ButtonLook look;
    look.kind = m_kind;
    look.small = m_small;
    look.enabled = works;
    look.hovered = option.state & QStyle::State_MouseOver || (underMouse() && works);
    look.pressed = isDown();
    look.checked = isChecked();
    paintButtonGround(&painter, QRectF(rect()), look);

    Role ink = m_ink;
    Role under = Role::Raised;
    if (!works) {
        ink = Role::Disabled;
    } else if (m_kind == Kind::Primary) {
        ink = Role::OnAccent;
        under = Role::AccentSolid;
    } else if (m_kind == Kind::Danger) {
        ink = Role::Canvas;
        under = Role::FailedSolid;
    }
    const QFont font = theme.font(m_style);
    const QFontMetrics metrics(font);
    const QRect all = rect();
    const auto mirrored = [&](const QRect &part) { return QStyle::visualRect(layoutDirection(), all, part); };
    int x = std::max(Metrics::SpaceXs, (all.width() - contentWidth()) / 2);
    if (!m_icon.isEmpty()) {
        paintIcon(&painter, mirrored(QRect(x, (all.height() - m_iconSize) / 2, m_iconSize, m_iconSize)),
                  m_icon, works ? m_iconRole.value_or(ink) : ink, under);
        x += m_iconSize + (text().isEmpty() ? 0 : Gap);
    }
    const int end =
        all.width() - Metrics::SpaceXs - keyCapWidth() - (m_chevron ? ChevronGap + Metrics::IconSmall : 0);
    if (!text().isEmpty()) {
        const int room = std::max(0, end - x);
        const int width = std::min(room, metrics.size(Qt::TextShowMnemonic, text()).width());
        painter.setFont(font);
        painter.setPen(theme.color(ink));
        painter.drawText(mirrored(QRect(x, 0, width, all.height())),
                         Qt::AlignVCenter | Qt::AlignHCenter | Qt::TextShowMnemonic | Qt::TextSingleLine,
                         metrics.elidedText(text(), Qt::ElideRight, room, Qt::TextShowMnemonic));
        x += width;
    }
    if (!m_keyCap.isEmpty()) {
        const int width = KeyCap::widthOf(m_keyCap);
        KeyCap::paint(
            &painter,
            mirrored(QRect(x + Gap, (all.height() - KeyCap::height()) / 2, width, KeyCap::height())),
            m_keyCap, ink, under);
        x += Gap + width;
    }
    if (m_chevron) {
        const QRect box(x + ChevronGap, (all.height() - Metrics::IconSmall) / 2, Metrics::IconSmall,
                        Metrics::IconSmall);
        paintIcon(&painter, mirrored(box), u"chevron-down"_s,
                  works && m_kind != Kind::Primary ? Role::Text2 : ink);
    }
}

} // namespace Pilothouse
