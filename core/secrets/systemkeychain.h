// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "secrets/keychain.h"

#include <QTimer>

#include <chrono>
#include <deque>
#include <memory>

namespace Pilothouse {

class KeychainLock;

/// The keychain of the desktop or the system, through QtKeychain. Its jobs share one queue in the process and
/// cannot be taken back, so one runs at a time; while one hangs in a question to the person the others wait,
/// and each is given up on after its own time.
class SystemKeychain final : public Keychain {
    Q_OBJECT
public:
    struct Times {
        std::chrono::milliseconds slow{3000}; ///< Until slow() is told.
        /// For a person who is asked by the service; then NoResult. A later answer is not waited for.
        std::chrono::milliseconds limit{120'000};
    };
    explicit SystemKeychain(QObject *parent = nullptr);
    SystemKeychain(QString service, Times times, QObject *parent = nullptr);
    ~SystemKeychain() override;

    void read(const KeyName &name, QObject *context, Reply<Secret> reply) override;
    void write(const KeyName &name, const Secret &key, QObject *context, Reply<Done> reply) override;
    void erase(const KeyName &name, QObject *context, Reply<Done> reply) override;

private:
    enum class Action { Read = 1, Write, Erase };
    struct Question;

    void ask(std::shared_ptr<Question> question);
    void next();
    void onAnswered(const std::shared_ptr<Question> &question, int error, const QString &words,
                    const Secret &key);
    void conclude(const std::shared_ptr<Question> &question, const Result<Secret, KeychainFault> &outcome);
    void setSlow(bool slow);

    QString m_service;
    Times m_times;
    std::deque<std::shared_ptr<Question>> m_waiting;
    std::shared_ptr<Question> m_running; ///< Whose job has not ended, even when it was given up on.
    KeychainLock *m_lock;
    QTimer m_slowTimer;
    bool m_isSlow = false;
};

} // namespace Pilothouse
