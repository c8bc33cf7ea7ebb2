// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/chatclient.h"

#include "model/chatreader.h"
#include "model/chatrequest.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

ChatClient::ChatClient(NetworkAccess *network, ModelEndpoint endpoint)
    : m_network(network)
    , m_endpoint(std::move(endpoint))
{ }

QString ChatClient::protocol() const { return u"openai-chat"_s; }

ModelStream *ChatClient::start(const ModelRequest &request, QObject *parent)
{
    const ChatRequest builder{m_endpoint.provider,
                              ChatDialect::find(m_endpoint.provider, m_endpoint.baseUrl)};
    RequestSpec spec;
    spec.url = ChatRequest::completionsUrl(m_endpoint.baseUrl);
    if (!m_endpoint.key.isEmpty())
        spec.secretHeaders = {{"Authorization", bearer(m_endpoint.key)}};
    return startModelRequest(m_network, m_endpoint, std::make_unique<ChatReader>(), spec,
                             builder.body(request), parent);
}

} // namespace Pilothouse
