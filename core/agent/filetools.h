// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/tool.h"

namespace Pilothouse {

/// Writes a text file. Result: the text "Wrote N characters to PATH", N in UTF-16 code units.
class WriteFileTool final : public Tool {
public:
    [[nodiscard]] QString name() const override;
    [[nodiscard]] QString id() const override;
    [[nodiscard]] QString description() const override;
    [[nodiscard]] QByteArray inputSchema() const override;
    [[nodiscard]] QString argumentProblem(const Json &args) const override;
    [[nodiscard]] QString summary(const Json &args) const override;
    ToolRun *start(const Json &args, const ToolContext &context, QObject *parent) const override;
};

/// Reads a text file. Result: {content}; a long file is cut in the middle with a mark.
class ReadFileTool final : public Tool {
public:
    [[nodiscard]] QString name() const override;
    [[nodiscard]] QString id() const override;
    [[nodiscard]] QString description() const override;
    [[nodiscard]] QByteArray inputSchema() const override;
    [[nodiscard]] QString argumentProblem(const Json &args) const override;
    [[nodiscard]] QString summary(const Json &args) const override;
    ToolRun *start(const Json &args, const ToolContext &context, QObject *parent) const override;
};

} // namespace Pilothouse
