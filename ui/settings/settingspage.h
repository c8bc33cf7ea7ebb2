// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/appsettings.h"
#include "engine/engine.h"
#include "engine/machinechoices.h"
#include "store/datausage.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QListWidget;
class QSpinBox;
class QStackedWidget;
class QVBoxLayout;

namespace Pilothouse {

class Button;
class ElidedLabel;
class EndpointRow;
class KeyRow;
class Label;
class LocalModels;
class MachineForm;
class ProvidersCard;
class Segmented;
class SettingsCard;

/// The settings as a page of the window. Shows what it is given and says what the person chose; knows nothing
/// of where that goes.
class SettingsPage : public QWidget {
    Q_OBJECT
public:
    /// What new conversations get, as stored; empty or 0: nobody chose.
    struct Stored {
        QString model;
        QString backend;
        QString afterTurn;
        int maxSteps = 0;
    };

    explicit SettingsPage(QWidget *parent = nullptr);

    void showSection(const QString &name); ///< keys, endpoints, local, new, appearance, data
    [[nodiscard]] QString section() const;
    void focusSections();
    void setUsable(bool usable); ///< Whether anything can be changed or tested.
    void setServices(const QList<ServiceInfo> &services);
    /// Why an address that was entered was not taken.
    void setEndpointProblem(const QString &id, const Error &error);
    void setKeyProblem(const QString &id, const Error &error);
    void setTested(const QString &id, const Result<ServiceTest, Error> &result);
    void setStored(const Stored &stored);
    void setMachines(const MachineChoices &machines);
    [[nodiscard]] MachineForm *machineForm() const { return m_machines; }
    [[nodiscard]] ProvidersCard *providersCard() const { return m_providers; }
    [[nodiscard]] LocalModels *localModels() const { return m_local; }
    void setAppearance(AppSettings::Appearance appearance);
    void setDataDir(const QString &dataDir);
    void setUsage(const Result<DataUsage, Error> &usage);
    void setDoctor(const QList<DoctorLine> &lines);
    [[nodiscard]] QComboBox *moreProviders() const { return m_more; }
    [[nodiscard]] KeyRow *keyRow(const QString &id) const;
    [[nodiscard]] EndpointRow *endpointRow(const QString &id) const;

Q_SIGNALS:
    void left();
    void testRequested(const QString &id);
    void keyEntered(const QString &id, const QString &variable, const Pilothouse::Secret &key,
                    Pilothouse::KeyRing::Place place);
    void keepRequested(const QString &id, const QString &variable);
    void forgetRequested(const QString &id, const QString &variable);
    void keychainRequested();
    void providerWanted(const QString &id); ///< One that is not listed, to be seen among the others.
    void providerUnwanted(const QString &id); ///< One that is listed for no other reason, to go again.
    void endpointEntered(const QString &id, const QString &address); ///< Empty: its own.
    void storedChosen(const Pilothouse::SettingsPage::Stored &stored);
    void machinesChosen(const Pilothouse::MachineChoices &machines);
    void appearanceChosen(Pilothouse::AppSettings::Appearance appearance);
    void dataRequested(); ///< The page of data is looked at: how large is it?
    void doctorRequested();
    void conversationRequested(const QString &id);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QVBoxLayout *addSection(const QString &name, const QString &icon, const QString &title,
                            const QString &intro);
    void makeKeys();
    void makeEndpoints();
    void makeLocal();
    void makeNew();
    void makeAppearance();
    void makeData();
    void fillKeys(const QList<ServiceInfo> &services);
    void fillMore(const QList<ServiceInfo> &services);
    void fillEndpoints(const QList<ServiceInfo> &services);
    void fillModels(const QList<ServiceInfo> &services);
    void orderTabs(); ///< Tab goes down each page, also through rows that joined it later.
    void choose();
    void find(const QString &wanted); ///< Shows the sections that hold it.

    QWidget *m_side; ///< What stands at the left: the way back, and the sections.
    QLineEdit *m_find;
    QListWidget *m_sections;
    QStackedWidget *m_pages;
    SettingsCard *m_sandboxKeys = nullptr;
    SettingsCard *m_modelKeys = nullptr;
    QComboBox *m_more = nullptr;
    QString m_wanted; ///< The provider whose row is to be shown as soon as it is there.
    SettingsCard *m_endpoints = nullptr;
    ProvidersCard *m_providers = nullptr;
    LocalModels *m_local = nullptr;
    MachineForm *m_machines = nullptr;
    QHash<QString, KeyRow *> m_keys;
    QHash<QString, EndpointRow *> m_endpointRows;
    QComboBox *m_model = nullptr;
    QComboBox *m_backend = nullptr;
    QComboBox *m_afterTurn = nullptr;
    QSpinBox *m_maxSteps = nullptr;
    Segmented *m_appearance = nullptr;
    ElidedLabel *m_dataDir = nullptr;
    Label *m_size = nullptr;
    SettingsCard *m_heaviest = nullptr;
    SettingsCard *m_checks = nullptr;
    Button *m_check = nullptr;
    Stored m_stored;
    bool m_usable = false;
    bool m_filling = false; ///< What changes is not the person's doing.
};

} // namespace Pilothouse
