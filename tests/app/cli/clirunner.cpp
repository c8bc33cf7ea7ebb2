// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "clirunner.h"
#include "support/signals.h"

#include <QDir>
#include <QFile>
#include <QProcessEnvironment>

#include <csignal>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

QList<Json> CliResult::lines() const
{
    QList<Json> all;
    for (const QByteArray &line : out.split('\n')) {
        if (!line.isEmpty())
            all.append(parseJson(line).value_or(Json()));
    }
    return all;
}

CliRunner::CliRunner() = default;

CliRunner::~CliRunner()
{
    QFile endpoint(QDir(dataDir()).filePath(u"sandboxd/endpoint.json"_s));
    if (!endpoint.open(QIODevice::ReadOnly))
        return;
    const qint64 pid = parseJson(endpoint.readAll()).value_or(Json())[u"pid"].toInteger(0);
    (void)sendSignal(pid, SIGKILL); // Its sandboxes die with it.
}

void CliRunner::prepare(QProcess *process, const QStringList &arguments) const
{
    process->setProgram(QStringLiteral(PH_PROGRAM_DIR) + u"/pilothouse-cli"_s);
    QStringList all = arguments;
    all << u"--data-dir"_s << dataDir();
    process->setArguments(all);
    QStringList environment = extraEnvironment;
    const QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    for (const QString &name :
         {u"PATH"_s, u"LC_ALL"_s, u"ASAN_OPTIONS"_s, u"UBSAN_OPTIONS"_s, u"LSAN_OPTIONS"_s})
        if (own.contains(name) && extraEnvironment.filter(name + u'=').isEmpty())
            environment << name + u'=' + own.value(name);
    environment << u"HOME="_s + m_files.path();
    process->setEnvironment(environment);
}

CliResult CliRunner::run(const QStringList &arguments, const QByteArray &input, int timeoutMs)
{
    QProcess process;
    prepare(&process, arguments);
    process.start();
    process.write(input);
    process.closeWriteChannel();
    CliResult result;
    if (!process.waitForFinished(timeoutMs)) {
        process.kill();
        process.waitForFinished();
        result.err = "timed out: ";
    }
    result.crashed = process.exitStatus() == QProcess::CrashExit;
    result.exitCode = result.crashed ? -1 : process.exitCode();
    result.out = process.readAllStandardOutput();
    result.err += process.readAllStandardError();
    return result;
}

std::unique_ptr<QProcess> CliRunner::start(const QStringList &arguments, const QString &output)
{
    auto process = std::make_unique<QProcess>();
    prepare(process.get(), arguments);
    if (!output.isEmpty())
        process->setStandardOutputFile(output, QIODevice::Append); // Nothing is emptied: it may be a pipe.
    process->start();
    return process;
}

QString CliRunner::writeFile(const QString &name, const QByteArray &bytes) const
{
    QFile file(QDir(m_files.path()).filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write %s", qPrintable(file.fileName()));
    return file.fileName();
}

QByteArray quickScenario(const QStringList &commands)
{
    QByteArray steps;
    for (const QString &command : commands)
        steps += "{\"events\":[{\"text\":\"Next.\"},{\"call\":{\"name\":\"bash\",\"args\":{\"command\":"
            + Json::string(command).toJson() + "}}}],\"usage\":{\"input\":10,\"output\":5}},";
    return "{\"format\":1,\"name\":\"quick\",\"maxSteps\":50,\"pace\":{\"charsPerSecond\":0},\"turns\":[{"
           "\"steps\":["
        + steps + "{\"events\":[{\"text\":\"Done.\"}]}]}]}";
}

} // namespace Pilothouse::Tests
