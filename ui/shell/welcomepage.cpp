// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/welcomepage.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr int TextWidth = 440;
}

WelcomePage::WelcomePage(QWidget *parent)
    : QWidget(parent)
    , m_headline(new QLabel)
    , m_text(new QLabel)
    , m_tour(new QPushButton(tr("Take the tour")))
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    // A column between stretches and not an aligned widget: only then do wrapped labels get the height they
    // need.
    auto *row = new QHBoxLayout(this);
    auto *layout = new QVBoxLayout;
    row->addStretch(1);
    row->addLayout(layout);
    row->addStretch(1);
    layout->setSpacing(8);
    layout->addStretch(2);
    for (QLabel *label : {m_headline, m_text}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignCenter);
        label->setFixedWidth(TextWidth);
        layout->addWidget(label);
    }
    QFont headline = font();
    headline.setWeight(QFont::DemiBold);
    headline.setPointSizeF(headline.pointSizeF() * 1.2);
    m_headline->setFont(headline);
    layout->addSpacing(8);
    m_tour->setMinimumWidth(140);
    layout->addWidget(m_tour, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    m_tour->setAccessibleName(m_tour->text());
    connect(m_tour, &QPushButton::clicked, this, &WelcomePage::tourRequested);
    updateTexts();
}

void WelcomePage::setFirstRun(bool firstRun)
{
    m_firstRun = firstRun;
    updateTexts();
}

void WelcomePage::setModel(const QString &modelText, bool scripted)
{
    m_model = modelText;
    m_scripted = scripted;
    updateTexts();
}

void WelcomePage::setUsable(bool usable)
{
    m_usable = usable;
    updateTexts();
}

void WelcomePage::updateTexts()
{
    m_headline->setText(m_firstRun ? tr("No conversations yet") : tr("No conversation chosen"));
    m_tour->setVisible(m_usable);
    if (!m_usable) {
        m_text->setText(m_firstRun ? QString() : tr("Choose one at the left to read it."));
        return;
    }
    QString text = m_firstRun ? tr("Write below what an agent should do. It works in a sandbox of its own, "
                                   "never on your machine itself.")
                              : tr("Choose one at the left, or write below to start a new one.");
    if (!m_model.isEmpty())
        text += u"\n\n"_s
            + (m_scripted ? tr("No model key is known, so %1 plays: a fixed story, not an AI. The commands "
                               "it runs are real.")
                                .arg(m_model)
                          : tr("A new conversation uses %1.").arg(m_model));
    m_text->setText(text);
}

} // namespace Pilothouse
