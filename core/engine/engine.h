// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/conversationstate.h"
#include "engine/customprovider.h"
#include "engine/engineoptions.h"
#include "engine/keyring.h"
#include "engine/machinechange.h"
#include "engine/services.h"
#include "sandbox/sandboxtypes.h"
#include "util/error.h"
#include "util/event.h"
#include "util/result.h"
#include "util/secret.h"

#include <QObject>
#include <QThread>
#include <QUrl>

#include <functional>
#include <memory>

namespace Pilothouse {

class EngineCore;
class EngineFiles;
class FilesService;

enum class MessageDelivery { Now = 1, AfterStep, AfterTurn };

/// A person's answer to a call that waits for approval.
struct Answer {
    enum class Kind { Approve = 1, Edit, Deny };
    Kind kind = Kind::Deny;
    QString by; ///< user, cli
    QString reason; ///< For Deny.
    QByteArray args; ///< For Edit: JSON object text.
};

/// One line of a self-check.
struct DoctorLine {
    enum class Verdict { Ok = 1, Warning, Problem };
    Verdict verdict = Verdict::Ok;
    QString topic; ///< keychain, store, sandbox, providers, orphans
    QString text;
};

/// The engine as programs and windows see it. The object lives in the caller's thread; the work is done in
/// the engine thread, which it owns. No call blocks but open() and the destructor. Replies run in the
/// caller's thread, unless their context was destroyed.
class Engine : public QObject {
    Q_OBJECT
public:
    template <typename T>
    using Reply = std::function<void(const Result<T, Error> &)>;

    /// Takes ownership of DATA, unless the options say that it only looks. Errors: NotOwner (names the
    /// owner), Storage.
    [[nodiscard]] static Result<std::unique_ptr<Engine>, Error> open(const EngineOptions &options);
    ~Engine()
        override; ///< Turns that still run are left as interrupted; stopAll() first to end them properly.

    /// Makes a conversation; empty members get the defaults. The id is valid at once, the event follows.
    QString createConversation(const ConversationSettings &settings);
    /// Why `text` would be refused as the first message of a conversation with these settings, as far as that
    /// is known without asking: then it is better not made at all.
    [[nodiscard]] std::optional<Error> firstMessageProblem(const ConversationSettings &settings,
                                                           const QString &text) const;
    void submit(const QString &conversation, const QString &text, MessageDelivery delivery, QObject *context,
                Reply<Done> reply);
    void stop(const QString &conversation);
    void stopCall(const QString &conversation, const QString &callId);
    void answer(const QString &conversation, const QString &callId, const Answer &answer, QObject *context,
                Reply<Done> reply);
    void changeSettings(const QString &conversation, const QByteArray &members, QObject *context,
                        Reply<Done> reply);
    void rename(const QString &conversation, const QString &title, QObject *context, Reply<Done> reply);
    void archive(const QString &conversation, bool archived, QObject *context, Reply<Done> reply);
    void remove(const QString &conversation, bool withSandbox, QObject *context, Reply<Done> reply);
    /// A new conversation with the settings of another one under `title`: model, kind of sandbox,
    /// instructions, tools, limits. No message and no machine is copied. Replies with its id.
    void duplicate(const QString &conversation, const QString &title, QObject *context, Reply<QString> reply);
    /// See Conversation::changeMachine().
    void changeMachine(const QString &conversation, MachineChange change, QObject *context,
                       Reply<Done> reply);
    /// See Conversation::releaseMachine(): the next turn makes a new machine.
    void releaseMachine(const QString &conversation, QObject *context, Reply<Done> reply);
    /// Stops every turn by the ladder; the reply comes when all have ended.
    void stopAll(QObject *context, std::function<void()> reply);

    // Sandboxes by hand. `backend` empty: the default one.
    void listSandboxes(const QString &backend, QObject *context, Reply<QList<SandboxInfo>> reply);
    void createSandbox(const QString &backend, const QString &name, QObject *context,
                       Reply<SandboxInfo> reply);
    void pauseSandbox(const QString &backend, const QString &id, QObject *context, Reply<Done> reply);
    void resumeSandbox(const QString &backend, const QString &id, QObject *context, Reply<SandboxInfo> reply);
    void deleteSandbox(const QString &backend, const QString &id, QObject *context, Reply<Done> reply);
    /// Looking (listFiles(), readFile()) wakes nothing: a sandbox that is not active is an error.
    void listFiles(const QString &backend, const QString &id, const QString &path, QObject *context,
                   Reply<FileListing> reply);
    void readFile(const QString &backend, const QString &id, const QString &path, QObject *context,
                  Reply<QByteArray> reply);
    void writeFile(const QString &backend, const QString &id, const QString &path, const QByteArray &bytes,
                   QObject *context, Reply<Done> reply);
    /// Runs a command; `output` as it comes, then `ended` once.
    void execInSandbox(const QString &backend, const QString &id, const QString &command, QObject *context,
                       std::function<void(OutputChannel, const QByteArray &)> output,
                       Reply<CommandOutcome> ended);

    /// Files of machines for windows: exact names, live listings, transfers. Owned by the engine.
    [[nodiscard]] FilesService *files() const;

    /// See fetchPublic(): what stands at an address that a person asked to load.
    void fetchPublic(const QUrl &url, qint64 most, QObject *context, Reply<QByteArray> reply);

    /// Self-check, one line per topic.
    void doctor(QObject *context, std::function<void(const QList<DoctorLine> &)> reply);
    /// What keys and endpoints belong to, and which key is known from where.
    void services(QObject *context, std::function<void(const QList<ServiceInfo> &)> reply);
    /// One request to the service `id` that costs nothing.
    void testService(const QString &id, QObject *context, Reply<ServiceTest> reply);
    /// Done when an agent can work with "provider/model" as far as can be known before the first message: its
    /// name is known, and its service does not say that it cannot use tools. A key that is missing is no
    /// error here. Costs nothing; takes at most a few seconds.
    void checkModel(const QString &model, QObject *context, Reply<Done> reply);
    /// A key of a service in place of the environment variable `variable` (empty: its first): into use at
    /// once, and kept in the keychain if `place` says so. The error says what of that was not done.
    void enterKey(const QString &service, const QString &variable, const Secret &key, KeyRing::Place place,
                  QObject *context, Reply<Done> reply);
    /// What was entered for this session, into the keychain.
    void keepKey(const QString &service, const QString &variable, QObject *context, Reply<Done> reply);
    /// What was entered for the session goes first; then, asked again, what the keychain keeps.
    void forgetKey(const QString &service, const QString &variable, QObject *context, Reply<Done> reply);
    /// Answers proxyLoginWanted(); also unasked. Kept when the proxy has taken it.
    void answerProxy(const QString &origin, const QString &user, const Secret &password,
                     KeyRing::Place place);
    void declineProxy(
        const QString &origin); ///< What waits for it fails. Asked again by the next test or message.
    /// Asks the keychain again for keys that it holds and did not give.
    void loadKeys();
    /// Another address of a service, kept in the settings; empty: its own. The error says what is wrong with
    /// it.
    void setEndpoint(const QString &id, const QString &url, QObject *context, Reply<Done> reply);
    /// A provider of models of a person's own, kept in the settings: a new one, or another state of the one
    /// with this id. The error says which part is wrong.
    void setProvider(const CustomProvider &provider, bool isNew, QObject *context, Reply<Done> reply);
    /// With its key. Conversations that use it cannot go on until it is there again.
    void removeProvider(const QString &id, QObject *context, Reply<Done> reply);
    /// Model servers on this computer. Asks a few ports of loopback, once, and nothing else.
    void findLocalServers(QObject *context, std::function<void(const QList<FoundServer> &)> reply);
    /// What a new conversation would get.
    void defaults(QObject *context, std::function<void(const ConversationSettings &)> reply);

    [[nodiscard]] const QString &dataDir() const { return m_dataDir; }

Q_SIGNALS:
    /// Events as they happen, at most every 33 ms, in order. The batch counts as taken when all slots have
    /// returned.
    void eventsReady(const Pilothouse::EventBatch &events);
    /// Events were dropped for this subscriber only: read anew from the log.
    void lagged();
    /// After the turn-finish event was committed and delivered.
    void turnEnded(const QString &conversation, const QString &reason);
    void storageProblem(const Pilothouse::Error &error);
    /// The proxy `origin` ("http://proxy.example:3128") wants a user name and a password; `wasRefused`:
    /// others than it got. Asked once, however much waits for it. Only with EngineOptions::asksForProxyLogin.
    void proxyLoginWanted(const QString &origin, bool wasRefused);
    void proxyLoginNotKept(const Pilothouse::Error &error); ///< It is in use until the program ends.
    /// True: this computer slept or changed its network while something was in flight, and it is not known
    /// yet what outlived it. False: it is known.
    void reconnecting(bool isReconnecting);
    void keysChanged(); ///< services() and defaults() may have other answers now.

private:
    /// In the engine thread, in order, and once the keys are known.
    void later(std::function<void()> call);
    explicit Engine(const EngineOptions &options);
    /// `reply` as a function for the engine thread: comes back into this thread and checks the context there.
    template <typename T>
    Reply<T> guarded(QObject *context, Reply<T> reply);
    template <typename T, typename Call>
    void withSandbox(const QString &backend, QObject *context, Reply<T> reply, Call call);
    template <typename Call>
    void withConversation(const QString &id, QObject *context, const Reply<Done> &reply, Call call);

    QString m_dataDir;
    QString m_demoScript;
    QThread m_thread;
    EngineCore *m_core = nullptr;
    EngineFiles *m_files = nullptr; ///< Child.
};

} // namespace Pilothouse
