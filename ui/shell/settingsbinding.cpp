// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/settingsbinding.h"

#include "engine/appsettings.h"
#include "settings/localmodels.h"
#include "settings/providerscard.h"
#include "settings/settingspage.h"
#include "shell/workspace.h"
#include "theme/theme.h"

namespace Pilothouse {

SettingsBinding::SettingsBinding(Workspace *workspace, SettingsPage *page)
    : QObject(page)
    , m_workspace(workspace)
    , m_page(page)
{
    page->setDataDir(workspace->dataDir());
    readStored();
    connect(workspace, &Workspace::availabilityChanged, this,
            [this] { m_page->setUsable(m_workspace->canWork()); });
    connect(workspace, &Workspace::servicesChanged, this,
            [this] { m_page->setServices(m_workspace->services()); });
    connect(page, &SettingsPage::testRequested, this, [this](const QString &id) {
        if (Engine *engine = m_workspace->engine())
            engine->testService(id, this, [this, id](const Result<ServiceTest, Error> &result) {
                m_page->setTested(id, result);
                m_workspace->readServices(); // It may have told its models.
            });
    });
    connect(page, &SettingsPage::keyEntered, this,
            [this](const QString &id, const QString &variable, const Secret &key, KeyRing::Place place) {
                if (Engine *engine = m_workspace->engine())
                    engine->enterKey(id, variable, key, place, this, reporting(id));
            });
    connect(page, &SettingsPage::keepRequested, this, [this](const QString &id, const QString &variable) {
        if (Engine *engine = m_workspace->engine())
            engine->keepKey(id, variable, this, reporting(id));
    });
    connect(page, &SettingsPage::forgetRequested, this, [this](const QString &id, const QString &variable) {
        if (Engine *engine = m_workspace->engine())
            engine->forgetKey(id, variable, this, reporting(id));
    });
    connect(page, &SettingsPage::keychainRequested, this, [this] {
        if (Engine *engine = m_workspace->engine())
            engine->loadKeys();
    });
    connect(page, &SettingsPage::providerWanted, this, [this](const QString &id) {
        AppSettings settings(m_workspace->dataDir());
        settings.setShownProviders(settings.shownProviders() + QStringList(id));
        m_workspace->readServices();
    });
    connect(page, &SettingsPage::providerUnwanted, this, [this](const QString &id) {
        AppSettings settings(m_workspace->dataDir());
        QStringList shown = settings.shownProviders();
        shown.removeAll(id);
        settings.setShownProviders(shown);
        m_workspace->readServices();
    });
    connect(page, &SettingsPage::endpointEntered, this, [this](const QString &id, const QString &address) {
        if (Engine *engine = m_workspace->engine())
            engine->setEndpoint(id, address, this, [this, id](const Result<Done, Error> &done) {
                if (!done)
                    m_page->setEndpointProblem(id, done.error());
                m_workspace->readServices();
                m_workspace->readDefaults();
            });
    });
    connect(page, &SettingsPage::storedChosen, this, [this](const SettingsPage::Stored &stored) {
        AppSettings settings(m_workspace->dataDir());
        settings.setModel(stored.model);
        settings.setBackend(stored.backend);
        settings.setAfterTurn(stored.afterTurn);
        settings.setMaxSteps(stored.maxSteps);
        m_workspace->readDefaults();
    });
    connect(page, &SettingsPage::machinesChosen, this, [this](const MachineChoices &machines) {
        AppSettings(m_workspace->dataDir()).setMachines(machines);
        m_workspace->readDefaults();
    });
    bindProviders();
    connect(page, &SettingsPage::appearanceChosen, this, [this](AppSettings::Appearance appearance) {
        AppSettings(m_workspace->dataDir()).setAppearance(appearance);
        applyAppearance(m_workspace->dataDir());
    });
    connect(page, &SettingsPage::dataRequested, this, [this] {
        m_workspace->history()->usage(
            this, [this](const Result<DataUsage, Error> &usage) { m_page->setUsage(usage); });
    });
    connect(page, &SettingsPage::doctorRequested, this, [this] {
        if (Engine *engine = m_workspace->engine())
            engine->doctor(this, [this](const QList<DoctorLine> &lines) { m_page->setDoctor(lines); });
    });
    page->setUsable(workspace->canWork());
}

void SettingsBinding::bindProviders()
{
    ProvidersCard *card = m_page->providersCard();
    connect(card, &ProvidersCard::testRequested, m_page, &SettingsPage::testRequested);
    connect(card, &ProvidersCard::entered, this,
            [this, card](const CustomProvider &provider, const Secret &key, bool isNew) {
                Engine *engine = m_workspace->engine();
                if (!engine)
                    return;
                engine->setProvider(provider, isNew, this,
                                    [this, card, key, id = provider.id](const Result<Done, Error> &done) {
                                        card->setSaved(id, done);
                                        m_workspace->readServices();
                                        m_workspace->readDefaults();
                                        if (done && !key.isEmpty())
                                            enterKey(id, key); // For the address as it is now.
                                    });
            });
    connect(card, &ProvidersCard::removeRequested, this, [this](const QString &id) {
        Engine *engine = m_workspace->engine();
        if (!engine)
            return;
        engine->removeProvider(id, this, [this, id](const Result<Done, Error> &done) {
            if (!done)
                m_page->setKeyProblem(id, done.error());
            m_workspace->readServices();
            m_workspace->readDefaults();
        });
    });
    LocalModels *local = m_page->localModels();
    connect(local, &LocalModels::lookRequested, this, [this, local] {
        if (Engine *engine = m_workspace->engine())
            engine->findLocalServers(this, [this, local](const QList<FoundServer> &servers) {
                local->setFound(servers);
                m_workspace->readServices(); // They told their models.
            });
    });
    connect(local, &LocalModels::chosen, this,
            [this, local](const FoundServer &server, const QString &model) {
                Engine *engine = m_workspace->engine();
                if (!engine)
                    return;
                if (!server.service.isEmpty()) {
                    useModel(server.service, model);
                    return;
                }
                engine->setProvider(
                    server.proposed, true, this,
                    [this, local, model, id = server.proposed.id](const Result<Done, Error> &done) {
                        if (done)
                            useModel(id, model);
                        else
                            local->setProblem(done.error());
                        m_workspace->readServices();
                    });
            });
}

void SettingsBinding::enterKey(const QString &provider, const Secret &key)
{
    if (Engine *engine = m_workspace->engine())
        engine->enterKey(provider, {}, key,
                         m_workspace->canKeepKeys() ? KeyRing::Place::Keychain : KeyRing::Place::Session,
                         this, reporting(provider));
}

void SettingsBinding::useModel(const QString &provider, const QString &model)
{
    const QString name = provider + u'/' + model;
    AppSettings(m_workspace->dataDir()).setModel(name);
    readStored();
    m_page->localModels()->setChosen(name);
    m_workspace->readDefaults();
}

// Keys that change tell so themselves; what is left to tell is why one did not.
std::function<void(const Result<Done, Error> &)> SettingsBinding::reporting(const QString &id)
{
    return [this, id](const Result<Done, Error> &done) {
        if (!done)
            m_page->setKeyProblem(id, done.error());
    };
}

void SettingsBinding::readStored()
{
    const AppSettings settings(m_workspace->dataDir());
    m_page->setStored({settings.model(), settings.backend(), settings.afterTurn(), settings.maxSteps()});
    m_page->setMachines(settings.machines());
    m_page->setAppearance(settings.appearance());
}

void SettingsBinding::applyAppearance(const QString &dataDir)
{
    std::optional<Scheme> scheme;
    switch (AppSettings(dataDir).appearance()) {
    case AppSettings::Appearance::System:
        break;
    case AppSettings::Appearance::Light:
        scheme = Scheme::Light;
        break;
    case AppSettings::Appearance::Dark:
        scheme = Scheme::Dark;
        break;
    case AppSettings::Appearance::HighContrast:
        scheme = Scheme::HighContrast;
        break;
    }
    Theme::instance().force(scheme);
}

} // namespace Pilothouse
