// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// What stands on each page of the settings.

#include "settings/endpointrow.h"
#include "settings/keyrow.h"
#include "settings/localmodels.h"
#include "settings/machineform.h"
#include "settings/modelitems.h"
#include "settings/providerscard.h"
#include "settings/settingscard.h"
#include "settings/settingspage.h"
#include "text/inerttext.h"
#include "theme/controls/button.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/segmented.h"
#include "theme/controls/wheelguard.h"
#include "theme/focus.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QSpinBox>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestLine = 500; // Of a self-check.
constexpr qsizetype LongestTitle = 120;
constexpr int ControlWidth = 280;
constexpr int NameWidth = 168;

QWidget *namedRow(const QString &name, QLabel *body)
{
    auto *row = new QWidget;
    row->setMinimumHeight(Theme::instance().px(Metrics::SettingsRow));
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceM, Metrics::SpaceS);
    layout->setSpacing(Metrics::SpaceL);
    auto *head = new Label(name, TextStyle::Body);
    head->setFixedWidth(Theme::instance().px(NameWidth));
    layout->addWidget(head);
    layout->addWidget(body, 1);
    return row;
}

QWidget *textRow(const QString &name, const QString &text, TextStyle style = TextStyle::Small)
{
    auto *body = new Label(text, style, Role::Text2);
    body->setWordWrap(true);
    body->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return namedRow(name, body);
}

} // namespace

void SettingsPage::makeKeys()
{
    QVBoxLayout *page =
        addSection(u"keys"_s, u"key-round"_s, tr("Keys"),
                   tr("Keys are kept in the keychain of the desktop, come from environment variables, or are "
                      "entered for this session. Each goes only to the address it was given for, and none is "
                      "ever written to a file, a log, an export or the sandbox."));
    m_sandboxKeys = new SettingsCard(tr("Sandboxes"));
    m_modelKeys = new SettingsCard(tr("Model providers"));
    m_sandboxKeys->addRow(KeyRow::makeHeader(tr("Where")));
    m_modelKeys->addRow(KeyRow::makeHeader(tr("Provider")));
    page->addWidget(m_sandboxKeys);
    page->addWidget(m_modelKeys);
    auto *more = new SettingsCard({});
    m_more = new QComboBox;
    m_more->setFixedWidth(Theme::instance().px(ControlWidth));
    m_more->setMaxVisibleItems(20);
    leaveWheelToPage(m_more);
    more->addSetting(tr("Another provider"),
                     tr("Those that are less used; the one you choose joins the list."), m_more);
    page->addWidget(more);
    connect(m_more, &QComboBox::activated, this, [this](int index) {
        const QString id = m_more->itemData(index).toString();
        if (id.isEmpty())
            return;
        m_wanted = id;
        Q_EMIT providerWanted(id);
    });
    auto *note = new Label(tr("A test sends one request that costs nothing and says what was asked."),
                           TextStyle::Small, Role::Text2);
    note->setWordWrap(true);
    page->addWidget(note);
}

void SettingsPage::makeEndpoints()
{
    QVBoxLayout *page = addSection(u"endpoints"_s, u"plug"_s, tr("Endpoints"),
                                   tr("Where requests go, from the next turn on. Environment variables "
                                      "and options of the command line come first. A key stays with the "
                                      "address it was given for: another address asks for a key anew. "
                                      "Machines of one sandbox service are not found at another."));
    m_providers = new ProvidersCard;
    page->addWidget(m_providers);
    m_endpoints = new SettingsCard(tr("Services that are built in"));
    page->addWidget(m_endpoints);
}

void SettingsPage::makeLocal()
{
    QVBoxLayout *page =
        addSection(u"local"_s, u"cpu"_s, tr("Local models"),
                   tr("Models that run on this computer. They are looked for only when you press the button: "
                      "the usual ports of this computer are asked for their lists of models, and no other "
                      "machine."));
    m_local = new LocalModels;
    page->addWidget(m_local);
}

void SettingsPage::makeNew()
{
    QVBoxLayout *page = addSection(u"new"_s, u"sliders-horizontal"_s, tr("New conversations"),
                                   tr("What a new conversation gets. Options of the command line and "
                                      "environment variables come first. Conversations that are "
                                      "there keep what they have."));
    auto *card = new SettingsCard({});
    m_model = new QComboBox;
    m_backend = new QComboBox;
    m_afterTurn = new QComboBox;
    m_maxSteps = new QSpinBox;
    for (QWidget *box : std::initializer_list<QWidget *>{m_model, m_backend, m_afterTurn, m_maxSteps}) {
        box->setFixedWidth(Theme::instance().px(ControlWidth));
        leaveWheelToPage(box);
    }
    m_model->setMaxVisibleItems(20);
    m_backend->addItem(tr("By the keys that are known"), QString());
    m_backend->addItem(tr("Local sandbox on this computer"), u"local"_s);
    m_backend->addItem(tr("Superserve"), u"superserve"_s);
    m_afterTurn->addItem(tr("Pause it"), u"pause"_s);
    m_afterTurn->addItem(tr("Keep it running"), u"keep"_s);
    m_afterTurn->addItem(tr("Delete it"), u"delete"_s);
    m_maxSteps->setRange(0, AppSettings::MostSteps);
    m_maxSteps->setSpecialValueText(tr("5, or the scenario's own"));
    m_maxSteps->setMinimumHeight(Theme::instance().px(Metrics::Input));
    card->addSetting(tr("Model"), tr("Only models whose key is known are listed."), m_model);
    card->addSetting(tr("Sandbox"), tr("Where commands run. Superserve conversations ask before they act."),
                     m_backend);
    card->addSetting(tr("Machine after a turn"),
                     tr("Pausing keeps files and programs and costs nothing. Deleting loses them."),
                     m_afterTurn);
    card->addSetting(tr("Most steps of a turn"),
                     tr("A turn that reaches it waits for you and loses nothing."), m_maxSteps);
    page->addWidget(card);
    m_machines = new MachineForm;
    page->addWidget(m_machines);
    connect(m_machines, &MachineForm::chosen, this, &SettingsPage::machinesChosen);
    for (QComboBox *box : {m_model, m_backend, m_afterTurn})
        connect(box, &QComboBox::activated, this, &SettingsPage::choose);
    connect(m_maxSteps, &QSpinBox::valueChanged, this, &SettingsPage::choose);
}

void SettingsPage::makeAppearance()
{
    QVBoxLayout *page = addSection(u"appearance"_s, u"palette"_s, tr("Appearance"),
                                   tr("Text size and fonts follow the desktop."));
    auto *card = new SettingsCard({});
    m_appearance =
        new Segmented(tr("Colours"), {tr("As the system"), tr("Light"), tr("Dark"), tr("High contrast")});
    card->addSetting(tr("Colours"), tr("High contrast drops tints and keeps words and shapes."),
                     m_appearance);
    page->addWidget(card);
    connect(m_appearance, &Segmented::chosen, this,
            [this](int index) { Q_EMIT appearanceChosen(static_cast<AppSettings::Appearance>(index + 1)); });
}

void SettingsPage::makeData()
{
    QVBoxLayout *page = addSection(u"data"_s, u"hard-drive"_s, tr("Data"),
                                   tr("Everything is kept on this computer, in one folder. Deleting a "
                                      "conversation gives its space back."));
    auto *card = new SettingsCard({});
    m_dataDir = new ElidedLabel(tr("Data folder"), TextStyle::Mono, Role::Text2);
    m_dataDir->setElideMode(Qt::ElideMiddle);
    m_dataDir->setTextInteractionFlags(Qt::TextSelectableByMouse);
    card->addRow(namedRow(tr("Folder"), m_dataDir));
    m_size = new Label({}, TextStyle::Small, Role::Text2);
    m_size->setWordWrap(true);
    card->addRow(namedRow(tr("Size"), m_size));
    page->addWidget(card);
    m_heaviest = new SettingsCard(tr("Heaviest conversations"));
    m_heaviest->hide();
    page->addWidget(m_heaviest);
    m_checks = new SettingsCard(tr("Self-check"));
    m_check = new Button(tr("Check now"));
    m_check->setAccessibleName(tr("Check keys, log, sandbox and providers now"));
    page->addWidget(m_checks);
    page->addWidget(m_check);
    m_checks->hide();
    connect(m_check, &Button::clicked, this, [this] {
        if (m_check->isBusy())
            return;
        m_check->setBusy(true);
        Q_EMIT doctorRequested();
    });
}

void SettingsPage::setUsable(bool usable)
{
    m_usable = usable;
    if (!usable)
        m_check->setBusy(false); // Nobody will answer.
    for (KeyRow *row : std::as_const(m_keys))
        row->setUsable(usable);
    for (EndpointRow *row : std::as_const(m_endpointRows))
        row->setUsable(usable);
    m_providers->setUsable(usable);
    m_local->setUsable(usable);
    m_machines->setUsable(usable);
    for (QWidget *control :
         std::initializer_list<QWidget *>{m_more, m_model, m_backend, m_afterTurn, m_maxSteps, m_check})
        control->setEnabled(usable);
}

void SettingsPage::setServices(const QList<ServiceInfo> &services)
{
    fillKeys(services);
    fillMore(services);
    fillEndpoints(services);
    m_providers->setServices(services);
    fillModels(services);
    orderTabs();
}

void SettingsPage::fillKeys(const QList<ServiceInfo> &services)
{
    const QStringList shown = m_keys.keys();
    for (const QString &id : shown) {
        const bool isHere = std::any_of(services.cbegin(), services.cend(),
                                        [&id](const ServiceInfo &info) { return info.id == id; });
        if (KeyRow *row = m_keys.value(id); !isHere && (row->info().isOwn || row->info().isChosen)) {
            passFocus(row, m_more); // It was removed.
            m_keys.remove(id);
            m_modelKeys->removeRow(row);
            if (EndpointRow *endpoint = m_endpointRows.take(id))
                m_endpoints->removeRow(endpoint);
        }
    }
    for (const ServiceInfo &info : services) {
        KeyRow *&row = m_keys[info.id];
        if (row) {
            row->setInfo(info);
            continue;
        }
        row = new KeyRow(info);
        row->setUsable(m_usable);
        connect(row, &KeyRow::testRequested, this, &SettingsPage::testRequested);
        connect(row, &KeyRow::keyEntered, this,
                [this, id = info.id](const QString &variable, const Secret &key, KeyRing::Place place) {
                    Q_EMIT keyEntered(id, variable, key, place);
                });
        connect(row, &KeyRow::keepRequested, this,
                [this, id = info.id](const QString &variable) { Q_EMIT keepRequested(id, variable); });
        connect(row, &KeyRow::forgetRequested, this,
                [this, id = info.id](const QString &variable) { Q_EMIT forgetRequested(id, variable); });
        connect(row, &KeyRow::keychainRequested, this, &SettingsPage::keychainRequested);
        connect(row, &KeyRow::unwanted, this, &SettingsPage::providerUnwanted);
        (info.kind == ServiceInfo::Kind::Sandbox ? m_sandboxKeys : m_modelKeys)->addRow(row);
    }
}

void SettingsPage::fillMore(const QList<ServiceInfo> &services)
{
    m_more->clear();
    m_more->addItem(tr("Choose one"), QString());
    for (const ProviderName &provider : unlistedProviders(services))
        m_more->addItem(provider.name, provider.id);
    KeyRow *row = m_keys.value(m_wanted);
    if (m_wanted.isEmpty() || !row)
        return;
    m_wanted.clear();
    row->enterButton()->setFocus(Qt::OtherFocusReason);
}

void SettingsPage::fillEndpoints(const QList<ServiceInfo> &services)
{
    for (const ServiceInfo &info : services) {
        if (info.endpoint.isEmpty() || info.isOwn)
            continue;
        EndpointRow *&row = m_endpointRows[info.id];
        if (row) {
            row->setInfo(info);
            continue;
        }
        row = new EndpointRow(info);
        row->setUsable(m_usable);
        connect(row, &EndpointRow::entered, this, &SettingsPage::endpointEntered);
        m_endpoints->addRow(row);
    }
}

void SettingsPage::setEndpointProblem(const QString &id, const Error &error)
{
    if (EndpointRow *row = m_endpointRows.value(id))
        row->setProblem(error);
}

EndpointRow *SettingsPage::endpointRow(const QString &id) const { return m_endpointRows.value(id); }

void SettingsPage::fillModels(const QList<ServiceInfo> &services)
{
    const QScopedValueRollback<bool> guard(m_filling, true);
    m_model->clear();
    m_model->addItem(tr("By the keys that are known"), QString());
    for (const ServiceInfo &info : services) {
        if (info.kind != ServiceInfo::Kind::Model || info.keySource == ServiceInfo::KeySource::None)
            continue;
        for (const QString &id : info.models) {
            const QString name = info.id + u'/' + id;
            addModelItem(m_model, name, name, !info.withoutTools.contains(id));
        }
    }
    setStored(m_stored);
}

void SettingsPage::setTested(const QString &id, const Result<ServiceTest, Error> &result)
{
    if (KeyRow *row = m_keys.value(id))
        row->setTested(result);
    m_providers->setTested(id, result);
}

void SettingsPage::setKeyProblem(const QString &id, const Error &error)
{
    if (KeyRow *row = m_keys.value(id))
        row->setKeyProblem(error);
    m_providers->setProblem(id, error);
}

KeyRow *SettingsPage::keyRow(const QString &id) const { return m_keys.value(id); }

void SettingsPage::setStored(const Stored &stored)
{
    const QScopedValueRollback<bool> guard(m_filling, true);
    m_stored = stored;
    const auto show = [](QComboBox *box, const QString &value) {
        int at = box->findData(value);
        if (at < 0 && !value.isEmpty()) { // A model whose key is not known now stays the choice.
            box->addItem(value, value);
            at = box->count() - 1;
        }
        box->setCurrentIndex(std::max(at, 0));
    };
    show(m_model, stored.model);
    show(m_backend, stored.backend);
    show(m_afterTurn, stored.afterTurn);
    m_maxSteps->setValue(stored.maxSteps);
}

void SettingsPage::setMachines(const MachineChoices &machines) { m_machines->setChoices(machines); }

void SettingsPage::choose()
{
    if (m_filling)
        return;
    m_stored = {m_model->currentData().toString(), m_backend->currentData().toString(),
                m_afterTurn->currentData().toString(), m_maxSteps->value()};
    Q_EMIT storedChosen(m_stored);
}

void SettingsPage::setAppearance(AppSettings::Appearance appearance)
{
    m_appearance->setCurrent(static_cast<int>(appearance) - 1);
}

void SettingsPage::setDataDir(const QString &dataDir) { m_dataDir->setWords(dataDir); }

void SettingsPage::setUsage(const Result<DataUsage, Error> &usage)
{
    if (!usage) {
        m_size->setText(inertLine(usage.error().message, LongestLine));
        return;
    }
    m_size->setText(tr("%1: log %2, output of commands %3")
                        .arg(bytesText(usage->logBytes + usage->outputBytes), bytesText(usage->logBytes),
                             bytesText(usage->outputBytes)));
    m_heaviest->clear();
    for (const DataUsage::Item &item : usage->heaviest) {
        auto *open = new Button(tr("Open"));
        open->setSmall(true);
        const QString title =
            item.title.isEmpty() ? tr("New conversation") : inertLine(item.title, LongestTitle);
        open->setAccessibleName(tr("Open %1").arg(title));
        connect(open, &Button::clicked, this,
                [this, id = item.conversation] { Q_EMIT conversationRequested(id); });
        m_heaviest->addThing(title, bytesText(item.bytes), open);
    }
    m_heaviest->setVisible(!usage->heaviest.isEmpty());
    orderTabs();
}

void SettingsPage::setDoctor(const QList<DoctorLine> &lines)
{
    m_check->setBusy(false);
    m_checks->clear();
    for (const DoctorLine &line : lines) {
        QString word = tr("works");
        if (line.verdict == DoctorLine::Verdict::Warning)
            word = tr("note");
        else if (line.verdict == DoctorLine::Verdict::Problem)
            word = tr("problem");
        m_checks->addRow(textRow(u"%1: %2"_s.arg(line.topic, word), inertLine(line.text, LongestLine)));
    }
    m_checks->show();
}

} // namespace Pilothouse
