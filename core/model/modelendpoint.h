// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelclient.h"
#include "net/requestspec.h"
#include "util/result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace Pilothouse {

class NetworkAccess;
class RefusedParameters;
class StreamReader;

/// How long a service may be silent. Empty: as long as a hosted or a local model may need.
struct ModelTiming {
    std::optional<std::chrono::milliseconds> firstByte;
    std::optional<std::chrono::milliseconds> idle; ///< Between two pieces of an answer.
    std::optional<std::chrono::milliseconds> linger; ///< See HttpModelStream::Linger.
};

/// Where a client asks, and with what.
struct ModelEndpoint {
    QString provider;
    QUrl baseUrl; ///< With or without /v1. Only to it does `key` go.
    Secret key; ///< Empty: none is sent.
    std::function<int(const QString &model)> maxTokens; ///< Output limit of a model; may be empty.
    ModelTiming timing;
    std::shared_ptr<RefusedParameters>
        refused; ///< What the clients of all turns learn. Null: one of its own.
};

/// The service refuses larger requests before it reads them; refused here with a better sentence.
constexpr qsizetype LargestModelRequest = 32 * 1024 * 1024;

/// `base` and `path` ("/models") with one slash between. A base on loopback without a path gets /v1, since
/// all local servers have their interface there; with `isVersioned`, any base that does not end in /v1 does.
[[nodiscard]] QUrl modelUrl(const QUrl &base, const QString &path, bool isVersioned = false);

/// The value of an Authorization header.
[[nodiscard]] Secret bearer(const Secret &key);

/// `[a,b,c]` of JSON texts.
[[nodiscard]] QByteArray joinedArray(const QList<QByteArray> &items);

/// `json`, or why it cannot be sent.
[[nodiscard]] Result<QByteArray, QString> checkedModelRequest(QByteArray json);
[[nodiscard]] QString noMessageText();

/// The network part that all protocols share: posts `body` once, never follows a redirect, waits as long as a
/// hosted or a local model may need. `body` without a value ends the stream in that error and sends nothing.
/// `spec` gives address and headers, `optional` the parameters that an answer need not have: one that the
/// service refuses is remembered for `place`, and its name stands in the error event.
[[nodiscard]] ModelStream *startModelRequest(NetworkAccess *network, const ModelEndpoint &endpoint,
                                             std::unique_ptr<StreamReader> reader, RequestSpec spec,
                                             const Result<QByteArray, QString> &body,
                                             const QStringList &optional, const QString &place,
                                             QObject *parent);

/// Under which a service's refusals are remembered.
[[nodiscard]] QString refusalPlace(const QUrl &url, const QString &model);

} // namespace Pilothouse
