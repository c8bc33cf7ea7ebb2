// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/event.h"
#include "util/json.h"

#include <QHash>
#include <QList>
#include <QObject>

namespace Pilothouse {

/// A call that waits for a person.
struct PendingCall {
    QString conversation;
    QString callId;
    QString toolName;
    Json args; ///< Whole, members in the order of the model.
    QString rule; ///< Why it is asked, as a sentence or a rule.
    QString reason;
    qint64 askedMs = 0;
};

/// The calls that wait for a person, in all conversations, from events. Exact: arguments are never cut here,
/// as a person must see all of what is allowed.
class PendingCalls : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    void takeEvents(const EventBatch &events);
    /// Oldest first.
    [[nodiscard]] QList<PendingCall> of(const QString &conversation) const;
    [[nodiscard]] qsizetype count() const { return m_waiting.size(); }

    /// Kinds that matter here, for reading the log after events were missed.
    [[nodiscard]] static QList<EventKind> relevantKinds();

Q_SIGNALS:
    void changed(const QString &conversation);

private:
    void drop(const QString &conversation, const QString &callId);
    [[nodiscard]] bool apply(const Event &event); ///< True if a list changed.

    QHash<QString, PendingCall> m_proposed; ///< By call id, until it is decided.
    QList<PendingCall> m_waiting;
};

} // namespace Pilothouse
