// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/bashtool.h"

#include "agent/commandrun.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype SummaryLength = 120;
} // namespace

QString BashTool::name() const { return u"bash"_s; }

QString BashTool::description() const { return u"Run a shell command in the sandbox."_s; }

QByteArray BashTool::inputSchema() const
{
    return "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\","
           "\"properties\":{\"command\":{\"type\":\"string\"}},\"required\":[\"command\"],"
           "\"additionalProperties\":false}";
}

QString BashTool::summary(const Json &args) const
{
    return u"bash: "_s + args[u"command"].toString().simplified().left(SummaryLength);
}

ToolRun *BashTool::start(const Json &args, const ToolContext &context, QObject *parent) const
{
    CommandRequest request;
    request.command = args[u"command"].toString();
    request.env.append({u"PH_CALL"_s, context.callId});
    return new CommandRun(request, context, parent);
}

} // namespace Pilothouse
