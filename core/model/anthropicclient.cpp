// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropicclient.h"

#include "model/anthropicreader.h"
#include "model/anthropicrequest.h"
#include "model/httpmodelstream.h"
#include "net/networkaccess.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// Reasoning models may be silent for minutes; the vendor sends pings.
constexpr std::chrono::milliseconds HostedFirstByte = 120s;
constexpr std::chrono::milliseconds HostedIdle = 300s;
// A local server loads the model and evaluates the whole prompt first, with or without sending its headers
// before.
constexpr std::chrono::milliseconds LocalFirstByte = 600s;
// The longest real answers are some 30 MiB on the wire.
constexpr qint64 LargestAnswer = 256LL * 1024 * 1024;

} // namespace

AnthropicClient::AnthropicClient(NetworkAccess *network, Endpoint endpoint)
    : m_network(network)
    , m_endpoint(std::move(endpoint))
{ }

QString AnthropicClient::protocol() const { return u"anthropic-messages"_s; }

ModelStream *AnthropicClient::start(const ModelRequest &request, QObject *parent)
{
    auto *stream = new HttpModelStream(std::make_unique<AnthropicReader>(), m_endpoint.key, parent);
    AnthropicRequest builder;
    builder.provider = m_endpoint.provider;
    builder.maxTokens = m_endpoint.maxTokens ? m_endpoint.maxTokens(request.model)
                                             : AnthropicRequest::vendorMaxTokens(request.model);
    builder.hasCacheMarkers = AnthropicRequest::isVendor(m_endpoint.baseUrl);
    const Result<QByteArray, QString> body = builder.body(request);
    if (!body) {
        ApiError error;
        error.category = ApiError::Category::Local;
        error.message = body.error();
        stream->refuse(error);
        return stream;
    }

    const bool isLocal = NetworkAccess::isLoopback(m_endpoint.baseUrl);
    RequestSpec spec;
    spec.method = "POST";
    spec.url = AnthropicRequest::messagesUrl(m_endpoint.baseUrl);
    spec.headers = {{"anthropic-version", "2023-06-01"}, {"Accept", "text/event-stream"}};
    if (!m_endpoint.key.isEmpty())
        spec.secretHeaders = {{"x-api-key", m_endpoint.key}};
    spec.body = *body;
    spec.repeatable = false; // Qt would send it twice by itself when the connection closes without an answer.
    spec.stream = true;
    spec.maxBytes = LargestAnswer;
    spec.firstByteTimeout = isLocal ? LocalFirstByte : HostedFirstByte;
    spec.idleTimeout = isLocal ? LocalFirstByte : HostedIdle;
    stream->follow(m_network->start(spec, Lane::Stream, stream));
    return stream;
}

} // namespace Pilothouse
