// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/modelendpoint.h"

#include "model/httpmodelstream.h"
#include "net/networkaccess.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// Reasoning models may be silent for minutes.
constexpr std::chrono::milliseconds HostedFirstByte = 120s;
constexpr std::chrono::milliseconds HostedIdle = 300s;
// A request for an answer may be made again, so a connection that is silent after this computer slept is
// given up early.
constexpr auto SilenceAfterWake = std::chrono::seconds(3);
// A local server loads the model and evaluates the whole prompt first, with or without sending its headers
// before.
constexpr std::chrono::milliseconds LocalFirstByte = 600s;
// The longest real answers are some 30 MiB on the wire.
constexpr qint64 LargestAnswer = 256LL * 1024 * 1024;

} // namespace

QUrl modelUrl(const QUrl &base, const QString &path, bool isVersioned)
{
    QString whole = base.path(QUrl::FullyEncoded);
    while (whole.endsWith(u'/'))
        whole.chop(1);
    const bool isBareLocal = whole.isEmpty() && NetworkAccess::isLoopback(base);
    if (isBareLocal || (isVersioned && !whole.endsWith("/v1"_L1)))
        whole += "/v1"_L1;
    QUrl url = base;
    url.setPath(whole + path, QUrl::TolerantMode);
    return url;
}

Secret bearer(const Secret &key) { return Secret("Bearer " + key.reveal()); }

QByteArray joinedArray(const QList<QByteArray> &items) { return '[' + items.join(',') + ']'; }

QString noMessageText()
{
    return u"The conversation has no message with text yet. Nothing was sent; write one."_s;
}

Result<QByteArray, QString> checkedModelRequest(QByteArray json)
{
    if (json.size() > LargestModelRequest)
        return fail(u"The conversation has grown to %1 MiB; the model service takes at most 32 MiB. Nothing "
                    u"was sent and "
                    "nothing is lost; start a new conversation, or send a shorter message."_s.arg(
                        json.size() / (1024 * 1024)));
    return json;
}

QString refusalPlace(const QUrl &url, const QString &model) { return url.toString() + u' ' + model; }

ModelStream *startModelRequest(NetworkAccess *network, const ModelEndpoint &endpoint,
                               std::unique_ptr<StreamReader> reader, RequestSpec spec,
                               const Result<QByteArray, QString> &body, const QStringList &optional,
                               const QString &place, QObject *parent)
{
    auto *stream = new HttpModelStream(std::move(reader), endpoint.key, parent);
    if (!body) {
        ApiError error;
        error.category = ApiError::Category::Local;
        error.message = body.error();
        stream->refuse(error);
        return stream;
    }
    if (endpoint.timing.linger)
        stream->setLinger(*endpoint.timing.linger);
    if (endpoint.refused)
        stream->setOptional({optional, *body, place, endpoint.refused});
    const bool isLocal = NetworkAccess::isLoopback(endpoint.baseUrl);
    spec.method = "POST";
    spec.headers.append(qMakePair(QByteArray("Accept"), QByteArray("text/event-stream")));
    spec.body = *body;
    spec.repeatable = false; // Qt would send it twice by itself when the connection closes without an answer.
    spec.stream = true;
    spec.maxBytes = LargestAnswer;
    spec.firstByteTimeout = endpoint.timing.firstByte.value_or(isLocal ? LocalFirstByte : HostedFirstByte);
    spec.idleTimeout = endpoint.timing.idle.value_or(isLocal ? LocalFirstByte : HostedIdle);
    spec.silenceAfterWake = SilenceAfterWake;
    stream->follow(network->start(spec, Lane::Stream, stream));
    return stream;
}

} // namespace Pilothouse
