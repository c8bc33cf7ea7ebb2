// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

#include <QString>

namespace Pilothouse {

/// How a conversation treats calls that no rule decides.
enum class ApprovalMode { Allow = 1, Ask, Deny };

[[nodiscard]] QString approvalModeName(ApprovalMode mode); ///< allow, ask, deny
[[nodiscard]] ApprovalMode approvalModeFromName(const QString &name, ApprovalMode fallback);

struct PolicyVerdict {
    enum class Kind { Allow = 1, Ask, Deny };
    Kind kind = Kind::Ask;
    QString rule; ///< Which rule decided, in words.
};

/// Decides on each call before it runs. Pure; all calls of a step are judged before any runs.
class Policy {
public:
    explicit Policy(ApprovalMode mode = ApprovalMode::Allow, bool honourScriptedAsk = false)
        : m_mode(mode)
        , m_honourScriptedAsk(honourScriptedAsk)
    { }
    /// `scriptedAsk`: the scripted demo model marked this call as one to ask about (window only).
    [[nodiscard]] PolicyVerdict judge(const QString &toolName, const Json &args, bool scriptedAsk) const;

private:
    ApprovalMode m_mode;
    bool m_honourScriptedAsk;
};

} // namespace Pilothouse
