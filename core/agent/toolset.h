// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "agent/tool.h"

#include <QList>

#include <memory>

namespace Pilothouse {

/// The tools of one conversation, in the order in which the model is told of them.
class ToolSet {
public:
    ToolSet() = default;
    explicit ToolSet(QList<std::shared_ptr<Tool>> tools)
        : m_tools(std::move(tools))
    { }

    /// The built-in tools by name (bash, writeFile, readFile), in the order given; unknown names are left
    /// out.
    [[nodiscard]] static ToolSet builtIn(const QStringList &names);
    [[nodiscard]] static QStringList builtInNames();

    [[nodiscard]] const Tool *find(const QString &name) const; ///< By name, then by id; null if neither.
    [[nodiscard]] QStringList names() const;
    [[nodiscard]] QList<ToolSpec> specs() const;

private:
    QList<std::shared_ptr<Tool>> m_tools;
};

} // namespace Pilothouse
