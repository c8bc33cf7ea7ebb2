// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/errorbar.h"

#include "text/inerttext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestPart = 1000; // Error texts may quote a server.

QString part(const QString &text) { return inertText(QStringView(text).left(LongestPart)); }

} // namespace

ErrorBar::ErrorBar(QWidget *parent)
    : QFrame(parent)
    , m_headline(new QLabel)
    , m_rest(new QLabel)
    , m_action(new QPushButton)
    , m_dismiss(new QPushButton(tr("Dismiss")))
{
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::AlternateBase);
    setAccessibleName(tr("Problem"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(12, 8, 12, 8);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    for (QLabel *label : {m_headline, m_rest}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        words->addWidget(label);
    }
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    m_headline->setFont(bold);
    m_headline->setAccessibleName(tr("What happened"));
    m_rest->setAccessibleName(tr("What was kept and what to do"));
    row->addLayout(words, 1);
    row->addWidget(m_action, 0, Qt::AlignTop);
    row->addWidget(m_dismiss, 0, Qt::AlignTop);
    m_dismiss->setAccessibleName(tr("Dismiss the problem"));
    connect(m_dismiss, &QPushButton::clicked, this, &ErrorBar::dismiss);
    connect(m_action, &QPushButton::clicked, this, &ErrorBar::actionRequested);
    m_action->hide();
    hide();
}

void ErrorBar::showError(const Error &error)
{
    m_headline->setText(part(error.message));
    QStringList rest{part(error.kept), part(error.todo)};
    rest.removeAll(QString());
    m_rest->setText(rest.join(u' '));
    m_rest->setVisible(!rest.isEmpty());
    setAccessibleDescription(text());
    setVisible(true);
}

void ErrorBar::setAction(const QString &text)
{
    m_action->setText(text);
    m_action->setAccessibleName(text);
    m_action->setVisible(!text.isEmpty());
}

QString ErrorBar::text() const
{
    return m_rest->text().isEmpty() ? m_headline->text()
                                    : QString(m_headline->text() + u' ' + m_rest->text());
}

void ErrorBar::dismiss()
{
    setAction({});
    hide();
}

} // namespace Pilothouse
