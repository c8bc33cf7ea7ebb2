// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/providerform.h"

#include "theme/controls/button.h"
#include "theme/controls/errorblock.h"
#include "theme/controls/label.h"
#include "theme/controls/wheelguard.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int FieldNameWidth = 120;
constexpr int LongestField = 2000; // What is too long is refused with words, not cut.
constexpr int LongestModels = 20'000;
constexpr int LongestId = 64;

} // namespace

ProviderForm::ProviderForm(QWidget *parent)
    : QWidget(parent)
    , m_protocol(new QComboBox)
    , m_keyNote(new Label({}, TextStyle::Small, Role::Text2))
    , m_error(new ErrorBlock)
    , m_save(new Button(tr("Save"), Button::Kind::Primary))
{
    const Theme &theme = Theme::instance();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(Metrics::SpaceM, Metrics::SpaceM, Metrics::SpaceM, Metrics::SpaceM);
    layout->setSpacing(Metrics::SpaceS);
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(Metrics::SpaceM);
    grid->setVerticalSpacing(Metrics::SpaceS);
    grid->setColumnMinimumWidth(0, theme.px(FieldNameWidth));
    grid->setColumnStretch(1, 1);
    m_name = addField(grid, tr("Name"), tr("for example: My server"));
    m_id = addField(grid, tr("Short name"), tr("for example: my-server"));
    auto *protocol = new Label(tr("Protocol"), TextStyle::Body);
    protocol->setBuddy(m_protocol);
    m_protocol->setAccessibleName(tr("Protocol"));
    leaveWheelToPage(m_protocol);
    m_protocol->setMinimumHeight(theme.px(Metrics::Input));
    m_protocol->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon); // May be narrower.
    m_protocol->addItem(tr("OpenAI chat completions, which most servers speak"), u"openai-chat"_s);
    m_protocol->addItem(tr("OpenAI responses"), u"openai-responses"_s);
    m_protocol->addItem(tr("Anthropic messages"), u"anthropic-messages"_s);
    grid->addWidget(protocol, grid->rowCount(), 0);
    grid->addWidget(m_protocol, grid->rowCount() - 1, 1);
    m_address = addField(grid, tr("Address"), tr("for example: https://models.example.org/v1"));
    m_address->setInputMethodHints(Qt::ImhUrlCharactersOnly | Qt::ImhNoAutoUppercase
                                   | Qt::ImhNoPredictiveText);
    m_models = addField(grid, tr("Models"), tr("optional: a test asks the server for its list"));
    m_models->setMaxLength(LongestModels);
    m_key = addField(grid, tr("Key"), tr("optional"));
    m_key->setEchoMode(QLineEdit::Password);
    m_key->setInputMethodHints(Qt::ImhHiddenText | Qt::ImhNoPredictiveText | Qt::ImhNoAutoUppercase
                               | Qt::ImhSensitiveData);
    layout->addLayout(grid);
    m_keyNote->setWordWrap(true);
    layout->addWidget(m_keyNote);
    m_error->hide();
    layout->addWidget(m_error);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(Metrics::SpaceS);
    auto *cancel = new Button(tr("Cancel"));
    cancel->setAccessibleName(tr("Cancel editing the provider"));
    m_save->setAccessibleName(tr("Save the provider"));
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_save);
    layout->addLayout(buttons);
    setCanKeep(false);

    connect(m_name, &QLineEdit::textEdited, this, &ProviderForm::proposeId);
    connect(m_id, &QLineEdit::textEdited, this, [this] { m_isIdChosen = !m_id->text().isEmpty(); });
    for (QLineEdit *field : {m_name, m_id, m_address, m_models, m_key}) {
        connect(field, &QLineEdit::textChanged, this, &ProviderForm::refresh);
        connect(field, &QLineEdit::returnPressed, this, &ProviderForm::save);
    }
    connect(m_save, &Button::clicked, this, &ProviderForm::save);
    connect(cancel, &Button::clicked, this, &ProviderForm::cancelled);
    begin();
}

QLineEdit *ProviderForm::addField(QGridLayout *grid, const QString &name, const QString &placeholder)
{
    auto *field = new QLineEdit;
    field->setMinimumHeight(Theme::instance().px(Metrics::Input));
    field->setPlaceholderText(placeholder);
    field->setAccessibleName(name);
    field->setMaxLength(LongestField);
    auto *label = new Label(name, TextStyle::Body);
    label->setBuddy(field);
    const int row = grid->rowCount();
    grid->addWidget(label, row, 0);
    grid->addWidget(field, row, 1);
    return field;
}

void ProviderForm::begin() { edit({}); }

void ProviderForm::edit(const CustomProvider &provider)
{
    m_isNew = provider.id.isEmpty();
    m_isIdChosen = !m_isNew;
    m_before = provider;
    m_name->setText(provider.name);
    m_id->setText(provider.id);
    m_id->setReadOnly(!m_isNew);
    m_id->setToolTip(m_isNew ? QString() : tr("Conversations know it by this, so it stays."));
    m_protocol->setCurrentIndex(std::max(0, m_protocol->findData(provider.protocol)));
    m_address->setText(provider.url);
    m_models->setText(provider.models.join(u", "_s));
    m_key->clear();
    m_key->setPlaceholderText(m_isNew ? tr("optional") : tr("unchanged"));
    m_error->hide();
    setBusy(false);
}

void ProviderForm::setCanKeep(bool canKeep)
{
    m_keyNote->setText(canKeep ? tr("A key goes into the keychain, and only to this address.")
                               : tr("There is no keychain: a key is used until the program ends, and goes "
                                    "only to this address."));
}

void ProviderForm::setBusy(bool busy)
{
    m_save->setBusy(busy);
    refresh();
}

void ProviderForm::setProblem(const Error &error)
{
    setBusy(false);
    m_error->setError(error);
    m_error->show();
}

// "My server" is my-server, until the person writes another short name.
void ProviderForm::proposeId()
{
    static const QRegularExpression other(u"[^a-z0-9]+"_s);
    if (m_isIdChosen)
        return;
    QString id = m_name->text().toLower().replace(other, u"-"_s).left(LongestId);
    while (id.startsWith(u'-'))
        id.remove(0, 1);
    while (id.endsWith(u'-'))
        id.chop(1);
    m_id->setText(id);
}

void ProviderForm::refresh()
{
    m_save->setEnabled(m_save->isBusy()
                       || (!m_id->text().trimmed().isEmpty() && !m_address->text().trimmed().isEmpty()));
}

void ProviderForm::save()
{
    static const QRegularExpression between(u"[\\s,;]+"_s);
    if (m_save->isBusy() || !m_save->isEnabled())
        return;
    CustomProvider provider;
    provider.id = m_id->text().trimmed();
    provider.name = m_name->text().trimmed();
    provider.protocol = m_protocol->currentData().toString();
    provider.url = m_address->text().trimmed();
    provider.models = m_models->text().split(between, Qt::SkipEmptyParts);
    provider.models.removeDuplicates();
    for (const QString &model : std::as_const(m_before.withoutTools)) {
        if (provider.models.contains(model))
            provider.withoutTools.append(model);
    }
    const Secret key(m_key->text().trimmed().toUtf8());
    m_error->hide();
    setBusy(true);
    Q_EMIT entered(provider, key, m_isNew);
}

void ProviderForm::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) { // First the form, then the page.
        Q_EMIT cancelled();
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace Pilothouse
