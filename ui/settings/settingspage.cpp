// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/settingspage.h"

#include "settings/keyrow.h"
#include "settings/sectionarea.h"
#include "theme/accessiblerole.h"
#include "theme/controls/button.h"
#include "theme/controls/hairline.h"
#include "theme/controls/label.h"
#include "theme/focus.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStackedWidget>
#include <QStyledItemDelegate>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int NameRole = Qt::UserRole + 1;
constexpr int PageWidth = 1120;
constexpr int NarrowPage = 960; // Below it the sections and the margins give way.
constexpr int NarrowSide = 176;
constexpr int LongestWanted = 200; // Of what is looked for.

class SectionDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const Theme &theme = Theme::instance();
        const bool selected = option.state & QStyle::State_Selected;
        paintRow(painter, QRectF(option.rect), selected, true, option.state & QStyle::State_MouseOver,
                 option.direction);
        const QRect row = option.rect;
        const auto mirrored = [&](const QRect &part) {
            return QStyle::visualRect(option.direction, row, part);
        };
        const int icon = Metrics::IconNormal;
        paintIcon(
            painter,
            mirrored(QRect(row.left() + Metrics::SpaceM, row.top() + (row.height() - icon) / 2, icon, icon)),
            index.data(Qt::UserRole).toString(), Role::Text2);
        painter->setFont(theme.font(TextStyle::Body));
        painter->setPen(theme.color(Role::Text));
        painter->drawText(mirrored(QRect(row.left() + 36, row.top(), row.width() - 36, row.height())),
                          static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignLeft))
                              | Qt::AlignVCenter,
                          QFontMetrics(painter->font())
                              .elidedText(index.data().toString(), Qt::ElideRight, row.width() - 36));
        if (option.state & QStyle::State_HasFocus)
            paintFocusRing(painter, QRectF(row).adjusted(1, 1, -1, -1), Metrics::RadiusToolButton);
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override
    {
        return {1, Theme::instance().px(Metrics::ButtonHeight)};
    }
};

} // namespace

SettingsPage::SettingsPage(QWidget *parent)
    : QWidget(parent)
    , m_side(new QWidget)
    , m_find(new QLineEdit)
    , m_sections(new QListWidget)
    , m_pages(new QStackedWidget)
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto *sideLayout = new QVBoxLayout(m_side);
    sideLayout->setContentsMargins(0, 0, 0, 0);
    sideLayout->setSpacing(0);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(Metrics::SpaceXs, 0, 0, 0);
    auto *back = new Button(tr("Back"), Button::Kind::Plain);
    back->setIconName(u"arrow-left"_s, Metrics::IconSmall);
    back->setKeyCap(tr("Esc"));
    back->setAccessibleName(tr("Back to the conversations"));
    head->addWidget(back);
    head->addStretch(1);
    auto *headBox = new QWidget;
    headBox->setFixedHeight(Theme::instance().px(Metrics::ColumnHeader));
    headBox->setLayout(head);
    sideLayout->addWidget(headBox);
    sideLayout->addWidget(new HairLine);
    m_find->setPlaceholderText(tr("Find a setting"));
    m_find->setAccessibleName(tr("Find a setting"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaxLength(LongestWanted);
    auto *findBox = new QHBoxLayout;
    findBox->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceM, Metrics::SpaceS);
    findBox->addWidget(m_find);
    sideLayout->addLayout(findBox);
    m_sections->setItemDelegate(new SectionDelegate(m_sections));
    m_sections->setFrameShape(QFrame::NoFrame);
    m_sections->setAccessibleName(tr("Settings"));
    m_sections->setMouseTracking(true);
    m_sections->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // Names are cut instead.
    m_sections->viewport()->setBackgroundRole(QPalette::Window);
    sideLayout->addWidget(m_sections, 1);
    row->addWidget(m_side);
    row->addWidget(new HairLine(Qt::Vertical));
    row->addWidget(m_pages, 1);

    makeKeys();
    makeEndpoints();
    makeLocal();
    makeNew();
    makeAppearance();
    makeData();
    orderTabs();
    connect(back, &Button::clicked, this, &SettingsPage::left);
    connect(m_find, &QLineEdit::textChanged, this, &SettingsPage::find);
    connect(m_sections, &QListWidget::currentRowChanged, this, [this](int index) {
        m_pages->setCurrentIndex(index);
        if (section() == "data"_L1)
            Q_EMIT dataRequested();
    });
    m_sections->setCurrentRow(0);
}

QVBoxLayout *SettingsPage::addSection(const QString &name, const QString &icon, const QString &title,
                                      const QString &intro)
{
    auto *item = new QListWidgetItem(title, m_sections);
    item->setData(Qt::UserRole, icon);
    item->setData(NameRole, name);
    auto *page = new QWidget;
    auto *outer = new QHBoxLayout(page);
    auto *column = new QWidget;
    column->setMaximumWidth(Theme::instance().px(PageWidth));
    outer->addWidget(column, 100);
    outer->addStretch(1);
    auto *layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Metrics::SpaceL);
    auto *words = new QVBoxLayout;
    words->setSpacing(Metrics::SpaceXs);
    words->addWidget(new Label(title, TextStyle::PageTitle));
    auto *explained = new Label(intro, TextStyle::Small, Role::Text2);
    explained->setWordWrap(true);
    words->addWidget(explained);
    layout->addLayout(words);
    auto *content = new QVBoxLayout;
    content->setSpacing(Metrics::SpaceXl);
    layout->addLayout(content);
    layout->addStretch(1);
    auto *area = new SectionArea(page);
    setAccessibleRole(area, QAccessible::Pane);
    area->setAccessibleName(title);
    m_pages->addWidget(area);
    return content;
}

void SettingsPage::resizeEvent(QResizeEvent *event)
{
    const Theme &theme = Theme::instance();
    const bool isNarrow = width() < theme.px(NarrowPage);
    m_side->setFixedWidth(theme.px(isNarrow ? NarrowSide : Metrics::SidebarDefault));
    const int side = isNarrow ? Metrics::SpaceL : Metrics::SpaceXxl;
    for (int i = 0; i < m_pages->count(); ++i) {
        const auto *area = qobject_cast<const SectionArea *>(m_pages->widget(i));
        area->widget()->layout()->setContentsMargins(side, Metrics::SpaceXl, side, Metrics::SpaceXl);
    }
    QWidget::resizeEvent(event);
}

void SettingsPage::orderTabs()
{
    QWidget *last = m_sections;
    for (int i = 0; i < m_pages->count(); ++i)
        last = orderFocus(last, qobject_cast<const SectionArea *>(m_pages->widget(i))->widget());
}

void SettingsPage::showSection(const QString &name)
{
    for (int i = 0; i < m_sections->count(); ++i) {
        if (m_sections->item(i)->data(NameRole).toString() == name)
            m_sections->setCurrentRow(i);
    }
}

QString SettingsPage::section() const
{
    const QListWidgetItem *item = m_sections->currentItem();
    return item ? item->data(NameRole).toString() : QString();
}

void SettingsPage::find(const QString &wanted)
{
    const QString text = wanted.trimmed();
    // What stands on a page says what can be set there.
    const auto holds = [&](int index) {
        if (text.isEmpty() || m_sections->item(index)->text().contains(text, Qt::CaseInsensitive))
            return true;
        const QList<QWidget *> shown = m_pages->widget(index)->findChildren<QWidget *>();
        return std::any_of(shown.begin(), shown.end(), [&](const QWidget *widget) {
            const auto *label = qobject_cast<const QLabel *>(widget);
            return (label && label->text().contains(text, Qt::CaseInsensitive))
                || widget->accessibleName().contains(text, Qt::CaseInsensitive);
        });
    };
    int first = -1;
    for (int i = 0; i < m_sections->count(); ++i) {
        const bool isFound = holds(i);
        m_sections->item(i)->setHidden(!isFound);
        if (isFound && first < 0)
            first = i;
    }
    const QListWidgetItem *current = m_sections->currentItem();
    if (first >= 0 && (!current || current->isHidden()))
        m_sections->setCurrentRow(first);
}

void SettingsPage::focusSections() { m_sections->setFocus(Qt::OtherFocusReason); }

void SettingsPage::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        if (m_find->hasFocus() && !m_find->text().isEmpty())
            m_find->clear();
        else
            Q_EMIT left();
        return;
    }
    QWidget::keyPressEvent(event);
}

void SettingsPage::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), Theme::instance().color(Role::Window));
}

} // namespace Pilothouse
