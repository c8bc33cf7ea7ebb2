// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "secrets/keychain.h"

#include <QHash>

#include <memory>
#include <optional>

namespace Pilothouse::Tests {

/// A keychain for tests of what stands on one. What is in it is shared, so that it outlives the program.
class MemoryKeychain final : public Keychain {
public:
    struct Contents {
        QHash<KeyName, QByteArray> keys;
        std::optional<KeychainFault> fault; ///< Set: answers everything with it.
        bool isSilent = false; ///< Does not answer; tells that it is slow at once.
        int reads = 0;
    };
    explicit MemoryKeychain(std::shared_ptr<Contents> contents)
        : m_contents(std::move(contents))
    { }

    void read(const KeyName &name, QObject *context, Reply<Secret> reply) override
    {
        ++m_contents->reads;
        answer(context, [contents = m_contents, name, reply] {
            if (contents->fault)
                reply(fail(*contents->fault));
            else if (contents->keys.contains(name))
                reply(Secret(contents->keys.value(name)));
            else
                reply(fail(KeychainFault{KeychainFault::Kind::NotThere, {}}));
        });
    }
    void write(const KeyName &name, const Secret &key, QObject *context, Reply<Done> reply) override
    {
        answer(context, [contents = m_contents, name, key, reply] {
            if (contents->fault) {
                reply(fail(*contents->fault));
                return;
            }
            contents->keys.insert(name, key.reveal());
            reply(Done());
        });
    }
    void erase(const KeyName &name, QObject *context, Reply<Done> reply) override
    {
        answer(context, [contents = m_contents, name, reply] {
            if (contents->fault) {
                reply(fail(*contents->fault));
                return;
            }
            contents->keys.remove(name);
            reply(Done());
        });
    }

private:
    template <typename Function>
    void answer(QObject *context, Function function)
    {
        if (m_contents->isSilent) {
            QMetaObject::invokeMethod(
                this, [this] { Q_EMIT slow(true); }, Qt::QueuedConnection);
            return;
        }
        QMetaObject::invokeMethod(context, function, Qt::QueuedConnection);
    }

    std::shared_ptr<Contents> m_contents;
};

} // namespace Pilothouse::Tests
