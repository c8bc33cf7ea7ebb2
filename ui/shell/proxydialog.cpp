// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/proxydialog.h"

#include "text/inerttext.h"
#include "theme/controls/button.h"
#include "theme/controls/label.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLineEdit>

namespace Pilothouse {

namespace {

constexpr int ProxyTextWidth = 440;
constexpr qsizetype LongestOrigin = 200;
constexpr int LongestLogin = 1000;

} // namespace

ProxyDialog::ProxyDialog(const QString &origin, bool wasRefused, bool canKeep, QWidget *parent)
    : QDialog(parent)
    , m_user(new QLineEdit)
    , m_password(new QLineEdit)
{
    setAttribute(Qt::WA_DeleteOnClose);
    const QString title = wasRefused ? tr("The proxy refused that login") : tr("The proxy wants a login");
    const QString about =
        tr("Connections to the internet go through %1, as this system is set up, and it asks who "
           "you are. What waits for it goes on when you sign in; when you cancel, it fails and "
           "nothing is sent again by itself.")
            .arg(inertLine(origin, LongestOrigin));
    setWindowTitle(title);
    setAccessibleName(title);
    setAccessibleDescription(about);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(Metrics::SpaceXl, Metrics::SpaceL, Metrics::SpaceXl, Metrics::SpaceL);
    layout->setSpacing(Metrics::SpaceS);
    layout->setSizeConstraint(QLayout::SetFixedSize);
    auto *head = new Label(title, TextStyle::Title);
    auto *text = new Label(about, TextStyle::Body, Role::Text2);
    for (Label *label : {head, text}) {
        label->setWordWrap(true);
        label->setFixedWidth(ProxyTextWidth);
        layout->addWidget(label);
    }
    layout->addSpacing(Metrics::SpaceXs);
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(Metrics::SpaceM);
    grid->setVerticalSpacing(Metrics::SpaceS);
    grid->setColumnStretch(1, 1);
    const auto add = [grid](QLineEdit *field, const QString &name) {
        auto *label = new Label(name, TextStyle::Body);
        label->setBuddy(field);
        field->setAccessibleName(name);
        field->setMaxLength(LongestLogin);
        field->setMinimumHeight(Theme::instance().px(Metrics::Input));
        const int row = grid->rowCount();
        grid->addWidget(label, row, 0);
        grid->addWidget(field, row, 1);
    };
    add(m_user, tr("User name"));
    add(m_password, tr("Password"));
    m_password->setEchoMode(QLineEdit::Password);
    m_password->setInputMethodHints(Qt::ImhHiddenText | Qt::ImhNoPredictiveText | Qt::ImhNoAutoUppercase
                                    | Qt::ImhSensitiveData);
    layout->addLayout(grid);
    if (canKeep) {
        m_keep = new QCheckBox(tr("Keep it in the keychain when the proxy has taken it"));
        m_keep->setAccessibleName(m_keep->text());
        m_keep->setChecked(true);
        layout->addWidget(m_keep);
    }
    layout->addSpacing(Metrics::SpaceS);
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    auto *cancel = new Button(tr("Cancel"));
    auto *signIn = new Button(tr("Sign in"), Button::Kind::Primary);
    for (Button *button : {cancel, signIn}) {
        button->setAccessibleName(button->text());
        row->addWidget(button);
    }
    cancel->setAutoDefault(true);
    signIn->setDefault(true); // Enter in a field signs in.
    layout->addLayout(row);
    const auto refresh = [this, signIn] { signIn->setEnabled(!m_user->text().isEmpty()); };
    connect(m_user, &QLineEdit::textChanged, this, refresh);
    refresh();
    connect(cancel, &Button::clicked, this, &QDialog::reject);
    connect(signIn, &Button::clicked, this, [this] {
        Q_EMIT entered(m_user->text(), Secret(m_password->text().toUtf8()), m_keep && m_keep->isChecked());
        m_password->clear();
        accept();
    });
    m_user->setFocus();
}

} // namespace Pilothouse
