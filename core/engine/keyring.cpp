// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/keyring.h"

#include "engine/appsettings.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Of what the keychain is asked for at the start; the list may have been edited by hand.
constexpr qsizetype MostKept = 64;

} // namespace

KeyRing::KeyRing(std::function<QString(const QString &)> environment, const Endpoints *endpoints,
                 std::unique_ptr<Keychain> keychain, QString dataDir, QObject *parent)
    : QObject(parent)
    , m_environment(std::move(environment))
    , m_endpoints(endpoints)
    , m_keychain(std::move(keychain))
    , m_dataDir(std::move(dataDir))
{
    if (!m_keychain)
        return;
    m_keychain->setParent(nullptr); // Owned by the pointer alone.
    connect(m_keychain.get(), &Keychain::slow, this, [this](bool slow) {
        m_isSlow = slow;
        settle();
        Q_EMIT changed();
    });
    for (const QString &text : AppSettings(m_dataDir).keptKeys().mid(0, MostKept)) {
        const qsizetype slash = text.indexOf(u'/');
        const KeyName name{text.left(slash), text.mid(slash + 1)};
        if (slash > 0 && name.isValid())
            m_kept.insert(name, {});
    }
}

KeyRing::~KeyRing() = default;

QList<KeyName> KeyRing::namesOf(const QString &variable) const
{
    QList<KeyName> names;
    for (const QString &service : m_endpoints->servicesOf(variable))
        names.append({service, m_endpoints->originInUse(service)});
    return names;
}

bool KeyRing::hasEntered(const QString &variable) const
{
    const auto entered = m_entered.constFind(variable);
    return entered != m_entered.constEnd() && entered->binding == m_endpoints->binding(variable);
}

QString KeyRing::keptKey(const QString &variable) const
{
    if (m_kept.isEmpty())
        return {};
    for (const KeyName &name : namesOf(variable)) {
        const auto kept = m_kept.constFind(name);
        if (kept != m_kept.constEnd() && !kept->key.isEmpty())
            return QString::fromUtf8(kept->key.reveal());
    }
    return {};
}

QString KeyRing::environment(const QString &name) const
{
    if (hasEntered(name))
        return QString::fromUtf8(m_entered.value(name).key.reveal());
    const QString own = m_environment ? m_environment(name) : QString();
    if (!own.trimmed().isEmpty() && m_endpoints->binding(name).isEmpty())
        return own;
    if (const QString kept = keptKey(name); !kept.isEmpty())
        return kept;
    return own.trimmed().isEmpty() ? m_endpoints->forVariable(name) : QString();
}

KeyRing::Source KeyRing::sourceOf(const QString &variable) const
{
    if (environment(variable).trimmed().isEmpty())
        return Source::None;
    if (hasEntered(variable))
        return Source::Session;
    const bool isOwn = m_environment && !m_environment(variable).trimmed().isEmpty()
        && m_endpoints->binding(variable).isEmpty();
    return isOwn ? Source::Environment : Source::Keychain;
}

bool KeyRing::isWithheld(const QString &variable) const
{
    const QStringList services = m_endpoints->servicesOf(variable);
    const bool isThere = m_entered.contains(variable)
        || (m_environment && !m_environment(variable).trimmed().isEmpty())
        || std::any_of(m_kept.keyBegin(), m_kept.keyEnd(),
                       [&](const KeyName &name) { return services.contains(name.kind); });
    return isThere && environment(variable).isEmpty() && !problemOf(variable);
}

std::optional<Error> KeyRing::problemOf(const QString &variable) const
{
    if (!environment(variable).trimmed().isEmpty())
        return {};
    for (const KeyName &name : namesOf(variable)) {
        const auto kept = m_kept.constFind(name);
        if (kept == m_kept.constEnd())
            continue;
        if (kept->problem)
            return kept->problem;
        if (m_reading.contains(name))
            return Error{ErrorKind::KeyMissing, u"The keychain has not answered yet."_s,
                         u"The key is in it; nothing was sent."_s,
                         u"Look for a window in which it asks you something, then try again."_s};
    }
    return {};
}

void KeyRing::enter(const QString &service, const QString &variable, const Secret &key, Place place,
                    Reply reply)
{
    m_entered.insert(variable, {key, m_endpoints->binding(variable)});
    Q_EMIT changed();
    if (place == Place::Keychain)
        keep(service, variable, std::move(reply));
    else
        reply(Done());
}

void KeyRing::keep(const QString &service, const QString &variable, Reply reply)
{
    if (!hasEntered(variable)) {
        reply(fail(Error{ErrorKind::KeyMissing, u"No key was entered for the address in use."_s,
                         u"Nothing was stored."_s, u"Enter the key again."_s}));
        return;
    }
    const Secret key = m_entered.value(variable).key;
    const KeyName name{service, m_endpoints->originInUse(service)};
    const auto refuse = [reply](Error error) {
        error.kept = QString(u"The key is in use until the program ends. "_s + error.kept);
        reply(fail(error));
    };
    if (!m_keychain || !name.isValid()) {
        refuse(keychainError({KeychainFault::Kind::None, {}}));
        return;
    }
    m_keychain->write(name, key, this,
                      [this, name, variable, key, reply, refuse](const Result<Done, KeychainFault> &done) {
                          if (!done) {
                              refuse(keychainError(done.error()));
                              return;
                          }
                          m_kept.insert(name, {key, {}});
                          store();
                          // From now on it is the keychain's, unless another one was entered meanwhile.
                          if (const auto entered = m_entered.constFind(variable);
                              entered != m_entered.constEnd() && entered->key.equals(key))
                              m_entered.erase(entered);
                          Q_EMIT changed();
                          reply(Done());
                      });
}

void KeyRing::forget(const QString &service, const QString &variable, Reply reply)
{
    const bool wasEntered = m_entered.remove(variable) > 0;
    const KeyName name{service, m_endpoints->originInUse(service)};
    if (!m_keychain || !m_kept.contains(name) || wasEntered) {
        // What was entered stood before what is kept: that is in use again, and can be forgotten next.
        Q_EMIT changed();
        reply(Done());
        return;
    }
    m_keychain->erase(name, this, [this, name, reply](const Result<Done, KeychainFault> &done) {
        if (!done) {
            Error error = keychainError(done.error());
            error.kept = u"The key is still in the keychain, and in use."_s;
            reply(fail(error));
            return;
        }
        m_kept.remove(name);
        store();
        Q_EMIT changed();
        reply(Done());
    });
    Q_EMIT changed();
}

Secret KeyRing::keptFor(const KeyName &name) const { return m_kept.value(name).key; }

void KeyRing::keepFor(const KeyName &name, const Secret &key, Reply reply)
{
    if (!m_keychain || !name.isValid()) {
        reply(fail(keychainError({KeychainFault::Kind::None, {}})));
        return;
    }
    m_keychain->write(name, key, this, [this, name, key, reply](const Result<Done, KeychainFault> &done) {
        if (!done) {
            reply(fail(keychainError(done.error())));
            return;
        }
        m_kept.insert(name, {key, {}});
        store();
        reply(Done());
    });
}

void KeyRing::load()
{
    if (!m_keychain)
        return;
    for (auto it = m_kept.begin(); it != m_kept.end(); ++it) {
        if (!it->key.isEmpty() || m_reading.contains(it.key()))
            continue;
        const KeyName name = it.key();
        it->problem.reset();
        m_reading.insert(name);
        m_keychain->read(name, this, [this, name](const Result<Secret, KeychainFault> &key) {
            m_reading.remove(name);
            if (const auto kept = m_kept.find(name); kept != m_kept.end()) {
                if (key)
                    kept->key = *key;
                else
                    kept->problem = keychainError(key.error());
            }
            settle();
            Q_EMIT changed();
        });
    }
}

void KeyRing::whenLoaded(QObject *context, std::function<void()> then)
{
    if (m_reading.isEmpty() || m_isSlow) {
        then();
        return;
    }
    m_whenLoaded.emplace_back(context, std::move(then));
}

void KeyRing::settle()
{
    if (!m_reading.isEmpty() && !m_isSlow)
        return;
    for (const auto &[context, then] : std::exchange(m_whenLoaded, {})) {
        if (context)
            then();
    }
}

void KeyRing::store() const
{
    QStringList names;
    for (auto it = m_kept.keyBegin(); it != m_kept.keyEnd(); ++it)
        names.append(it->toString());
    names.sort();
    AppSettings(m_dataDir).setKeptKeys(names);
}

} // namespace Pilothouse
