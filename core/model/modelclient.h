// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelrequest.h"
#include "model/streamevent.h"

#include <QObject>

#include <optional>

namespace Pilothouse {

/// One running model request. Lives in the engine thread. Emits events on later event-loop turns; the last
/// one is Stop or Error, after which nothing follows. Destroying it (or abort()) closes the connection and
/// emits nothing more. It never retries: the agent loop does, so that retries are visible.
class ModelStream : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    virtual void abort() = 0; ///< Quiet.
Q_SIGNALS:
    void eventReceived(const Pilothouse::StreamEvent &event);
};

/// A way to ask one provider in one wire protocol. Lives in the engine thread; outlives its streams.
class ModelClient {
public:
    ModelClient() = default;
    virtual ~ModelClient() = default;
    Q_DISABLE_COPY_MOVE(ModelClient)

    [[nodiscard]] virtual QString provider() const = 0; ///< "anthropic", "demo", …
    [[nodiscard]] virtual QString protocol() const = 0; ///< "anthropic-messages", "scripted", …
    /// The stream belongs to `parent`. An unusable request still gives a stream, which ends in Error.
    virtual ModelStream *start(const ModelRequest &request, QObject *parent) = 0;
    /// Step limit that the model itself asks for (a scripted scenario); empty: the engine's default.
    [[nodiscard]] virtual std::optional<int> ownMaxSteps() const { return {}; }
};

} // namespace Pilothouse
