// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/welcomeway.h"

#include "theme/controls/button.h"
#include "theme/controls/label.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStyle>

namespace Pilothouse {

namespace {
constexpr int TextLeft = Metrics::SpaceXxl + Metrics::SpaceL;
constexpr int Way = 108;
} // namespace

WelcomeWay::WelcomeWay(const QString &icon, const QString &title, const QString &text,
                       const QList<Fact> &facts, Button *button, bool first, QWidget *parent)
    : QWidget(parent)
    , m_icon(icon)
    , m_button(button)
    , m_first(first)
{
    setMinimumHeight(Theme::instance().px(Way));
    auto *row = new QBoxLayout(QBoxLayout::LeftToRight, this);
    m_row = row;
    row->setContentsMargins(TextLeft, Metrics::SpaceL, Metrics::SpaceL, Metrics::SpaceL);
    row->setSpacing(Metrics::SpaceL);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    auto *heading = new Label(title, TextStyle::Title);
    heading->setWordWrap(true);
    auto *body = new Label(text, TextStyle::Body, Role::Text2);
    body->setWordWrap(true);
    words->addWidget(heading);
    words->addWidget(body);
    words->addStretch(1);
    row->addLayout(words, 5);
    auto *list = new QVBoxLayout;
    list->setSpacing(Metrics::SpaceXs);
    for (const Fact &fact : facts) {
        auto *mark = new Label;
        mark->setPixmap(iconPixmap(fact.icon, Metrics::IconSmall, Role::Text2, devicePixelRatioF()));
        mark->setAccessibleName(fact.text);
        auto *told = new Label(fact.text, TextStyle::Small, Role::Text2);
        told->setWordWrap(true);
        auto *line = new QHBoxLayout;
        line->setSpacing(Metrics::SpaceS);
        line->addWidget(mark, 0, Qt::AlignTop);
        line->addWidget(told, 1);
        list->addLayout(line);
        connect(&Theme::instance(), &Theme::changed, mark, [mark, name = fact.icon] {
            mark->setPixmap(iconPixmap(name, Metrics::IconSmall, Role::Text2, mark->devicePixelRatioF()));
        });
    }
    list->addStretch(1);
    row->addLayout(list, 5);
    row->addWidget(button, 0, Qt::AlignVCenter);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void WelcomeWay::setStacked(bool stacked)
{
    m_row->setDirection(stacked ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_row->setAlignment(m_button, stacked ? Qt::AlignLeft : Qt::AlignVCenter);
}

void WelcomeWay::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    if (m_first)
        paintRow(&painter, QRectF(rect()), true, true, false, layoutDirection());
    const QRect place(Metrics::SpaceL, Metrics::SpaceL, Metrics::IconLarge, Metrics::IconLarge);
    paintIcon(&painter, QStyle::visualRect(layoutDirection(), rect(), place), m_icon,
              m_first ? Role::Accent : Role::Text2, m_first ? Role::Selected : Role::Canvas);
}

} // namespace Pilothouse
