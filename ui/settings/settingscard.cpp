// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/settingscard.h"

#include "settings/breakinglayout.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/hairline.h"
#include "theme/controls/label.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QPainter>
#include <QVBoxLayout>

namespace Pilothouse {

namespace {

constexpr int LeastWords = 200; // Beside a control.

class Box : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        paintBox(&painter, QRectF(rect()), Role::Canvas, Role::Line, Metrics::RadiusCard);
    }
};

} // namespace

SettingsCard::SettingsCard(const QString &heading, QWidget *parent)
    : QWidget(parent)
    , m_box(new Box)
    , m_rows(new QVBoxLayout(m_box))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Metrics::SpaceS);
    if (!heading.isEmpty())
        layout->addWidget(new Label(heading, TextStyle::Section, Role::Text2));
    m_rows->setContentsMargins(1, 1, 1, 1);
    m_rows->setSpacing(0);
    layout->addWidget(m_box);
    setAccessibleName(heading);
}

void SettingsCard::addRow(QWidget *row)
{
    if (m_rows->count() > 0)
        m_rows->addWidget(new HairLine);
    m_rows->addWidget(row);
}

void SettingsCard::addSetting(const QString &name, const QString &hint, QWidget *control)
{
    auto *label = new Label(name, TextStyle::Body);
    Label *explained = nullptr;
    if (!hint.isEmpty()) {
        explained = new Label(hint, TextStyle::Small, Role::Text2);
        explained->setWordWrap(true);
    }
    if (control->accessibleName().isEmpty())
        control->setAccessibleName(name);
    addParts(label, explained, control);
}

void SettingsCard::addThing(const QString &name, const QString &fact, QWidget *control)
{
    auto *label = new ElidedLabel(name, TextStyle::Body);
    label->setWords(name);
    addParts(label, new Label(fact, TextStyle::Small, Role::Text2), control);
}

void SettingsCard::addParts(Label *name, Label *hint, QWidget *control)
{
    const Theme &theme = Theme::instance();
    auto *row = new QWidget;
    row->setMinimumHeight(theme.px(Metrics::SettingsRow));
    auto *layout = new BreakingLayout(theme.px(LeastWords), row);
    layout->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceM, Metrics::SpaceS);
    auto *words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(name);
    if (hint)
        words->addWidget(hint);
    layout->setLead(words);
    name->setBuddy(control); // By which AT-SPI names a combo box: its own name is what is chosen.
    layout->setTrail(control);
    addRow(row);
}

void SettingsCard::removeRow(QWidget *row)
{
    const int at = m_rows->indexOf(row);
    if (at < 0)
        return;
    const int line = at > 0 ? at - 1 : at + 1; // Its line is above it; the first has none.
    if (QLayoutItem *item = m_rows->itemAt(line); item && item->widget()) {
        item->widget()->hide();
        item->widget()->deleteLater();
    }
    if (at > 0)
        delete m_rows->takeAt(line);
    m_rows->removeWidget(row);
    row->hide();
    row->deleteLater();
}

void SettingsCard::setLineShown(const QWidget *row, bool shown)
{
    const int at = m_rows->indexOf(row);
    if (QLayoutItem *item = at < 0 ? nullptr : m_rows->itemAt(at + 1); item && item->widget())
        item->widget()->setVisible(shown);
}

void SettingsCard::clear()
{
    while (QLayoutItem *item = m_rows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace Pilothouse
