// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/endpoints.h"
#include "secrets/keychain.h"
#include "util/error.h"
#include "util/secret.h"

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QSet>

#include <functional>
#include <memory>
#include <vector>

namespace Pilothouse {

/// Every key the engine may use, and where it is from: entered for this session, the environment, or the
/// keychain, in this order. A key goes only to the address it was given for. Which keys the keychain holds
/// (not the keys) stands in DATA/settings.ini, so that it is asked for no other. Engine thread.
class KeyRing : public QObject {
    Q_OBJECT
public:
    enum class Place { Session = 1, Keychain };
    enum class Source { None = 1, Session, Environment, Keychain };
    using Reply = std::function<void(const Result<Done, Error> &)>;

    /// `endpoints` outlives this; `keychain` may be null: then nothing can be kept.
    KeyRing(std::function<QString(const QString &)> environment, const Endpoints *endpoints,
            std::unique_ptr<Keychain> keychain, QString dataDir, QObject *parent = nullptr);
    ~KeyRing() override;

    /// The key for the address that is in use, else the environment variable, else the address that was
    /// chosen in the settings.
    [[nodiscard]] QString environment(const QString &name) const;
    [[nodiscard]] Source sourceOf(const QString &variable) const;
    [[nodiscard]] bool isWithheld(const QString &variable) const; ///< There is one, for another address.
    /// Of a key that the keychain holds for the address in use, and did not give.
    [[nodiscard]] std::optional<Error> problemOf(const QString &variable) const;
    [[nodiscard]] bool hasKeychain() const { return m_keychain != nullptr; }
    [[nodiscard]] bool isSlow() const { return m_isSlow; } ///< The keychain does not answer just now.

    /// Into use at once. Kept in the keychain as well if `place` says so; if that fails it stays in use for
    /// this session, and the error says so.
    void enter(const QString &service, const QString &variable, const Secret &key, Place place, Reply reply);
    /// What was entered for this session, into the keychain.
    void keep(const QString &service, const QString &variable, Reply reply);
    /// What was entered goes first; then, asked again, what the keychain keeps.
    void forget(const QString &service, const QString &variable, Reply reply);

    /// What the keychain holds under a name that no variable stands for; empty: nothing, or it is not read.
    [[nodiscard]] Secret keptFor(const KeyName &name) const;
    void keepFor(const KeyName &name, const Secret &key, Reply reply);

    /// Reads what the keychain holds and is not here yet, also what failed before.
    void load();
    /// When everything is there that the keychain holds, or it has taken too long: now or later.
    void whenLoaded(QObject *context, std::function<void()> then);

Q_SIGNALS:
    void changed(); ///< Keys came or went, or the keychain hangs or answers.

private:
    struct Entered {
        Secret key;
        QByteArray binding; ///< Where it may go; see Endpoints.
    };
    struct Kept {
        Secret key; ///< Empty: not read yet, or it could not be.
        std::optional<Error> problem;
    };
    [[nodiscard]] QList<KeyName> namesOf(const QString &variable) const; ///< For the addresses in use.
    [[nodiscard]] bool hasEntered(const QString &variable) const;
    [[nodiscard]] QString keptKey(const QString &variable) const;
    void store() const; ///< The names.
    void settle();

    std::function<QString(const QString &)> m_environment;
    const Endpoints *m_endpoints;
    std::unique_ptr<Keychain> m_keychain;
    QString m_dataDir;
    QHash<QString, Entered> m_entered; ///< By variable.
    QHash<KeyName, Kept> m_kept;
    QSet<KeyName> m_reading;
    bool m_isSlow = false;
    std::vector<std::pair<QPointer<QObject>, std::function<void()>>> m_whenLoaded;
};

} // namespace Pilothouse
