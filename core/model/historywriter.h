// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/assistantparts.h"
#include "model/callledger.h"
#include "util/json.h"

namespace Pilothouse {

/// Writes a recorded history out for one service, whatever its protocol: every call is answered before
/// anything else follows, blank texts are left out, and an answer goes back as it came only to the service
/// that gave it. A protocol says how its messages look. Used once per request.
class HistoryWriter {
public:
    virtual ~HistoryWriter() = default;
    Q_DISABLE_COPY_MOVE(HistoryWriter)

    void add(const HistoryItem &item);

protected:
    HistoryWriter(QLatin1StringView protocol, QString provider, QString model, CallIdForm idForm);

    /// Answers the calls of the newest answer, from `outcomes` or saying that they were not run.
    void settle(const QList<ToolOutcome> &outcomes = {});
    [[nodiscard]] CallLedger &ledger() { return m_ledger; }

    [[nodiscard]] virtual bool isEmpty() const = 0;
    virtual void addUser(const QString &text) = 0;
    virtual void addResult(const CallLedger::Result &result) = 0;
    /// An answer of this service; false when `record` is none of this protocol.
    [[nodiscard]] virtual bool addOwn(const HistoryItem &item, const Json &record, bool isSameModel) = 0;
    virtual void addForeign(const QList<AssistantPart> &parts) = 0;

private:
    void addAssistant(const HistoryItem &item);

    QLatin1StringView m_protocol;
    QString m_provider;
    QString m_model;
    CallLedger m_ledger;
};

} // namespace Pilothouse
