// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/confirmdialog.h"

#include "theme/controls/button.h"
#include "theme/controls/label.h"
#include "theme/metrics.h"

#include <QCheckBox>
#include <QHBoxLayout>

namespace Pilothouse {

namespace {
constexpr int TextWidth = 440;
}

ConfirmDialog::ConfirmDialog(const Question &question, QWidget *parent)
    : QDialog(parent)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(question.confirm);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(Metrics::SpaceXl, Metrics::SpaceL, Metrics::SpaceXl, Metrics::SpaceL);
    layout->setSpacing(Metrics::SpaceS);
    layout->setSizeConstraint(QLayout::SetFixedSize);
    auto *title = new Label(question.title, TextStyle::Title);
    auto *text = new Label(question.text, TextStyle::Body, Role::Text2);
    for (Label *label : {title, text}) {
        label->setWordWrap(true);
        label->setFixedWidth(TextWidth);
        layout->addWidget(label);
    }
    if (!question.option.isEmpty()) {
        layout->addSpacing(Metrics::SpaceXs);
        m_option = new QCheckBox(question.option);
        m_option->setAccessibleName(question.option);
        m_option->setChecked(true);
        layout->addWidget(m_option);
        auto *follows = new Label(question.optionOn, TextStyle::Small, Role::Text2);
        follows->setWordWrap(true);
        follows->setFixedWidth(TextWidth);
        layout->addWidget(follows);
        connect(m_option, &QCheckBox::toggled, follows, [follows, question](bool on) {
            follows->setText(on ? question.optionOn : question.optionOff);
        });
    }
    layout->addSpacing(Metrics::SpaceS);
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    auto *cancel = new Button(tr("Cancel"));
    auto *confirm = new Button(question.confirm, Button::Kind::Danger);
    for (Button *button : {cancel, confirm})
        button->setAutoDefault(true); // Enter presses the one that has the focus.
    cancel->setAccessibleName(cancel->text());
    confirm->setAccessibleName(confirm->text());
    row->addWidget(cancel);
    row->addWidget(confirm);
    layout->addLayout(row);
    setAccessibleName(question.title);
    setAccessibleDescription(question.text);
    connect(cancel, &Button::clicked, this, &QDialog::reject);
    connect(confirm, &Button::clicked, this, [this] {
        Q_EMIT confirmed(m_option && m_option->isChecked());
        accept();
    });
    cancel->setFocus();
}

} // namespace Pilothouse
