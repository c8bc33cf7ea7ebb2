// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/emptystate.h"

#include "theme/controls/label.h"
#include "theme/metrics.h"

#include <QVBoxLayout>

namespace Pilothouse {

EmptyState::EmptyState(const QString &headline, const QString &text, QWidget *parent)
    : QWidget(parent)
    , m_headline(new Label(headline, TextStyle::BodyStrong))
    , m_text(new Label(text, TextStyle::Small, Role::Text2))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(Metrics::SpaceXl, Metrics::SpaceL, Metrics::SpaceXl, Metrics::SpaceL);
    layout->setSpacing(Metrics::SpaceXs);
    layout->addStretch(1);
    for (Label *label : {m_headline, m_text}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    layout->addStretch(1);
    setTexts(headline, text);
}

void EmptyState::setTexts(const QString &headline, const QString &text)
{
    m_headline->setText(headline);
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    setAccessibleName(headline);
    setAccessibleDescription(text);
}

} // namespace Pilothouse
