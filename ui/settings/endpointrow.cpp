// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/endpointrow.h"

#include "text/inerttext.h"
#include "theme/controls/button.h"
#include "theme/controls/errorblock.h"
#include "theme/controls/label.h"
#include "theme/focus.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int ServiceNameWidth = 168;
constexpr int LongestAddress = 2000; // What is too long is refused with words, not cut.
constexpr qsizetype LongestShown = 300;

} // namespace

EndpointRow::EndpointRow(const ServiceInfo &info, QWidget *parent)
    : QWidget(parent)
    , m_field(new QLineEdit)
    , m_fixed(new Label({}, TextStyle::Mono, Role::Text2))
    , m_use(new Button(tr("Use")))
    , m_reset(new Button(tr("Reset")))
    , m_note(new Label({}, TextStyle::Small, Role::Text2))
    , m_error(new ErrorBlock)
{
    const Theme &theme = Theme::instance();
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceM, Metrics::SpaceS);
    row->setSpacing(Metrics::SpaceL);
    auto *name = new Label(info.name, TextStyle::Body);
    name->setFixedWidth(theme.px(ServiceNameWidth));
    name->setMinimumHeight(theme.px(Metrics::Input));
    row->addWidget(name, 0, Qt::AlignTop);
    auto *column = new QVBoxLayout;
    column->setSpacing(Metrics::SpaceXs);
    auto *line = new QHBoxLayout;
    line->setSpacing(Metrics::SpaceS);
    m_field->setFont(theme.font(TextStyle::Mono));
    m_field->setMinimumHeight(theme.px(Metrics::Input));
    m_field->setMaxLength(LongestAddress);
    m_field->setInputMethodHints(Qt::ImhUrlCharactersOnly | Qt::ImhNoAutoUppercase | Qt::ImhNoPredictiveText);
    m_field->setAccessibleName(tr("Address of %1").arg(info.name));
    m_use->setAccessibleName(tr("%1: use this address").arg(info.name));
    m_reset->setAccessibleName(tr("%1: use its own address again").arg(info.name));
    // Rows come while the page is not shown: until it is laid out they must not vanish.
    for (Button *button : {m_use, m_reset})
        button->setMinimumHeight(theme.px(Metrics::ButtonHeight));
    m_fixed->setWordWrap(true); // After a slash.
    m_fixed->setMinimumHeight(theme.px(Metrics::Input));
    m_fixed->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_fixed->setAccessibleName(tr("Address of %1, which cannot be changed here").arg(info.name));
    line->addWidget(m_fixed, 1);
    line->addWidget(m_field, 1);
    line->addWidget(m_use);
    line->addWidget(m_reset);
    column->addLayout(line);
    m_note->setWordWrap(true);
    column->addWidget(m_note);
    m_error->hide();
    column->addWidget(m_error);
    row->addLayout(column, 1);
    connect(m_field, &QLineEdit::textChanged, this, &EndpointRow::refresh);
    connect(m_field, &QLineEdit::returnPressed, this, &EndpointRow::take);
    connect(m_use, &Button::clicked, this, &EndpointRow::take);
    connect(m_reset, &Button::clicked, this, [this] { Q_EMIT entered(m_info.id, {}); });
    connect(&theme, &Theme::changed, this,
            [this] { m_field->setFont(Theme::instance().font(TextStyle::Mono)); });
    m_info = info;
    showAddress();
    refresh();
}

bool EndpointRow::isChanged() const { return m_field->text().trimmed() != m_info.endpoint; }

void EndpointRow::showAddress()
{
    m_field->setText(m_info.endpoint);
    m_field->setCursorPosition(0); // A long one is read from its start.
}

void EndpointRow::setInfo(const ServiceInfo &info)
{
    const bool isOther = info.endpoint != m_info.endpoint || info.endpointChosen != m_info.endpointChosen;
    m_info = info;
    if (isOther) {
        showAddress();
        m_error->hide();
    }
    refresh();
}

void EndpointRow::setUsable(bool usable)
{
    m_usable = usable;
    refresh();
}

void EndpointRow::setProblem(const Error &error)
{
    m_error->setError(error);
    m_error->show();
}

void EndpointRow::refresh()
{
    m_fixed->setText(inertLine(m_info.endpoint, LongestShown));
    m_fixed->setVisible(!m_info.endpointCanBeSet);
    m_field->setVisible(m_info.endpointCanBeSet);
    m_field->setReadOnly(!m_usable);
    const bool canUse = m_usable && m_info.endpointCanBeSet && isChanged();
    setEnabledKeeping(m_use, canUse, m_field);
    m_use->setVisible(m_info.endpointCanBeSet);
    const bool canReset = m_info.endpointCanBeSet && m_info.endpointChosen;
    if (!canReset)
        passFocus(m_reset, m_field);
    m_reset->setVisible(canReset);
    m_reset->setEnabled(m_usable);
    QString note;
    if (!m_info.endpointSource.isEmpty())
        note = tr("Set by %1").arg(m_info.endpointSource);
    else if (m_info.endpointChosen)
        note = tr("Its own is %1").arg(inertLine(m_info.endpointBuiltIn, LongestShown));
    if (!m_info.keyWithheld.isEmpty())
        note = note.isEmpty() ? tr("The key that is known was given for another address and is not used here")
                              : tr("%1. The key that is known was given for another address and is not used "
                                   "here.")
                                    .arg(note);
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

void EndpointRow::take()
{
    if (m_usable && m_info.endpointCanBeSet && isChanged())
        Q_EMIT entered(m_info.id, m_field->text().trimmed());
}

void EndpointRow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && isChanged()) { // First what was typed, then the page.
        showAddress();
        m_error->hide();
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace Pilothouse
