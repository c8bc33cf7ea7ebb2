// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/providerscard.h"

#include "settings/providerform.h"
#include "settings/providerrow.h"
#include "settings/settingscard.h"
#include "text/inerttext.h"
#include "theme/controls/button.h"
#include "theme/controls/confirmdialog.h"
#include "theme/controls/label.h"
#include "theme/focus.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype LongestTold = 120;
}

ProvidersCard::ProvidersCard(QWidget *parent)
    : QWidget(parent)
    , m_card(new SettingsCard(tr("Providers of your own")))
    , m_none(new Label(tr("None yet. Any server that speaks one of three protocols can be added by its "
                          "address."),
                       TextStyle::Small, Role::Text2))
    , m_add(new Button(tr("Add a provider…")))
    , m_form(new ProviderForm)
    , m_formBox(new QWidget)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Metrics::SpaceS);
    layout->addWidget(m_card);
    m_none->setWordWrap(true);
    m_none->setContentsMargins(Metrics::SpaceM, Metrics::SpaceM, Metrics::SpaceM, Metrics::SpaceM);
    m_card->addRow(m_none);
    auto *box = new QVBoxLayout(m_formBox);
    box->setContentsMargins(0, 0, 0, 0);
    auto *formCard = new SettingsCard({});
    formCard->addRow(m_form);
    box->addWidget(formCard);
    layout->addWidget(m_formBox);
    m_formBox->hide();
    auto *buttons = new QHBoxLayout;
    m_add->setAccessibleName(tr("Add a provider"));
    buttons->addWidget(m_add);
    buttons->addStretch(1);
    layout->addLayout(buttons);
    connect(m_add, &Button::clicked, this, [this] { openForm({}); });
    connect(m_form, &ProviderForm::cancelled, this, &ProvidersCard::closeForm);
    connect(m_form, &ProviderForm::entered, this, &ProvidersCard::entered);
    setUsable(false);
}

void ProvidersCard::setServices(const QList<ServiceInfo> &services)
{
    QStringList here;
    for (const ServiceInfo &info : services) {
        if (info.kind == ServiceInfo::Kind::Model && !info.keyVariables.isEmpty()) // Others keep no key.
            m_form->setCanKeep(info.canKeep);
        if (!info.isOwn)
            continue;
        here.append(info.id);
        if (ProviderRow *known = m_rows.value(info.id)) {
            known->setInfo(info);
            continue;
        }
        auto *row = new ProviderRow(info);
        row->setUsable(m_usable);
        m_rows.insert(info.id, row);
        connect(row, &ProviderRow::testRequested, this, [this, id = info.id] { Q_EMIT testRequested(id); });
        connect(row, &ProviderRow::editRequested, this, [this, row] {
            const ServiceInfo &shown = row->info();
            openForm(
                {shown.id, shown.name, shown.protocol, shown.endpoint, shown.models, shown.withoutTools});
        });
        connect(row, &ProviderRow::removeRequested, this, [this, row] { askRemove(row->info()); });
        m_card->addRow(row);
    }
    const QStringList shown = m_rows.keys();
    for (const QString &id : shown) {
        if (here.contains(id))
            continue;
        ProviderRow *gone = m_rows.take(id);
        passFocus(gone, m_add);
        m_card->removeRow(gone);
        if (m_edited == id)
            closeForm();
    }
    refresh();
}

void ProvidersCard::refresh()
{
    m_none->setVisible(m_rows.isEmpty());
    m_card->setLineShown(m_none, false);
}

void ProvidersCard::setUsable(bool usable)
{
    m_usable = usable;
    m_add->setEnabled(usable);
    if (!usable)
        m_form->setBusy(false);
    m_form->setEnabled(usable);
    for (ProviderRow *row : std::as_const(m_rows))
        row->setUsable(usable);
}

void ProvidersCard::openForm(const CustomProvider &provider)
{
    m_edited = provider.id;
    m_form->edit(provider);
    m_formBox->show();
    m_form->nameField()->setFocus(Qt::OtherFocusReason);
    passFocus(m_add, m_form->nameField());
    m_add->hide(); // One form at a time.
}

void ProvidersCard::closeForm()
{
    ProviderRow *row = m_rows.value(m_edited);
    m_edited.clear();
    m_add->show();
    passFocus(m_formBox, row ? static_cast<QWidget *>(row->editButton()) : m_add);
    m_formBox->hide();
    m_form->begin(); // The key that was typed is not kept in a field that nobody sees.
}

void ProvidersCard::setTested(const QString &id, const Result<ServiceTest, Error> &result)
{
    if (ProviderRow *row = m_rows.value(id))
        row->setTested(result);
}

void ProvidersCard::setSaved(const QString &id, const Result<Done, Error> &result)
{
    Q_UNUSED(id)
    if (result)
        closeForm();
    else
        m_form->setProblem(result.error());
}

void ProvidersCard::setProblem(const QString &id, const Error &error)
{
    if (ProviderRow *row = m_rows.value(id))
        row->setProblem(error);
}

void ProvidersCard::askRemove(const ServiceInfo &info)
{
    ConfirmDialog::Question question;
    question.title = tr("Remove “%1”?").arg(inertLine(info.name, LongestTold));
    question.text =
        tr("Its address, its models and its key are forgotten. Conversations that use it stay and "
           "can go on with another model.");
    question.confirm = tr("Remove");
    auto *dialog = new ConfirmDialog(question, window());
    connect(dialog, &ConfirmDialog::confirmed, this, [this, id = info.id] { Q_EMIT removeRequested(id); });
    dialog->open();
}

} // namespace Pilothouse
