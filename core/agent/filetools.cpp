// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "agent/filetools.h"

#include "sandbox/sandboxclient.h"
#include "text/excerpt.h"

#include <QTimer>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype PathLength = 120;
// A model does not read megabytes: larger files are refused with the advice to take a part of them.
constexpr qint64 LargestRead = 4 * 1024 * 1024;
constexpr qsizetype FileHeadBytes = 64 * 1024;
constexpr qsizetype FileTailBytes = 16 * 1024;

QString pathRule(const QString &path)
{
    const QString problem = SandboxClient::pathProblem(path);
    return problem.isEmpty() ? QString()
                             : u"The path \"%1\" was refused: %2"_s.arg(path.left(PathLength), problem);
}

/// A file call as a tool run: one request, one answer. It cannot be taken back once sent, so stop() waits for
/// the answer, which the client bounds in time.
class FileRun final : public ToolRun {
public:
    using ToolRun::ToolRun;
    void stop(const QString & /*why*/) override { m_stopping = true; }
    void end(ToolEnd toolEnd)
    {
        toolEnd.stopped = m_stopping;
        Q_EMIT finished(toolEnd);
    }
    void fail(const QString &what, const ApiError &error)
    {
        ToolEnd toolEnd;
        toolEnd.isError = true;
        toolEnd.outcomeKnown = !error.outcomeUnknown;
        // A file that is not there has the same status as a machine that is not there.
        toolEnd.machineInDoubt = error.outcomeUnknown || error.category == ApiError::Category::Gone
            || error.category == ApiError::Category::Conflict
            || error.category == ApiError::Category::Overloaded
            || error.message.contains("sandbox"_L1, Qt::CaseInsensitive);
        const QString text = error.outcomeUnknown
            ? u"Outcome unknown: %1 was sent and no answer came (%2). Look before you repeat it."_s.arg(
                what, error.message)
            : u"%1 failed: %2"_s.arg(what, error.message);
        toolEnd.result = Json::string(text).toJson();
        end(toolEnd);
    }

private:
    bool m_stopping = false;
};

} // namespace

QString WriteFileTool::name() const { return u"writeFile"_s; }

QString WriteFileTool::id() const { return u"write-file"_s; }

QString WriteFileTool::description() const
{
    return u"Write a text file in the sandbox. Use an absolute path."_s;
}

QByteArray WriteFileTool::inputSchema() const
{
    return "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\","
           "\"properties\":{\"path\":{\"type\":\"string\"},\"content\":{\"type\":\"string\"}},"
           "\"required\":[\"path\",\"content\"],\"additionalProperties\":false}";
}

QString WriteFileTool::argumentProblem(const Json &args) const { return pathRule(args[u"path"].toString()); }

QString WriteFileTool::summary(const Json &args) const
{
    return u"writeFile: "_s + args[u"path"].toString().left(PathLength);
}

ToolRun *WriteFileTool::start(const Json &args, const ToolContext &context, QObject *parent) const
{
    auto *run = new FileRun(parent);
    const QString path = args[u"path"].toString();
    const QString content = args[u"content"].toString();
    context.sandbox->writeFile(
        context.sandboxId, path, content.toUtf8(), run,
        [run, path, count = content.size()](const Result<Done, ApiError> &reply) {
            if (!reply) {
                run->fail(u"Writing %1"_s.arg(path), reply.error());
                return;
            }
            ToolEnd end;
            end.result = Json::string(u"Wrote %1 characters to %2"_s.arg(count).arg(path)).toJson();
            run->end(end);
        });
    return run;
}

QString ReadFileTool::name() const { return u"readFile"_s; }

QString ReadFileTool::id() const { return u"read-file"_s; }

QString ReadFileTool::description() const
{
    return u"Read a text file from the sandbox. Use an absolute path."_s;
}

QByteArray ReadFileTool::inputSchema() const
{
    return "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\","
           "\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"],\"additionalProperties\":"
           "false}";
}

QString ReadFileTool::argumentProblem(const Json &args) const { return pathRule(args[u"path"].toString()); }

QString ReadFileTool::summary(const Json &args) const
{
    return u"readFile: "_s + args[u"path"].toString().left(PathLength);
}

ToolRun *ReadFileTool::start(const Json &args, const ToolContext &context, QObject *parent) const
{
    auto *run = new FileRun(parent);
    const QString path = args[u"path"].toString();
    context.sandbox->readFile(context.sandboxId, path, LargestRead, run,
                              [run, path](const Result<QByteArray, ApiError> &reply) {
                                  if (!reply) {
                                      run->fail(u"Reading %1"_s.arg(path), reply.error());
                                      return;
                                  }
                                  Excerpt excerpt(FileHeadBytes, FileTailBytes);
                                  excerpt.append(*reply);
                                  ToolEnd end;
                                  end.truncated = excerpt.isTruncated();
                                  end.leftOutBytes = excerpt.leftOutBytes();
                                  end.result = JsonBuilder().add("content"_L1, excerpt.toText()).take();
                                  run->end(end);
                              });
    return run;
}

} // namespace Pilothouse
