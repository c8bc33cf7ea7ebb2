// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "commandline.h"

#include <QCommandLineParser>

namespace Pilothouse::Desktop {

using namespace Qt::StringLiterals;

namespace {

constexpr int UsageError = 2;

const auto Usage = u"pilothouse [OPTIONS]\n\n"
                   "  --tour                      start a conversation that shows the program at work\n"
                   "  --model PROVIDER/MODEL      model of new conversations\n"
                   "  --sandbox BACKEND           sandbox of new conversations: local or superserve\n"
                   "  --data-dir DIR              data folder\n"
                   "  --demo-script FILE          scenario file for demo models\n"
                   "  --superserve-url URL        control plane of Superserve\n"
                   "  --superserve-data-url URL   its data plane, for local services\n"
                   "  --version, --help\n"_s;

CommandLine wrong(const QString &what)
{
    CommandLine line;
    line.exitCode = UsageError;
    line.output = u"pilothouse: "_s + what + u" (pilothouse --help lists the options)\n"_s;
    return line;
}

} // namespace

CommandLine parseCommandLine(const QStringList &arguments)
{
    const QCommandLineOption help(u"help"_s);
    const QCommandLineOption version(u"version"_s);
    const QCommandLineOption tour(u"tour"_s);
    const QCommandLineOption dataDir(u"data-dir"_s, {}, u"DIR"_s);
    const QCommandLineOption sandbox(u"sandbox"_s, {}, u"BACKEND"_s);
    const QCommandLineOption model(u"model"_s, {}, u"MODEL"_s);
    const QCommandLineOption demoScript(u"demo-script"_s, {}, u"FILE"_s);
    const QCommandLineOption superserveUrl(u"superserve-url"_s, {}, u"URL"_s);
    const QCommandLineOption superserveDataUrl(u"superserve-data-url"_s, {}, u"URL"_s);
    QCommandLineParser parser;
    parser.addOptions(
        {help, version, tour, dataDir, sandbox, model, demoScript, superserveUrl, superserveDataUrl});
    if (!parser.parse(arguments))
        return wrong(parser.errorText());
    CommandLine line;
    if (parser.isSet(help) || parser.isSet(version)) {
        line.exitCode = 0;
        line.output = parser.isSet(help) ? Usage : u"pilothouse " PILOTHOUSE_VERSION "\n"_s;
        return line;
    }
    if (!parser.positionalArguments().isEmpty())
        return wrong(u"it takes no argument \"%1\""_s.arg(parser.positionalArguments().constFirst()));
    const QString backend = parser.value(sandbox);
    if (!backend.isEmpty() && backend != "local"_L1 && backend != "superserve"_L1)
        return wrong(u"--sandbox takes local or superserve"_s);
    const QString name = parser.value(model);
    const qsizetype slash = name.indexOf(u'/');
    if (parser.isSet(model) && (slash <= 0 || slash == name.size() - 1))
        return wrong(u"--model takes provider/model, for example anthropic/claude-sonnet-5-5"_s);
    line.tour = parser.isSet(tour);
    line.engine.program = u"pilothouse"_s;
    line.engine.dataDir = defaultDataDir(parser.value(dataDir), processEnvironment);
    line.engine.backend = backend;
    line.engine.superserveUrl = parser.value(superserveUrl);
    line.engine.superserveDataUrl = parser.value(superserveDataUrl);
    line.engine.model = name;
    line.engine.demoScript = parser.value(demoScript);
    line.engine.askAsScripted = true; // There is a person to ask.
    line.engine.asksForProxyLogin = true;
    line.engine.environment = processEnvironment;
    useSystemKeychain(line.engine);
    return line;
}

} // namespace Pilothouse::Desktop
