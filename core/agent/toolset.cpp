// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/toolset.h"

#include "agent/bashtool.h"
#include "agent/filetools.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

ToolSet ToolSet::builtIn(const QStringList &names)
{
    QList<std::shared_ptr<Tool>> tools;
    for (const QString &name : names) {
        if (name == "bash"_L1)
            tools.append(std::make_shared<BashTool>());
        else if (name == "writeFile"_L1)
            tools.append(std::make_shared<WriteFileTool>());
        else if (name == "readFile"_L1)
            tools.append(std::make_shared<ReadFileTool>());
    }
    return ToolSet(tools);
}

QStringList ToolSet::builtInNames() { return {u"bash"_s, u"writeFile"_s, u"readFile"_s}; }

const Tool *ToolSet::find(const QString &name) const
{
    for (const auto &tool : m_tools) {
        if (tool->name() == name)
            return tool.get();
    }
    for (const auto &tool : m_tools) {
        if (tool->id() == name)
            return tool.get();
    }
    return nullptr;
}

QStringList ToolSet::names() const
{
    QStringList all;
    for (const auto &tool : m_tools)
        all.append(tool->name());
    return all;
}

QList<ToolSpec> ToolSet::specs() const
{
    QList<ToolSpec> all;
    for (const auto &tool : m_tools)
        all.append(tool->spec());
    return all;
}

} // namespace Pilothouse
