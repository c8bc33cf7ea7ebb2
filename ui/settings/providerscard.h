// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/customprovider.h"
#include "engine/services.h"
#include "util/secret.h"

#include <QHash>
#include <QWidget>

namespace Pilothouse {

class Button;
class Label;
class ProviderForm;
class ProviderRow;
class SettingsCard;

/// Providers of models of a person's own: a row for each, and one form for a new one or for the one that is
/// edited.
class ProvidersCard : public QWidget {
    Q_OBJECT
public:
    explicit ProvidersCard(QWidget *parent = nullptr);

    void setServices(const QList<ServiceInfo> &services); ///< Shows those of the person's own.
    void setUsable(bool usable);
    void setTested(const QString &id, const Result<ServiceTest, Error> &result);
    void setSaved(const QString &id, const Result<Done, Error> &result); ///< What became of `entered`.
    void setProblem(const QString &id, const Error &error); ///< Why it was not removed, or its key not kept.
    [[nodiscard]] ProviderRow *row(const QString &id) const { return m_rows.value(id); }
    [[nodiscard]] ProviderForm *form() const { return m_form; }
    [[nodiscard]] Button *addButton() const { return m_add; }

Q_SIGNALS:
    void entered(const Pilothouse::CustomProvider &provider, const Pilothouse::Secret &key, bool isNew);
    void testRequested(const QString &id);
    void removeRequested(const QString &id);

private:
    void openForm(const CustomProvider &provider); ///< Without an id: for a new one.
    void closeForm();
    void askRemove(const ServiceInfo &info);
    void refresh();

    SettingsCard *m_card;
    Label *m_none;
    Button *m_add;
    ProviderForm *m_form;
    QWidget *m_formBox;
    QHash<QString, ProviderRow *> m_rows;
    QString m_edited; ///< Id of the one that the form is open for.
    bool m_usable = false;
};

} // namespace Pilothouse
