// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropicclient.h"

#include "model/anthropicreader.h"
#include "model/anthropicrequest.h"
#include "model/refusedparameters.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

AnthropicClient::AnthropicClient(NetworkAccess *network, Endpoint endpoint)
    : m_network(network)
    , m_endpoint(std::move(endpoint))
{
    if (!m_endpoint.refused)
        m_endpoint.refused = std::make_shared<RefusedParameters>();
}

QString AnthropicClient::protocol() const { return u"anthropic-messages"_s; }

ModelStream *AnthropicClient::start(const ModelRequest &request, QObject *parent)
{
    AnthropicRequest builder;
    builder.provider = m_endpoint.provider;
    builder.maxTokens = m_endpoint.maxTokens ? m_endpoint.maxTokens(request.model)
                                             : AnthropicRequest::vendorMaxTokens(request.model);
    builder.hasCacheMarkers = AnthropicRequest::isVendor(m_endpoint.baseUrl);
    RequestSpec spec;
    spec.url = AnthropicRequest::messagesUrl(m_endpoint.baseUrl);
    const QString place = refusalPlace(spec.url, request.model);
    builder.without = m_endpoint.refused->at(place);
    spec.headers = {{"anthropic-version", "2023-06-01"}};
    if (!m_endpoint.key.isEmpty())
        spec.secretHeaders = {{"x-api-key", m_endpoint.key}};
    return startModelRequest(m_network, m_endpoint, std::make_unique<AnthropicReader>(), spec,
                             builder.body(request), AnthropicRequest::optional(), place, parent);
}

} // namespace Pilothouse
