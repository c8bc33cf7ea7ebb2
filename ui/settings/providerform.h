// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/customprovider.h"
#include "util/error.h"
#include "util/secret.h"

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLineEdit;

namespace Pilothouse {

class Button;
class ErrorBlock;
class Label;

/// The fields of a provider of a person's own.
class ProviderForm : public QWidget {
    Q_OBJECT
public:
    explicit ProviderForm(QWidget *parent = nullptr);

    void begin(); ///< For a new one.
    void edit(const CustomProvider &provider); ///< Its short name stays: conversations know it by that.
    [[nodiscard]] bool isNew() const { return m_isNew; }
    void setCanKeep(bool canKeep); ///< Whether there is a keychain for the key.
    void setBusy(bool busy); ///< Until it is known whether it was taken.
    void setProblem(const Error &error); ///< Why it was not.
    [[nodiscard]] QLineEdit *nameField() const { return m_name; }
    [[nodiscard]] QLineEdit *idField() const { return m_id; }
    [[nodiscard]] QComboBox *protocolBox() const { return m_protocol; }
    [[nodiscard]] QLineEdit *addressField() const { return m_address; }
    [[nodiscard]] QLineEdit *modelsField() const { return m_models; }
    [[nodiscard]] QLineEdit *keyField() const { return m_key; }
    [[nodiscard]] Button *saveButton() const { return m_save; }

Q_SIGNALS:
    void entered(const Pilothouse::CustomProvider &provider, const Pilothouse::Secret &key, bool isNew);
    void cancelled();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    QLineEdit *addField(QGridLayout *grid, const QString &name, const QString &placeholder);
    void proposeId();
    void save();
    void refresh();

    QLineEdit *m_name;
    QLineEdit *m_id;
    QComboBox *m_protocol;
    QLineEdit *m_address;
    QLineEdit *m_models;
    QLineEdit *m_key;
    Label *m_keyNote;
    ErrorBlock *m_error;
    Button *m_save;
    CustomProvider m_before;
    bool m_isNew = true;
    bool m_isIdChosen = false; ///< The person wrote a short name.
};

} // namespace Pilothouse
