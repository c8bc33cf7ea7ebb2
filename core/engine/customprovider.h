// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>
#include <QStringList>

namespace Pilothouse {

/// A provider of models of a person's own, as it is kept in the settings: an address with a name. Its key is
/// not here.
struct CustomProvider {
    QString id; ///< First part of model names: "my-server".
    QString name;
    QString protocol; ///< anthropic-messages, openai-responses, openai-chat
    QString url;
    QStringList models; ///< Ids that are known, by hand or by its own list.
    QStringList withoutTools; ///< Those of them that cannot use tools, as it said.

    bool operator==(const CustomProvider &) const = default;
};

/// A model server that answered on this computer.
struct FoundServer {
    QString url;
    QString service; ///< Id of the provider that has this address; empty: none yet.
    QString name; ///< What usually listens there, "Ollama".
    CustomProvider proposed; ///< Without a service: the provider it would become.
    QStringList models;
    QStringList withoutTools;
};

} // namespace Pilothouse
