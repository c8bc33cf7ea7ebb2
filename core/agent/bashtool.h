// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/tool.h"

namespace Pilothouse {

/// Runs one shell command in the sandbox, 60 s at most. Result: {stdout, stderr, exitCode} in this order; an
/// exit code other than 0 is an ordinary result.
class BashTool final : public Tool {
public:
    [[nodiscard]] QString name() const override;
    [[nodiscard]] QString description() const override;
    [[nodiscard]] QByteArray inputSchema() const override;
    [[nodiscard]] QString summary(const Json &args) const override;
    ToolRun *start(const Json &args, const ToolContext &context, QObject *parent) const override;
};

} // namespace Pilothouse
