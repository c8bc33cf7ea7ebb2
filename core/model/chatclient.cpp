// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/chatclient.h"

#include "model/chatreader.h"
#include "model/chatrequest.h"
#include "model/refusedparameters.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

ChatClient::ChatClient(NetworkAccess *network, ModelEndpoint endpoint)
    : m_network(network)
    , m_endpoint(std::move(endpoint))
{
    if (!m_endpoint.refused)
        m_endpoint.refused = std::make_shared<RefusedParameters>();
}

QString ChatClient::protocol() const { return u"openai-chat"_s; }

ModelStream *ChatClient::start(const ModelRequest &request, QObject *parent)
{
    ChatRequest builder{m_endpoint.provider, ChatDialect::find(m_endpoint.provider, m_endpoint.baseUrl)};
    RequestSpec spec;
    spec.url = ChatRequest::completionsUrl(m_endpoint.baseUrl);
    const QString place = refusalPlace(spec.url, request.model);
    builder.without = m_endpoint.refused->at(place);
    if (!m_endpoint.key.isEmpty())
        spec.secretHeaders = {{"Authorization", bearer(m_endpoint.key)}};
    return startModelRequest(m_network, m_endpoint, std::make_unique<ChatReader>(), spec,
                             builder.body(request), ChatRequest::optional(), place, parent);
}

} // namespace Pilothouse
