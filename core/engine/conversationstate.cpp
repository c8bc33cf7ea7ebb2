// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/conversationstate.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

QByteArray ConversationSettings::toPayload() const
{
    Json names = Json::array();
    for (const QString &name : tools)
        names.append(Json::string(name));
    return JsonBuilder()
        .add("title"_L1, title)
        .add("provider"_L1, provider)
        .add("model"_L1, model)
        .add("backend"_L1, backend)
        .add("sandboxName"_L1, sandboxName)
        .add("instructions"_L1, instructions)
        .add("tools"_L1, names)
        .add("afterTurn"_L1, afterTurn)
        .add("maxSteps"_L1, maxSteps)
        .add("approval"_L1, approval)
        .take();
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
        if (sandboxState == "creating"_L1) {
            openAttempt = payload[u"attemptToken"].toString();
            sandboxId.clear();
        } else if (sandboxState == "deleted"_L1) {
            sandboxId.clear();
            openAttempt.clear();
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
