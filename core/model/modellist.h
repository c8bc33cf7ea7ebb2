// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/result.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace Pilothouse {

/// What a service says of one of its models. Empty means that it did not say.
struct ListedModel {
    QString id;
    QString name; ///< For people; the id if there is no other.
    std::optional<qint64> context; ///< Tokens.
    std::optional<qint64> maxOutput; ///< Tokens.
    std::optional<bool> tools; ///< False: cannot call tools, so it is of no use to an agent.
    std::optional<bool> images;
    std::optional<bool> reasoning;
};

/// One page of a service's list.
struct ModelPage {
    QList<ListedModel> models;
    QString next; ///< Anthropic: id after which the next page begins; empty if this is the last.
    bool isCut = false; ///< More models than anybody looks through; the rest was dropped.
};

constexpr qsizetype MostListedModels = 5000;

/// Reads the list of `protocol`. Entries without a usable id, or that cannot chat, are left out; the vendor's
/// own list of openai mixes in other kinds, which are told by their names. What is no list at all is the
/// error text.
[[nodiscard]] Result<ModelPage, QString> parseModelPage(const QString &protocol, const QString &provider,
                                                        const QByteArray &json);
/// Reads Ollama's account of one model (POST /api/show).
[[nodiscard]] Result<ListedModel, QString> parseOllamaModel(const QString &id, const QByteArray &json);

} // namespace Pilothouse
