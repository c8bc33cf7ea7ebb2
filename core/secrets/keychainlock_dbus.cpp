// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "secrets/keychainlock.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr int AnswerLimitMs = 2000; // A property is answered at once or not at all.
}

void KeychainLock::ask(std::function<void(std::optional<bool>)> reply)
{
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) {
        QMetaObject::invokeMethod(
            this, [reply] { reply(std::nullopt); }, Qt::QueuedConnection);
        return;
    }
    QDBusMessage question = QDBusMessage::createMethodCall(u"org.freedesktop.secrets"_s,
                                                           u"/org/freedesktop/secrets/aliases/default"_s,
                                                           u"org.freedesktop.DBus.Properties"_s, u"Get"_s);
    question.setArguments({u"org.freedesktop.Secret.Collection"_s, u"Locked"_s});
    auto *watcher = new QDBusPendingCallWatcher(bus.asyncCall(question, AnswerLimitMs), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [reply](QDBusPendingCallWatcher *answered) {
        answered->deleteLater();
        const QDBusPendingReply<QDBusVariant> answer = *answered;
        if (answer.isError() || answer.value().variant().typeId() != QMetaType::Bool)
            reply(std::nullopt);
        else
            reply(answer.value().variant().toBool());
    });
}

} // namespace Pilothouse
