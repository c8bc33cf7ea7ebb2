// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"
#include "util/secret.h"

#include <QObject>
#include <QString>

#include <functional>

namespace Pilothouse {

/// Which key: what it is for, and the only place it may be sent to.
struct KeyName {
    QString kind; ///< "superserve", or the id of a provider; no slash.
    QString origin; ///< Scheme, host and port, "https://api.anthropic.com"; see originOf().

    [[nodiscard]] QString toString() const { return kind + QLatin1Char('/') + origin; }
    [[nodiscard]] bool isValid() const;
    friend bool operator==(const KeyName &, const KeyName &) = default;
};
[[nodiscard]] size_t qHash(const KeyName &name, size_t seed = 0);

/// Scheme, host (lower case, as it is resolved) and port unless it is the scheme's own; empty if `url` is not
/// an http or https address with a host.
[[nodiscard]] QString originOf(const QUrl &url);

/// Why a keychain did not do what it was asked to.
struct KeychainFault {
    enum class Kind {
        None = 1, ///< No keychain service answers.
        NotThere, ///< It answers and has no such key.
        Locked, ///< It is locked, and nobody was or could be asked to open it.
        Dismissed, ///< The person closed its question or refused.
        NoResult, ///< It took the question and did not answer in time.
        Failed, ///< It refused for a reason of its own.
    };
    Kind kind = Kind::Failed;
    QString detail; ///< In the service's words; bounded and inert.
};

/// The same in words: what happened, what was kept, what to do.
[[nodiscard]] Error keychainError(const KeychainFault &fault);

/// Keys that outlive the program. One thread, the one it lives in; replies come on later event-loop turns,
/// each once, and not at all when their context has died.
class Keychain : public QObject {
    Q_OBJECT
public:
    template <typename T>
    using Reply = std::function<void(const Result<T, KeychainFault> &)>;

    using QObject::QObject;
    virtual void read(const KeyName &name, QObject *context, Reply<Secret> reply) = 0;
    virtual void write(const KeyName &name, const Secret &key, QObject *context, Reply<Done> reply) = 0;
    /// A key that is not there is no fault.
    virtual void erase(const KeyName &name, QObject *context, Reply<Done> reply) = 0;

Q_SIGNALS:
    /// It has not answered for a while, most likely because it asks the person in a window of its own; and
    /// whether that is over.
    void slow(bool isSlow);
};

} // namespace Pilothouse
