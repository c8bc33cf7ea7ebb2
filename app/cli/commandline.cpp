// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "commandline.h"

#include "console.h"
#include "engine/engine.h"
#include "engine/machinechoices.h"
#include "engine/messagecheck.h"
#include "exitcodes.h"
#include "keycommands.h"
#include "readcommands.h"
#include "runcommand.h"
#include "sandboxcommands.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QFile>
#include <QStringDecoder>

#include <cstdio>
#include <unistd.h>

namespace Pilothouse::Cli {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 ReadPiece = 1024 * 1024;
constexpr qint64 LargestInput =
    64 * 1024 * 1024; // Read from a file or standard input before the engine's own, smaller limit.
constexpr qsizetype LargestInstructions = 4'000'000; // They go into every request, as messages do.

const auto Usage =
    u"pilothouse-cli COMMAND [OPTIONS]\n\n"
    "  run [OPTIONS] PROMPT              one turn; PROMPT \"-\" reads standard input\n"
    "  list [--json]                     conversations\n"
    "  show ID [--json]                  one conversation, as text or NDJSON\n"
    "  export ID [--format F] [-o FILE]  one conversation as a document: md (default), json, html\n"
    "  search WORDS [--json]             in all conversations\n"
    "  delete ID [--keep-sandbox]        a conversation and its sandbox\n"
    "  sandbox …                         list, create, pause, resume, kill, release, exec, ls, get, put\n"
    "  keys …                            list, set SERVICE (reads standard input), delete SERVICE\n"
    "  doctor                            one line per check\n\n"
    "Everywhere: --data-dir DIR (PILOTHOUSE_DATA_DIR), --sandbox local|superserve (PILOTHOUSE_SANDBOX),\n"
    "  --superserve-url URL (SUPERSERVE_BASE_URL), --superserve-data-url URL (SUPERSERVE_DATA_URL), "
    "--version, --help\n"
    "run: --model PROVIDER/MODEL (PILOTHOUSE_MODEL), --conversation ID, --max-steps N, --after-turn "
    "pause|keep|delete,\n"
    "  --yes (default) | --ask | --deny, --instructions-file FILE, --demo-script FILE, --json\n"
    "run, for the machine that Superserve makes: --template NAME, --timeout TIME (running, before it is "
    "paused),\n"
    "  --auto-delete TIME (paused, before it is deleted), --allow HOST,… (only these; 0.0.0.0/0: everything "
    "public),\n"
    "  --no-network; TIME is like 90s, 30m, 2h, 7d or never; without them the settings of the window count\n"
    "sandbox: list [--json], create [--json] [NAME], pause ID, resume ID, kill ID, exec ID COMMAND, ls ID "
    "PATH,\n"
    "  get ID REMOTE LOCAL, put ID LOCAL REMOTE; the first characters of an ID will do. ls and get wake no\n"
    "  paused sandbox (resume it first); exec and put wake it and say so. release CONVERSATION lets go of "
    "its\n"
    "  machine, whatever became of that: nothing is sent, and the next turn makes a new one\n"
    "Reading (list, show, export, search, doctor, sandbox list|ls|get) also works while another program "
    "runs\n"
    "turns on the data folder.\n\n"
    "Exit codes: 0 finished, 1 internal error, 2 usage, 3 model error, 4 sandbox error, 5 limit reached,\n"
    "6 waiting for approval, 7 interrupted, 8 storage or another owner. sandbox exec gives the command's own "
    "code,\n"
    "or 125 when it is not known.\n"_s;

struct Options {
    QCommandLineParser parser;
    QCommandLineOption help{u"help"_s, u"This text."_s};
    QCommandLineOption version{u"version"_s, u"Version."_s};
    QCommandLineOption dataDir{u"data-dir"_s, u"Data folder."_s, u"DIR"_s};
    QCommandLineOption sandbox{u"sandbox"_s, u"Sandbox backend: local or superserve."_s, u"BACKEND"_s};
    QCommandLineOption superserveUrl{u"superserve-url"_s, u"Control plane."_s, u"URL"_s};
    QCommandLineOption superserveDataUrl{u"superserve-data-url"_s, u"Data plane origin."_s, u"URL"_s};
    QCommandLineOption model{u"model"_s, u"provider/model"_s, u"MODEL"_s};
    QCommandLineOption demoScript{u"demo-script"_s, u"Scenario file for demo models."_s, u"FILE"_s};
    QCommandLineOption maxSteps{u"max-steps"_s, u"Most model requests in the turn."_s, u"N"_s};
    QCommandLineOption conversation{u"conversation"_s, u"Go on in this conversation."_s, u"ID"_s};
    QCommandLineOption afterTurn{u"after-turn"_s, u"pause, keep or delete the sandbox."_s, u"ACTION"_s};
    QCommandLineOption fromTemplate{u"template"_s, u"Template of a new machine."_s, u"NAME"_s};
    QCommandLineOption timeout{u"timeout"_s, u"How long it runs before it is paused."_s, u"TIME"_s};
    QCommandLineOption autoDelete{u"auto-delete"_s, u"How long it is kept paused before it is deleted."_s,
                                  u"TIME"_s};
    QCommandLineOption allow{u"allow"_s, u"The only hosts it may reach."_s, u"HOSTS"_s};
    QCommandLineOption noNetwork{u"no-network"_s, u"It may reach nothing."_s};
    QCommandLineOption json{u"json"_s, u"NDJSON events or JSON."_s};
    QCommandLineOption yes{u"yes"_s, u"Run every call (default of a new conversation)."_s};
    QCommandLineOption ask{u"ask"_s, u"Ask before every call."_s};
    QCommandLineOption deny{u"deny"_s, u"Deny every call."_s};
    QCommandLineOption instructionsFile{u"instructions-file"_s, u"System text for the model."_s, u"FILE"_s};
    QCommandLineOption format{u"format"_s, u"md, json or html."_s, u"FORMAT"_s};
    QCommandLineOption output{
        {u"o"_s, u"output"_s}, u"File to write; standard output without it."_s, u"FILE"_s};
    QCommandLineOption keepSandbox{u"keep-sandbox"_s, u"Leave the sandbox."_s};

    Options()
    {
        parser.addOptions({help,         version,       dataDir,
                           sandbox,      superserveUrl, superserveDataUrl,
                           model,        demoScript,    maxSteps,
                           conversation, afterTurn,     fromTemplate,
                           timeout,      autoDelete,    allow,
                           noNetwork,    json,          yes,
                           ask,          deny,          instructionsFile,
                           format,       output,        keepSandbox});
    }
};

int usageError(Console *console, const QString &what)
{
    console->err(u"pilothouse-cli: "_s + what + u" (pilothouse-cli --help lists commands and options)"_s);
    return UsageError;
}

Result<QString, QString> readText(QFile &file, const QString &name)
{
    QByteArray bytes;
    // A pipe gives what there is, not what was asked for: read until it says that it is at its end.
    for (QByteArray piece = file.read(ReadPiece); !piece.isEmpty(); piece = file.read(ReadPiece)) {
        bytes += piece;
        if (bytes.size() > LargestInput)
            return fail(u"%1 is larger than 64 MiB"_s.arg(name));
    }
    if (file.error() != QFileDevice::NoError)
        return fail(u"%1 cannot be read: %2"_s.arg(name, file.errorString()));
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decoder(bytes);
    if (decoder.hasError())
        return fail(u"%1 is not text in UTF-8; convert it first"_s.arg(name));
    return text;
}

QString oneOf(const QString &value, const QStringList &allowed)
{
    return value.isEmpty() || allowed.contains(value)
        ? QString()
        : u"\"%1\" is none of %2"_s.arg(value, allowed.join(u", "_s));
}

// What a new machine is made with; a text when something is wrong.
QString fillMachine(const Options &o, RunOptions &run)
{
    const auto wrong = [](const QString &option, const Error &error) {
        return QString(option + u": "_s + error.message + u' ' + error.todo);
    };
    MachineChoices machine;
    const auto fromTemplate = checkedTemplate(o.parser.value(o.fromTemplate));
    if (!fromTemplate)
        return wrong(u"--template"_s, fromTemplate.error());
    machine.fromTemplate = *fromTemplate;
    const auto timeout = checkedTimeLimit(TimeLimit::Active, o.parser.value(o.timeout));
    if (!timeout)
        return wrong(u"--timeout"_s, timeout.error());
    machine.timeoutSeconds = *timeout;
    const auto autoDelete = checkedTimeLimit(TimeLimit::Paused, o.parser.value(o.autoDelete));
    if (!autoDelete)
        return wrong(u"--auto-delete"_s, autoDelete.error());
    machine.autoDeleteSeconds = *autoDelete;
    const auto allowed = checkedHosts(o.parser.values(o.allow).join(u','));
    if (!allowed)
        return wrong(u"--allow"_s, allowed.error());
    if (o.parser.isSet(o.allow) && o.parser.isSet(o.noNetwork))
        return u"--allow and --no-network exclude one another"_s;
    if (o.parser.isSet(o.allow) && allowed->isEmpty())
        return u"--allow needs a host; --no-network is for none"_s;
    machine.allowed = *allowed;
    machine.isNetworkLimited = o.parser.isSet(o.allow) || o.parser.isSet(o.noNetwork);
    run.choosesMachine = machine != MachineChoices();
    machine.fill(run.settings);
    return {};
}

// Fills the run options from the command line; a text when something is wrong.
QString fillRun(const Options &o, const QStringList &words, RunOptions &run)
{
    if (words.size() != 1)
        return words.isEmpty() ? u"run needs a PROMPT"_s : u"run takes one PROMPT; quote it"_s;
    run.prompt = words.first();
    if (run.prompt == "-"_L1) {
        QFile input;
        if (!input.open(stdin, QIODevice::ReadOnly))
            return u"standard input cannot be read"_s;
        const auto text = readText(input, u"standard input"_s);
        if (!text)
            return text.error();
        run.prompt = *text;
    }
    run.json = o.parser.isSet(o.json);
    const int modes = int(o.parser.isSet(o.yes)) + int(o.parser.isSet(o.ask)) + int(o.parser.isSet(o.deny));
    if (modes > 1)
        return u"--yes, --ask and --deny exclude one another"_s;
    // What a person chose for a conversation in the window is not undone by going on with it here.
    if (o.parser.isSet(o.deny))
        run.settings.approval = u"deny"_s;
    else if (o.parser.isSet(o.ask))
        run.settings.approval = u"ask"_s;
    else if (o.parser.isSet(o.yes) || !o.parser.isSet(o.conversation))
        run.settings.approval = u"allow"_s;
    run.canAsk = ::isatty(STDIN_FILENO) == 1 && !run.json;
    run.settings.backend = o.parser.value(o.sandbox);
    run.settings.afterTurn = o.parser.value(o.afterTurn);
    const QString wrong = oneOf(run.settings.afterTurn, {u"pause"_s, u"keep"_s, u"delete"_s});
    if (!wrong.isEmpty())
        return u"--after-turn: "_s + wrong;
    if (const QString wrongMachine = fillMachine(o, run); !wrongMachine.isEmpty())
        return wrongMachine;
    if (o.parser.isSet(o.maxSteps)) {
        bool ok = false;
        run.settings.maxSteps = o.parser.value(o.maxSteps).toInt(&ok);
        if (!ok || run.settings.maxSteps < 1 || run.settings.maxSteps > 1000)
            return u"--max-steps takes a number from 1 to 1000"_s;
    }
    if (o.parser.isSet(o.model)) {
        const QString name = o.parser.value(o.model);
        const qsizetype slash = name.indexOf(u'/');
        if (slash <= 0 || slash == name.size() - 1)
            return u"--model takes provider/model, for example anthropic/claude-sonnet-5-5"_s;
        run.settings.provider = name.left(slash);
        run.settings.model = name.mid(slash + 1);
    }
    if (o.parser.isSet(o.instructionsFile)) {
        const QString name = o.parser.value(o.instructionsFile);
        QFile file(name);
        if (!file.open(QIODevice::ReadOnly))
            return u"%1 cannot be read: %2"_s.arg(name, file.errorString());
        const auto text = readText(file, name);
        if (!text)
            return text.error();
        if (const qsizetype nul = text->indexOf(QChar(u'\0')); nul >= 0)
            return u"%1 has a NUL character at position %2, which no provider takes"_s.arg(name).arg(nul + 1);
        if (text->size() > LargestInstructions)
            return u"%1 is longer than 4 million characters; put it into a file in the sandbox"_s.arg(name);
        run.settings.instructions = *text;
        if (run.settings.instructions.isNull())
            run.settings.instructions = u""_s;
    }
    return {};
}

int deleteCommand(Engine *engine, const QString &id, bool keepSandbox, Console *console)
{
    engine->remove(id, !keepSandbox, engine, [console](const Result<Done, Error> &removed) {
        if (!removed)
            console->error(removed.error());
        QCoreApplication::exit(removed ? Finished : exitCodeOf(removed.error()));
    });
    return QCoreApplication::exec();
}

int doctorCommand(Engine *engine, Console *console)
{
    engine->doctor(engine, [console](const QList<DoctorLine> &lines) {
        int code = Finished;
        for (const DoctorLine &line : lines) {
            const bool bad = line.verdict == DoctorLine::Verdict::Problem;
            if (bad && code == Finished)
                code = line.topic == "store"_L1 ? StorageOrOwner : SandboxError;
            console->outLine((bad                                                ? u"problem  "_s
                                  : line.verdict == DoctorLine::Verdict::Warning ? u"warning  "_s
                                                                                 : u"ok       "_s)
                             + line.topic.leftJustified(10) + line.text);
        }
        console->flush();
        QCoreApplication::exit(code);
    });
    return QCoreApplication::exec();
}

} // namespace

int runCommandLine(QCoreApplication &app, Console *console)
{
    Options o;
    if (!o.parser.parse(app.arguments()))
        return usageError(console, o.parser.errorText());
    if (o.parser.isSet(o.version)) {
        console->outLine(u"pilothouse-cli "_s + QCoreApplication::applicationVersion());
        return Finished;
    }
    QStringList words = o.parser.positionalArguments();
    if (o.parser.isSet(o.help) || words.isEmpty()) {
        if (o.parser.isSet(o.help))
            console->out(Usage.toUtf8());
        else
            console->err(Usage);
        return o.parser.isSet(o.help) ? Finished : UsageError;
    }
    const QString command = words.takeFirst();
    if (o.parser.isSet(o.dataDir) && o.parser.value(o.dataDir).isEmpty())
        return usageError(console, u"--data-dir needs a folder"_s);
    const QString dataDir = defaultDataDir(o.parser.value(o.dataDir), processEnvironment);
    const bool json = o.parser.isSet(o.json);
    const QString wrongBackend = oneOf(o.parser.value(o.sandbox), {u"local"_s, u"superserve"_s});
    if (!wrongBackend.isEmpty())
        return usageError(console, u"--sandbox: "_s + wrongBackend);

    if (command == "list"_L1)
        return words.isEmpty() ? listCommand(dataDir, json, console)
                               : usageError(console, u"list takes no arguments"_s);
    if (command == "search"_L1)
        return words.isEmpty() ? usageError(console, u"search needs WORDS"_s)
                               : searchCommand(dataDir, words.join(u' '), json, console);
    if (command == "show"_L1 || command == "export"_L1) {
        if (words.size() != 1)
            return usageError(console, command + u" needs one conversation ID"_s);
        int code = Finished;
        const QString id = resolveConversation(dataDir, words.first(), console, &code);
        if (id.isEmpty())
            return code;
        if (command == "show"_L1)
            return showCommand(dataDir, id, json, console);
        const QString format = o.parser.isSet(o.format) ? o.parser.value(o.format) : u"md"_s;
        const QString wrong = oneOf(format, {u"md"_s, u"json"_s, u"html"_s});
        return wrong.isEmpty() ? exportCommand(dataDir, id, format, o.parser.value(o.output), console)
                               : usageError(console, u"--format: "_s + wrong);
    }

    RunOptions run;
    QString conversation;
    if (command == "run"_L1) {
        const QString wrong = fillRun(o, words, run);
        if (!wrong.isEmpty())
            return usageError(console, wrong);
        if (const std::optional<Error> problem = messageProblem(run.prompt)) {
            console->error(*problem); // Before a conversation is made for it.
            return exitCodeOf(*problem);
        }
        conversation = o.parser.value(o.conversation);
    } else if (command == "delete"_L1) {
        if (words.size() != 1)
            return usageError(console, u"delete needs one conversation ID"_s);
        conversation = words.first();
    } else if (command == "sandbox"_L1) {
        if (words.isEmpty())
            return usageError(console, SandboxCommand::usage());
        if (words.first() == "release"_L1 && words.size() == 2)
            conversation = words.at(1);
    } else if (command == "keys"_L1) {
        if (words.isEmpty())
            return usageError(console, KeyCommand::usage());
    } else if (command != "doctor"_L1) {
        return usageError(console, u"there is no command \"%1\""_s.arg(command));
    }
    if (!conversation.isEmpty()) {
        int code = Finished;
        conversation = resolveConversation(dataDir, conversation, console, &code);
        if (conversation.isEmpty())
            return code;
    }

    EngineOptions options;
    options.program = u"pilothouse-cli"_s;
    options.dataDir = dataDir;
    options.backend = o.parser.value(o.sandbox);
    options.superserveUrl = o.parser.value(o.superserveUrl);
    options.superserveDataUrl = o.parser.value(o.superserveDataUrl);
    options.model = o.parser.value(o.model);
    options.demoScript = o.parser.value(o.demoScript);
    options.endWhenAsked = command == "run"_L1 && !run.canAsk;
    options.environment = processEnvironment;
    useSystemKeychain(options);
    if ((command == "sandbox"_L1 && SandboxCommand::onlyLooks(words.first()))
        || (command == "keys"_L1 && KeyCommand::onlyLooks(words.first()))) {
        options.onlyLooks = Error{ErrorKind::Internal, u"This command only looks."_s, {}, {}};
    }
    auto engine = Engine::open(options);
    if (!engine && command == "doctor"_L1) {
        // Whatever keeps the log from being written is what doctor is there to tell.
        options.onlyLooks = engine.error();
        engine = Engine::open(options);
    }
    if (!engine) {
        console->error(engine.error());
        return exitCodeOf(engine.error());
    }
    const auto quit = [](int code) { QCoreApplication::exit(code); };
    if (command == "run"_L1) {
        run.conversation = conversation;
        RunCommand task(engine->get(), run, console);
        QObject::connect(&task, &RunCommand::done, &app, quit, Qt::QueuedConnection);
        task.start();
        const int code = QCoreApplication::exec();
        console->flush();
        return code;
    }
    if (command == "delete"_L1)
        return deleteCommand(engine->get(), conversation, o.parser.isSet(o.keepSandbox), console);
    if (command == "doctor"_L1)
        return doctorCommand(engine->get(), console);
    if (command == "keys"_L1) {
        KeyCommand task(engine->get(), words, json, console);
        QObject::connect(&task, &KeyCommand::done, &app, quit, Qt::QueuedConnection);
        task.start();
        const int code = QCoreApplication::exec();
        console->flush();
        return code;
    }
    if (words.first() == "release"_L1 && !conversation.isEmpty())
        words[1] = conversation;
    SandboxCommand task(engine->get(), o.parser.value(o.sandbox), words, json, console);
    QObject::connect(&task, &SandboxCommand::done, &app, quit, Qt::QueuedConnection);
    task.start();
    const int code = QCoreApplication::exec();
    console->flush();
    return code;
}

} // namespace Pilothouse::Cli
