// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QHash>
#include <QStringList>
#include <QUrl>

#include <functional>

namespace Pilothouse {

class AppSettings;

/// Addresses of services that the person chose in the settings, and which keys may go there. A key belongs
/// to the addresses it was given for: one of the environment never goes to an address of the settings, one
/// that was entered goes only where it would have gone when it was entered. Engine thread.
class Endpoints {
public:
    /// `environment`: the process's own. `superserveOption`: address of the hosted sandbox service from the
    /// command line; empty: none was given.
    Endpoints(std::function<QString(const QString &)> environment, QString superserveOption);

    /// An address that keys and conversations may go to: https, or http on this computer, and nothing but an
    /// address. The error says why not; it does not repeat the text.
    [[nodiscard]] static Result<QUrl, Error> checked(const QString &text);

    void read(const AppSettings &settings);
    /// Stores it; empty: the service's own address again.
    Result<Done, Error> set(const QString &id, const QString &text, AppSettings &settings);

    /// A provider of a person's own, in place of the one with this id: its address is one of the settings.
    void setOwn(const QString &id, const QStringList &keyVariables, const QUrl &url);
    void removeOwn(const QString &id);

    /// The chosen address of a service; empty if nobody chose, or a variable or an option comes first.
    [[nodiscard]] QString chosen(const QString &id) const;
    /// The same, by the variable that would set it.
    [[nodiscard]] QString forVariable(const QString &variable) const;
    /// Services whose keys stand in this variable.
    [[nodiscard]] QStringList servicesOf(const QString &keyVariable) const;
    /// Origin of the address that a service has now, also by a variable or an option; empty: no such service.
    [[nodiscard]] QString originInUse(const QString &id) const;
    /// Where keys of a variable go now, as one value; empty: where they go without any choice.
    [[nodiscard]] QByteArray binding(const QString &keyVariable) const;

private:
    struct Service {
        QString id;
        QString variable; ///< Of its address.
        QStringList keyVariables;
        QList<QUrl> builtIn;
        bool isOwn = false; ///< Of the person.
    };
    [[nodiscard]] QUrl inEffect(const Service &service) const;

    std::function<QString(const QString &)> m_environment;
    QString m_superserveOption;
    QList<Service> m_services;
    QHash<QString, QUrl> m_chosen; ///< By service.
};

} // namespace Pilothouse
