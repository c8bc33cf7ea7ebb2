// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/modelreply.h"
#include "util/json.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace Pilothouse::Tests {

/// What the body of a model request says, whatever the protocol.
class RequestView {
public:
    struct Result {
        QString callId;
        QString text; ///< Without the mark of an error.
        bool isError = false;
    };
    struct Tool {
        QString name;
        QString description;
        Json schema;
    };

    RequestView(ModelProtocol protocol, const Json &body)
        : m_protocol(protocol)
        , m_body(body)
    { }

    [[nodiscard]] QList<Json> entries() const; ///< Messages or items, without instructions.
    [[nodiscard]] QList<Result> results() const; ///< Of all calls so far, in order.
    /// Results behind the last answer.
    [[nodiscard]] QList<Result> lastResults() const;
    [[nodiscard]] QStringList userTexts() const;
    [[nodiscard]] QStringList assistantTexts() const;
    [[nodiscard]] QStringList callIds() const; ///< Of calls in the answers.
    [[nodiscard]] QStringList callNames() const;
    [[nodiscard]] QList<Tool> tools() const;

private:
    [[nodiscard]] QList<Json> calls() const;

    ModelProtocol m_protocol;
    Json m_body;
};

} // namespace Pilothouse::Tests
