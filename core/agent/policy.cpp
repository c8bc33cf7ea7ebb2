// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/policy.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

QString approvalModeName(ApprovalMode mode)
{
    switch (mode) {
    case ApprovalMode::Allow:
        return u"allow"_s;
    case ApprovalMode::Ask:
        return u"ask"_s;
    case ApprovalMode::Deny:
        return u"deny"_s;
    }
    return u"ask"_s;
}

ApprovalMode approvalModeFromName(const QString &name, ApprovalMode fallback)
{
    for (const ApprovalMode mode : {ApprovalMode::Allow, ApprovalMode::Ask, ApprovalMode::Deny}) {
        if (approvalModeName(mode) == name)
            return mode;
    }
    return fallback;
}

PolicyVerdict Policy::judge(const QString &, const Json &, bool scriptedAsk) const
{
    if (m_mode == ApprovalMode::Deny)
        return {PolicyVerdict::Kind::Deny, u"this run denies every call"_s};
    if (m_mode == ApprovalMode::Ask)
        return {PolicyVerdict::Kind::Ask, u"this conversation asks before every call"_s};
    if (scriptedAsk && m_honourScriptedAsk)
        return {PolicyVerdict::Kind::Ask, u"the script asks before this call"_s};
    return {PolicyVerdict::Kind::Allow, u"this conversation runs calls freely"_s};
}

} // namespace Pilothouse
