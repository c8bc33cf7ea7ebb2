// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/responsesclient.h"

#include "model/refusedparameters.h"
#include "model/responsesreader.h"
#include "model/responsesrequest.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

ResponsesClient::ResponsesClient(NetworkAccess *network, ModelEndpoint endpoint)
    : m_network(network)
    , m_endpoint(std::move(endpoint))
{
    if (!m_endpoint.refused)
        m_endpoint.refused = std::make_shared<RefusedParameters>();
}

QString ResponsesClient::protocol() const { return u"openai-responses"_s; }

ModelStream *ResponsesClient::start(const ModelRequest &request, QObject *parent)
{
    ResponsesRequest builder;
    builder.provider = m_endpoint.provider;
    builder.isVendor = m_endpoint.provider == "openai"_L1;
    RequestSpec spec;
    spec.url = ResponsesRequest::responsesUrl(m_endpoint.baseUrl);
    const QString place = refusalPlace(spec.url, request.model);
    builder.without = m_endpoint.refused->at(place);
    if (!m_endpoint.key.isEmpty())
        spec.secretHeaders = {{"Authorization", bearer(m_endpoint.key)}};
    return startModelRequest(m_network, m_endpoint, std::make_unique<ResponsesReader>(), spec,
                             builder.body(request), ResponsesRequest::optional(), place, parent);
}

} // namespace Pilothouse
