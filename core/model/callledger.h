// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/callid.h"
#include "model/modelrequest.h"

#include <QHash>
#include <QList>
#include <QSet>
#include <QStringList>

namespace Pilothouse {

/// Calls and their results while a history is written out: every call gets exactly one result right after the
/// answer it stands in, in the order of the calls, since every service refuses the whole conversation
/// otherwise.
class CallLedger {
public:
    /// A result as it goes out.
    struct Result {
        QString id; ///< As sent.
        QString content;
        bool isError = false;
        /// For protocols that have no flag for errors and refuse an empty text.
        [[nodiscard]] QString forText() const;
    };

    explicit CallLedger(CallIdForm form)
        : m_form(form)
    { }

    /// Notes a call of the newest answer; gives the id to send. `isOwn`: the service gave this id itself.
    QString open(const QString &id, bool isOwn);
    [[nodiscard]] bool hasOpen() const { return !m_open.isEmpty(); }
    /// A result for each open call, from `outcomes` or saying that it was not run; none is open afterwards.
    [[nodiscard]] QList<Result> settle(const QList<ToolOutcome> &outcomes = {});
    /// What of `outcomes` answers no open call, as text for the model. To be asked before settle().
    [[nodiscard]] QStringList orphans(const QList<ToolOutcome> &outcomes) const;

private:
    [[nodiscard]] QString sentId(const QString &id) const { return m_sentIds.value(id, id); }

    CallIdForm m_form;
    QStringList m_open; ///< As sent, in the order of the calls.
    QHash<QString, QString> m_sentIds; ///< Recorded to sent, where they differ.
};

} // namespace Pilothouse
