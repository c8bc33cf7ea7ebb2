// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace Pilothouse {

/// One thing that is wrong with a tool's arguments.
struct SchemaProblem {
    QStringList path; ///< Member names and indexes from the root; empty for the root.
    QString text; ///< In plain words.
};

/// Checks tool arguments against a JSON Schema (draft 7). Pure.
class SchemaValidator {
public:
    /// Members that the schema does not name are dropped from `args` first, as are nulls of optional members
    /// (models send both). Empty: valid.
    [[nodiscard]] static QList<SchemaProblem> validate(const QByteArray &schema, Json &args);

    /// The object that a model reads when its arguments were refused:
    /// {error: true, message, validationErrors: {errors: [], fields: {NAME: {errors: […], fields: {}}}}}.
    [[nodiscard]] static QByteArray refusal(const QString &toolName, const QList<SchemaProblem> &problems,
                                            const QByteArray &args);
};

} // namespace Pilothouse
