// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "controlplane.h"
#include "dataplane.h"
#include "eventloop.h"
#include "httpserver.h"
#include "leases.h"
#include "options.h"
#include "router.h"
#include "sandboxes.h"
#include "tokens.h"
#include "util/result.h"
#include "util/secret.h"

#include <QByteArray>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace Pilothouse {

enum class ExitCode { Ok = 0, Internal = 1, Usage = 2, PortTaken = 3, NoConfinement = 4, Storage = 8 };

/// Why the program ends before it serves: a code for scripts, and for people what happened and what to do.
struct StartError {
    ExitCode code = ExitCode::Internal;
    QString message;
};

/// The running program: owns the loop and every part, from the lock on the data folder to the last process.
class Service {
public:
    explicit Service(const ServiceOptions &options);
    ~Service();
    Q_DISABLE_COPY_MOVE(Service)

    /// Serves until a signal comes or nobody needs it any more. `ready` gets the line for stdout.
    [[nodiscard]] std::optional<StartError> run(const Secret &key,
                                                const std::function<void(const QByteArray &)> &ready);

private:
    [[nodiscard]] std::optional<StartError> prepareFolder();
    [[nodiscard]] std::optional<StartError> findConfinement();
    [[nodiscard]] QString probe(const Confinement &confinement);
    [[nodiscard]] std::optional<StartError> serve(const Secret &key);
    [[nodiscard]] std::optional<StartError> writeEndpoint();
    void shutDown();

    ServiceOptions m_options;
    EventLoop m_loop;
    UniqueFd m_lock;
    SandboxContext m_context;
    Timer m_shutdownTimer;
    std::optional<Tokens> m_tokens;
    std::unique_ptr<Sandboxes> m_sandboxes;
    std::unique_ptr<ControlPlane> m_control;
    std::unique_ptr<DataPlane> m_data;
    std::unique_ptr<Leases> m_leases;
    std::unique_ptr<Router> m_router;
    std::unique_ptr<HttpServer> m_server;
    bool m_isShuttingDown = false;
};

/// The key from the file (0600, ours) or, without one, from SUPERSERVE_API_KEY, which is then taken out of
/// the environment.
[[nodiscard]] Result<Secret, StartError> readKey(const ServiceOptions &options);

} // namespace Pilothouse
