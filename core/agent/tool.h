// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelrequest.h"
#include "sandbox/sandboxtypes.h"
#include "util/json.h"

#include <QObject>

#include <optional>

namespace Pilothouse {

class SandboxClient;

/// What a tool may know of the place it runs in. The sandbox id is the only thing about the sandbox in here;
/// the client stays inside the process and never reaches a log or a model.
struct ToolContext {
    SandboxClient *sandbox = nullptr;
    QString sandboxId;
    QString callId; ///< Ours; travels as PH_CALL.
};

/// How a call ended.
struct ToolEnd {
    QByteArray
        result; ///< JSON text, an object or a string: exactly what the model receives. Bounded by the tool.
    bool isError = false; ///< The model is told that the call failed (an exit code is no failure).
    std::optional<int> exitCode;
    bool truncated = false; ///< The model received less than there was.
    qint64 leftOutBytes = 0; ///< How much less, if truncated.
    bool outcomeKnown = true;
    bool stopped = false; ///< Ended because it was stopped.
    bool timedOut = false; ///< Ended by the time limit of a call.
    bool machineInDoubt = false; ///< What went wrong may be the machine's own state: worth a look at it.
};

/// One running call. Emits output* and then finished exactly once, on later event-loop turns; owned by its
/// parent.
class ToolRun : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Stop by the ladder: signal, then force, each rung told by receipt(). finished() follows when the end
    /// was seen, or with outcomeKnown = false when it was not; then freezing the machine is up to the caller.
    /// `why` is what the model is told; empty: the user stopped it.
    virtual void stop(const QString &why) = 0;
Q_SIGNALS:
    void output(Pilothouse::OutputChannel channel, const QByteArray &bytes);
    void receipt(const QString &rung, const QString &text); ///< What stop() did so far, for the log.
    void finished(const Pilothouse::ToolEnd &end);
};

/// A tool that a model may call. Stateless; lives in the engine thread.
class Tool {
public:
    Tool() = default;
    virtual ~Tool() = default;
    Q_DISABLE_COPY_MOVE(Tool)

    [[nodiscard]] virtual QString name() const = 0; ///< The key: on the wire, in events.
    [[nodiscard]] virtual QString id() const { return name(); } ///< Also answers to this name.
    [[nodiscard]] virtual QString description() const = 0;
    [[nodiscard]] virtual QByteArray inputSchema()
        const = 0; ///< JSON text; members in the order they are sent.
    [[nodiscard]] virtual bool isExclusive() const { return false; } ///< Runs alone, not beside other calls.
    /// What is wrong with arguments that pass the schema, for the model to read; empty if nothing.
    [[nodiscard]] virtual QString argumentProblem(const Json & /*args*/) const { return {}; }
    /// One bounded line that says what the call does ("bash: pytest -q"), for lists.
    [[nodiscard]] virtual QString summary(const Json &args) const = 0;
    /// Starts a call whose arguments were checked.
    virtual ToolRun *start(const Json &args, const ToolContext &context, QObject *parent) const = 0;

    [[nodiscard]] ToolSpec spec() const { return {name(), description(), inputSchema()}; }
};

} // namespace Pilothouse
