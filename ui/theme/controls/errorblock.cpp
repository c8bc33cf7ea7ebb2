// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/errorblock.h"

#include "text/inerttext.h"
#include "theme/controls/button.h"
#include "theme/controls/label.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStyle>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestPart = 1000; // Error texts may quote a server.
constexpr int TextLeft = Metrics::SpaceM + Metrics::IconNormal + Metrics::SpaceS;
constexpr int TextTop = 10;

QString part(const QString &text) { return inertText(QStringView(text).left(LongestPart)); }

} // namespace

ErrorBlock::ErrorBlock(QWidget *parent)
    : QWidget(parent)
    , m_headline(new Label({}, TextStyle::BodyStrong))
    , m_rest(new Label({}, TextStyle::Small, Role::Text2))
    , m_action(new Button({}))
    , m_dismiss(new Button(tr("Dismiss")))
{
    setAccessibleName(tr("Problem"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(TextLeft, TextTop, Metrics::SpaceM, TextTop);
    row->setSpacing(Metrics::SpaceS);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    for (Label *label : {m_headline, m_rest}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        words->addWidget(label);
    }
    m_headline->setAccessibleName(tr("What happened"));
    m_rest->setAccessibleName(tr("What was kept and what to do"));
    row->addLayout(words, 1);
    row->addWidget(m_action, 0, Qt::AlignTop);
    row->addWidget(m_dismiss, 0, Qt::AlignTop);
    m_dismiss->setAccessibleName(tr("Dismiss the problem"));
    m_dismiss->hide();
    m_action->hide();
    connect(m_action, &Button::clicked, this, &ErrorBlock::actionRequested);
    connect(m_dismiss, &Button::clicked, this, &ErrorBlock::dismissed);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void ErrorBlock::setError(const Error &error)
{
    m_headline->setText(part(error.message));
    QStringList rest{part(error.kept), part(error.todo)};
    rest.removeAll(QString());
    m_rest->setText(rest.join(u' '));
    m_rest->setVisible(!rest.isEmpty());
    setAccessibleDescription(text());
}

void ErrorBlock::setAction(const QString &text)
{
    m_action->setText(text);
    m_action->setAccessibleName(text);
    m_action->setVisible(!text.isEmpty());
}

void ErrorBlock::setDismissible(bool dismissible) { m_dismiss->setVisible(dismissible); }

QString ErrorBlock::text() const
{
    return m_rest->text().isEmpty() ? m_headline->text()
                                    : QString(m_headline->text() + u' ' + m_rest->text());
}

void ErrorBlock::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paintBox(&painter, QRectF(rect()), Role::FailedSoft, Role::FailedLine, Metrics::RadiusCard);
    const QRect place(Metrics::SpaceM, TextTop + 2, Metrics::IconNormal, Metrics::IconNormal);
    paintIcon(&painter, QStyle::visualRect(layoutDirection(), rect(), place), u"failed"_s, Role::Failed,
              Role::FailedSoft);
}

} // namespace Pilothouse
