// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/anthropichistory.h"

#include "util/json.h"

#include <QCryptographicHash>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

bool isAllowedInId(QChar c)
{
    return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || (c >= u'0' && c <= u'9') || c == u'_'
        || c == u'-';
}

// Ids of other providers: the protocol allows ^[a-zA-Z0-9_-]+$. The digest keeps different ids different.
QString allowedId(const QString &id)
{
    if (!id.isEmpty() && std::all_of(id.begin(), id.end(), isAllowedInId))
        return id;
    const QByteArray digest =
        QCryptographicHash::hash(id.toUtf8(), QCryptographicHash::Sha256).toHex().left(24);
    return u"call_"_s + QString::fromLatin1(digest);
}

QByteArray textBlock(const QString &text)
{
    return JsonBuilder().add("type"_L1, "text"_L1).add("text"_L1, text).take();
}

QByteArray resultBlock(const QString &id, const QString &content, bool isError)
{
    JsonBuilder block;
    block.add("type"_L1, "tool_result"_L1).add("tool_use_id"_L1, id);
    // An error result must not be empty.
    block.add("content"_L1, isError && content.isEmpty() ? u"The call failed."_s : content);
    if (isError)
        block.add("is_error"_L1, true);
    return block.take();
}

bool isBlank(const QString &text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c.isSpace(); });
}

} // namespace

AnthropicHistory::AnthropicHistory(QString provider, QString model)
    : m_provider(std::move(provider))
    , m_model(std::move(model))
{ }

void AnthropicHistory::add(const HistoryItem &item)
{
    switch (item.kind) {
    case HistoryItem::Kind::User:
        addUser(item.text);
        break;
    case HistoryItem::Kind::Assistant:
        addAssistant(item);
        break;
    case HistoryItem::Kind::ToolResults:
        addResults(item.outcomes);
        break;
    }
}

const QList<AnthropicHistory::Message> &AnthropicHistory::messages()
{
    answerOpenCalls();
    return m_messages;
}

void AnthropicHistory::appendToUser(const QByteArray &block)
{
    if (m_messages.isEmpty() || !m_messages.last().isUser)
        m_messages.append(Message());
    m_messages.last().blocks.append(block);
}

void AnthropicHistory::addUser(const QString &text)
{
    answerOpenCalls();
    if (isBlank(text))
        return; // Refused by the service.
    if (m_isServerToolOpen && !m_messages.isEmpty() && m_messages.last().isUser) {
        // The message after an open server tool may hold results only.
        m_messages.append(Message());
        m_isServerToolOpen = false;
    }
    appendToUser(textBlock(text));
}

AnthropicHistory::Fidelity AnthropicHistory::fidelityOf(const HistoryItem &item) const
{
    if (item.protocol != "anthropic-messages"_L1 || item.provider != m_provider)
        return Fidelity::TextAndCalls;
    return item.model == m_model ? Fidelity::Whole : Fidelity::WithoutThinking;
}

void AnthropicHistory::addAssistant(const HistoryItem &item)
{
    answerOpenCalls();
    if (m_messages.isEmpty())
        return; // A conversation begins with a user.
    m_isServerToolOpen = false;

    // Both forms are one assistant message; any other protocol's raw text means nothing here.
    const bool isKnown = item.protocol == "anthropic-messages"_L1 || item.protocol == "scripted"_L1;
    const Result<Json, JsonError> json = parseJson(isKnown ? QByteArrayView(item.raw) : QByteArrayView("{}"));
    if (!json || !(*json)[u"content"].isArray()) {
        if (!isBlank(item.text))
            m_messages.append(
                {false, "{\"role\":\"assistant\",\"content\":[" + textBlock(item.text) + "]}", {}});
        return;
    }
    const Fidelity fidelity = fidelityOf(item);
    Json kept = Json::array();
    QStringList serverCalls;
    for (const Json &block : (*json)[u"content"].elements()) {
        const QString type = block[u"type"].toString();
        const bool isThinking = type == "thinking"_L1 || type == "redacted_thinking"_L1;
        const bool isPlain =
            (type == "text"_L1 && !block[u"text"].toString().isEmpty()) || type == "tool_use"_L1;
        if ((fidelity != Fidelity::Whole && isThinking) || (fidelity == Fidelity::TextAndCalls && !isPlain))
            continue;
        Json sent = block;
        if (type == "tool_use"_L1) {
            const QString id = block[u"id"].toString();
            const QString sentId = fidelity == Fidelity::TextAndCalls ? allowedId(id) : id;
            if (sentId != id) {
                m_sentIds.insert(id, sentId);
                sent.set(u"id"_s, Json::string(sentId));
            }
            m_openCalls.append(sentId);
        } else if (type == "server_tool_use"_L1) {
            serverCalls.append(block[u"id"].toString());
        } else if (type.endsWith("_tool_result"_L1)) {
            serverCalls.removeAll(block[u"tool_use_id"].toString());
        }
        kept.append(sent);
    }
    m_isServerToolOpen = !serverCalls.isEmpty();
    if (kept.size() == 0)
        return;
    if (fidelity == Fidelity::Whole) {
        m_messages.append({false, item.raw, {}});
        return;
    }
    Json message;
    message.set(u"role"_s, Json::string(u"assistant"_s));
    message.set(u"content"_s, kept);
    m_messages.append({false, message.toJson(), {}});
}

void AnthropicHistory::addResults(const QList<ToolOutcome> &outcomes)
{
    QList<QByteArray> orphans;
    for (const ToolOutcome &outcome : outcomes) {
        const QString id = m_sentIds.value(outcome.providerCallId, outcome.providerCallId);
        const qsizetype open = m_openCalls.indexOf(id);
        if (open >= 0) {
            m_openCalls.removeAt(open);
            appendToUser(resultBlock(id, outcome.content, outcome.isError));
        } else {
            orphans.append(
                textBlock(u"Result of an earlier call of %1:\n%2"_s.arg(outcome.toolName, outcome.content)));
        }
    }
    answerOpenCalls();
    for (const QByteArray &orphan : orphans)
        appendToUser(orphan);
}

void AnthropicHistory::answerOpenCalls()
{
    const QStringList open = std::exchange(m_openCalls, {});
    for (const QString &id : open)
        appendToUser(resultBlock(id, u"This call was not run."_s, true));
}

} // namespace Pilothouse
