// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/conversationstate.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// What a person writes by hand into rules; the services take fewer.
constexpr qsizetype MostRules = 256;

Json texts(const QStringList &list)
{
    Json array = Json::array();
    for (const QString &text : list)
        array.append(Json::string(text));
    return array;
}

QStringList texts(const Json &array)
{
    QStringList list;
    for (const Json &text : array.elements()) {
        if (text.isString() && list.size() < MostRules)
            list.append(text.toString());
    }
    return list;
}

} // namespace

QByteArray ConversationSettings::toPayload() const
{
    Json names = Json::array();
    for (const QString &name : tools)
        names.append(Json::string(name));
    JsonBuilder payload;
    payload.add("title"_L1, title)
        .add("provider"_L1, provider)
        .add("model"_L1, model)
        .add("backend"_L1, backend)
        .add("sandboxName"_L1, sandboxName)
        .add("instructions"_L1, instructions)
        .add("tools"_L1, names)
        .add("afterTurn"_L1, afterTurn)
        .add("maxSteps"_L1, maxSteps)
        .add("approval"_L1, approval);
    if (!sandboxTemplate.isEmpty())
        payload.add("sandboxTemplate"_L1, sandboxTemplate);
    if (sandboxTimeoutSeconds)
        payload.add("sandboxTimeoutSeconds"_L1, *sandboxTimeoutSeconds);
    if (sandboxAutoDeleteSeconds)
        payload.add("sandboxAutoDeleteSeconds"_L1, *sandboxAutoDeleteSeconds);
    if (!network.allowOut.isEmpty())
        payload.add("networkAllow"_L1, texts(network.allowOut));
    if (!network.denyOut.isEmpty())
        payload.add("networkDeny"_L1, texts(network.denyOut));
    return payload.take();
}

void ConversationSettings::applyMembers(const Json &payload)
{
    const auto text = [&payload](QStringView key, QString &target) {
        if (payload[key].isString())
            target = payload[key].toString();
    };
    text(u"title", title);
    text(u"provider", provider);
    text(u"model", model);
    text(u"backend", backend);
    text(u"sandboxName", sandboxName);
    text(u"instructions", instructions);
    text(u"afterTurn", afterTurn);
    text(u"approval", approval);
    text(u"sandboxTemplate", sandboxTemplate);
    const auto seconds = [&payload](const QString &key, std::optional<qint64> &target) {
        if (payload.contains(key)) // null: the engine's own again.
            target = payload[key].toInteger();
    };
    seconds(u"sandboxTimeoutSeconds"_s, sandboxTimeoutSeconds);
    seconds(u"sandboxAutoDeleteSeconds"_s, sandboxAutoDeleteSeconds);
    if (payload[u"networkAllow"].isArray())
        network.allowOut = texts(payload[u"networkAllow"]);
    if (payload[u"networkDeny"].isArray())
        network.denyOut = texts(payload[u"networkDeny"]);
    if (payload[u"maxSteps"].isNumber())
        maxSteps = static_cast<int>(payload[u"maxSteps"].toInteger(0));
    if (payload[u"tools"].isArray()) {
        tools.clear();
        for (const Json &name : payload[u"tools"].elements())
            tools.append(name.toString());
    }
}

QList<EventKind> ConversationState::relevantKinds()
{
    return {EventKind::ConversationCreated, EventKind::ConversationRenamed,  EventKind::ConversationArchived,
            EventKind::ConversationDeleted, EventKind::ConversationSettings, EventKind::SandboxState};
}

void ConversationState::apply(const Event &event)
{
    if (!relevantKinds().contains(event.kind))
        return;
    const Json payload = event.json();
    if (event.kind == EventKind::ConversationDeleted) {
        deleted = true;
    } else if (event.kind == EventKind::ConversationArchived) {
        archived = payload[u"archived"].toBool();
    } else if (event.kind == EventKind::SandboxState) {
        sandboxState = payload[u"state"].toString();
        const bool isNew = sandboxState == "creating"_L1;
        if (isNew || payload[u"backend"].isString())
            sandboxBackend = payload[u"backend"].toString();
        if (isNew || payload[u"origin"].isString())
            sandboxOrigin = payload[u"origin"].toString();
        if (isNew || payload[u"createdAt"].isString())
            sandboxCreatedAt = payload[u"createdAt"].toString();
        if (isNew) {
            openAttempt = payload[u"attemptToken"].toString();
            sandboxId.clear();
        } else if (sandboxState == "deleted"_L1 || sandboxState == "released"_L1) {
            sandboxId.clear();
            openAttempt.clear();
            sandboxBackend.clear();
            sandboxOrigin.clear();
            sandboxCreatedAt.clear();
        } else {
            const QString id = payload[u"sandboxId"].toString();
            if (!id.isEmpty()) {
                sandboxId = id;
                openAttempt.clear();
            } else if (sandboxState == "failed"_L1) {
                openAttempt.clear(); // Refused outright: nothing was made.
            }
        }
    } else {
        settings.applyMembers(payload);
    }
}

} // namespace Pilothouse
