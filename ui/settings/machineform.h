// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/machinechoices.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QPlainTextEdit;

namespace Pilothouse {

class ErrorBlock;
class Label;
class SettingsCard;

/// What new machines of the hosted service are made with: template, time limits, what they may reach. What is
/// typed is taken when its field is left; what cannot be used is said beside it and not taken.
class MachineForm : public QWidget {
    Q_OBJECT
public:
    explicit MachineForm(QWidget *parent = nullptr);

    void setChoices(const MachineChoices &choices);
    void setUsable(bool usable);
    [[nodiscard]] QLineEdit *templateField() const { return m_template.field; }
    [[nodiscard]] QLineEdit *timeoutField() const { return m_timeout.field; }
    [[nodiscard]] QLineEdit *autoDeleteField() const { return m_autoDelete.field; }
    [[nodiscard]] QComboBox *networkBox() const { return m_network; }
    [[nodiscard]] QPlainTextEdit *hostsField() const { return m_hosts; }

Q_SIGNALS:
    void chosen(const Pilothouse::MachineChoices &choices);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Entry {
        QLineEdit *field = nullptr;
        ErrorBlock *error = nullptr;
    };
    Entry addEntry(SettingsCard *card, const QString &name, const QString &hint, const QString &placeholder);
    void addNetwork(SettingsCard *card);
    void showTaken(); ///< In the fields.
    void take();
    void updateNetwork();
    [[nodiscard]] bool isChanged() const;

    MachineChoices m_choices;
    Entry m_template;
    Entry m_timeout;
    Entry m_autoDelete;
    QComboBox *m_network = nullptr;
    QPlainTextEdit *m_hosts = nullptr;
    QWidget *m_hostsBox = nullptr; ///< Around the field.
    Label *m_hostsNote = nullptr;
    ErrorBlock *m_hostsError = nullptr;
    bool m_filling = false; ///< What changes is not the person's doing.
};

} // namespace Pilothouse
