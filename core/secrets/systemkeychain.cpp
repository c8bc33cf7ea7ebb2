// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "secrets/systemkeychain.h"

#include "secrets/keychainlock.h"
#include "text/inerttext.h"

#include <qt6keychain/keychain.h>

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

const auto ServiceName = u"org.pilothouse.Pilothouse"_s;
constexpr qsizetype LongestDetail = 200;
// What is larger is no key; the smallest keychain of all takes about this much.
constexpr qsizetype LargestKey = 2048;
// No person closes a window faster, and a service that cannot ask says so within a tenth of it.
constexpr std::chrono::milliseconds PersonTakes(1000);

} // namespace

struct SystemKeychain::Question {
    Action action = Action::Read;
    KeyName name;
    Secret key; ///< To write.
    QPointer<QObject> context;
    std::function<void(const Result<Secret, KeychainFault> &)> reply; ///< Empty: it was replied to.
    QTimer limit;
    QElapsedTimer running;
};

SystemKeychain::SystemKeychain(QObject *parent)
    : SystemKeychain(ServiceName, Times(), parent)
{ }

SystemKeychain::SystemKeychain(QString service, Times times, QObject *parent)
    : Keychain(parent)
    , m_service(std::move(service))
    , m_times(times)
    , m_lock(new KeychainLock(this))
{
    m_slowTimer.setParent(this);
    m_slowTimer.setSingleShot(true);
    connect(&m_slowTimer, &QTimer::timeout, this, [this] { setSlow(true); });
}

SystemKeychain::~SystemKeychain() = default;

void SystemKeychain::read(const KeyName &name, QObject *context, Reply<Secret> reply)
{
    auto question = std::make_shared<Question>();
    question->name = name;
    question->context = context;
    question->reply = std::move(reply);
    ask(question);
}

void SystemKeychain::write(const KeyName &name, const Secret &key, QObject *context, Reply<Done> reply)
{
    auto question = std::make_shared<Question>();
    question->action = Action::Write;
    question->name = name;
    question->key = key;
    question->context = context;
    question->reply = [reply](const Result<Secret, KeychainFault> &outcome) {
        reply(outcome ? Result<Done, KeychainFault>(Done()) : fail(outcome.error()));
    };
    ask(question);
}

void SystemKeychain::erase(const KeyName &name, QObject *context, Reply<Done> reply)
{
    auto question = std::make_shared<Question>();
    question->action = Action::Erase;
    question->name = name;
    question->context = context;
    question->reply = [reply](const Result<Secret, KeychainFault> &outcome) {
        reply(outcome ? Result<Done, KeychainFault>(Done()) : fail(outcome.error()));
    };
    ask(question);
}

void SystemKeychain::ask(std::shared_ptr<Question> question)
{
    question->limit.setSingleShot(true);
    // Not captured itself: the timer is a part of it.
    const std::weak_ptr<Question> weak = question;
    connect(&question->limit, &QTimer::timeout, this, [this, weak] {
        const std::shared_ptr<Question> late = weak.lock();
        if (!late)
            return;
        const auto at = std::find(m_waiting.cbegin(), m_waiting.cend(), late);
        if (at != m_waiting.cend())
            m_waiting.erase(at);
        conclude(late, fail(KeychainFault{KeychainFault::Kind::NoResult, {}}));
    });
    question->limit.start(m_times.limit);
    m_waiting.push_back(std::move(question));
    QMetaObject::invokeMethod(this, &SystemKeychain::next, Qt::QueuedConnection);
}

void SystemKeychain::next()
{
    if (m_running || m_waiting.empty())
        return;
    const std::shared_ptr<Question> question = m_waiting.front();
    m_waiting.pop_front();
    if (!question->name.isValid() || question->key.reveal().size() > LargestKey
        || (question->action == Action::Write && question->key.isEmpty())) {
        conclude(question,
                 fail(KeychainFault{KeychainFault::Kind::Failed,
                                    u"This is no key, or no address to keep it for."_s}));
        next();
        return;
    }
    m_running = question;
    m_slowTimer.start(m_times.slow);
    question->running.start();
    QKeychain::Job *job = nullptr;
    switch (question->action) {
    case Action::Read:
        job = new QKeychain::ReadPasswordJob(m_service, this);
        break;
    case Action::Write: {
        auto *write = new QKeychain::WritePasswordJob(m_service, this);
        write->setBinaryData(question->key.reveal());
        job = write;
        break;
    }
    case Action::Erase:
        job = new QKeychain::DeletePasswordJob(m_service, this);
        break;
    }
    job->setInsecureFallback(false);
    job->setKey(question->name.toString());
    connect(job, &QKeychain::Job::finished, this, [this, question](QKeychain::Job *ended) {
        Secret key;
        if (const auto *read = qobject_cast<QKeychain::ReadPasswordJob *>(ended))
            key = Secret(read->binaryData());
        onAnswered(question, ended->error(), ended->errorString(), key);
    });
    job->start();
}

void SystemKeychain::onAnswered(const std::shared_ptr<Question> &question, int error, const QString &words,
                                const Secret &key)
{
    using Kind = KeychainFault::Kind;
    const bool wasAsked = m_isSlow || question->running.elapsed() >= PersonTakes.count();
    m_slowTimer.stop();
    setSlow(false);
    m_running.reset();
    const QString detail = inertLine(words, LongestDetail);
    const bool isDoubtful = error == QKeychain::EntryNotFound || error == QKeychain::AccessDenied
        || error == QKeychain::OtherError
        || (error == QKeychain::NoError && question->action == Action::Erase);
    if (!isDoubtful) {
        if (error == QKeychain::NoError)
            conclude(question, key);
        else if (error == QKeychain::AccessDeniedByUser)
            conclude(question, fail(KeychainFault{Kind::Dismissed, detail}));
        else if (error == QKeychain::NoBackendAvailable || error == QKeychain::NotImplemented)
            conclude(question, fail(KeychainFault{Kind::None, detail}));
        else
            conclude(question, fail(KeychainFault{Kind::Failed, detail}));
        next();
        return;
    }
    m_lock->ask([this, question, error, detail, wasAsked,
                 isErase = question->action == Action::Erase](std::optional<bool> isLocked) {
        if (isLocked.value_or(false)) // After a question it is still locked only if the person said no.
            conclude(question, fail(KeychainFault{wasAsked ? Kind::Dismissed : Kind::Locked, detail}));
        else if (isErase && (error == QKeychain::NoError || error == QKeychain::EntryNotFound))
            conclude(question, Secret());
        else if (error == QKeychain::EntryNotFound)
            conclude(question, fail(KeychainFault{Kind::NotThere, {}}));
        else if (error == QKeychain::AccessDenied)
            conclude(question, fail(KeychainFault{Kind::Dismissed, detail}));
        else if (!isLocked && detail.contains("/org/freedesktop/secrets/collection"_L1))
            // A service answers that has no keyring yet: its question whether to make one was answered with
            // no.
            conclude(question, fail(KeychainFault{Kind::Dismissed, {}}));
        else // Without a bus, a service or a collection: the library has one word for all of these.
            conclude(question, fail(KeychainFault{isLocked ? Kind::Failed : Kind::None, detail}));
    });
    next();
}

void SystemKeychain::conclude(const std::shared_ptr<Question> &question,
                              const Result<Secret, KeychainFault> &outcome)
{
    question->limit.stop();
    const auto reply = std::exchange(question->reply, {});
    if (reply && question->context)
        reply(outcome);
}

void SystemKeychain::setSlow(bool slow)
{
    if (m_isSlow == slow)
        return;
    m_isSlow = slow;
    Q_EMIT this->slow(slow);
}

} // namespace Pilothouse
