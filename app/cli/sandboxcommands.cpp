// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandboxcommands.h"

#include "exitcodes.h"
#include "outputfile.h"
#include "text/inerttext.h"
#include "util/ids.h"

#include <QDateTime>
#include <QFile>

#include <utility>

namespace Pilothouse::Cli {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 LargestUpload = Q_INT64_C(256) * 1024 * 1024;
constexpr qsizetype MostShown = 80; // Of what was typed, in an error.

QString sizeText(const FileEntry &entry) { return entry.type == u'd' ? u"-"_s : QString::number(entry.size); }

} // namespace

SandboxCommand::SandboxCommand(Engine *engine, QString backend, QStringList words, bool json,
                               Console *console)
    : m_engine(engine)
    , m_backend(std::move(backend))
    , m_words(std::move(words))
    , m_json(json)
    , m_console(console)
{ }

QString SandboxCommand::usage()
{
    return u"sandbox list [--json] | create [--json] [NAME] | pause ID | resume ID | kill ID | "
           u"release CONVERSATION | exec ID COMMAND | ls ID PATH | "
           "get ID REMOTE LOCAL | put ID LOCAL REMOTE"_s;
}

bool SandboxCommand::need(int arguments)
{
    if (m_words.size() == arguments + 1)
        return true;
    m_console->err(u"usage: pilothouse-cli "_s + usage());
    Q_EMIT done(m_words.value(0) == "exec"_L1 ? OurOwnFailure : UsageError);
    return false;
}

void SandboxCommand::fail(Error error)
{
    // The engine does not know how the sandbox was named on the command line; the advice can be copied.
    error.todo.replace("sandbox resume ID"_L1, QString(u"sandbox resume "_s + m_words.value(1)));
    const QString verb = m_words.value(0);
    if (verb == "get"_L1 || verb == "put"_L1) {
        const QString local = inertLine(m_words.value(verb == "get"_L1 ? 3 : 2), MostShown);
        if (error.kept.isEmpty())
            error.kept = u"%1 here is as it was."_s.arg(local);
        if (error.todo.isEmpty())
            error.todo = u"See what is there with pilothouse-cli sandbox ls %1 FOLDER, then try again."_s.arg(
                inertLine(m_words.value(1), MostShown));
    }
    m_console->error(error);
    if (m_words.value(0) == "exec"_L1)
        Q_EMIT done(OurOwnFailure);
    else if (error.kind == ErrorKind::NotFound)
        Q_EMIT done(SandboxError); // No sandbox, or no such path in it; a conversation is never meant here.
    else
        Q_EMIT done(exitCodeOf(error));
}

bool SandboxCommand::onlyLooks(const QString &verb)
{
    return verb == "list"_L1 || verb == "ls"_L1 || verb == "get"_L1;
}

void SandboxCommand::start()
{
    const QString verb = m_words.value(0);
    const auto finished = [this](const auto &result) {
        if (result)
            Q_EMIT done(Finished);
        else
            fail(result.error());
    };
    if (verb == "list"_L1) {
        list();
    } else if (verb == "create"_L1) {
        create();
    } else if (verb == "pause"_L1) {
        if (need(1))
            resolve([this, finished] { m_engine->pauseSandbox(m_backend, m_words[1], this, finished); });
    } else if (verb == "resume"_L1) {
        if (need(1))
            resolve([this, finished] { m_engine->resumeSandbox(m_backend, m_words[1], this, finished); });
    } else if (verb == "kill"_L1) {
        kill();
    } else if (verb == "release"_L1) {
        release();
    } else if (verb == "exec"_L1) {
        if (need(2))
            resolveToChange([this] { exec(); });
    } else if (verb == "ls"_L1) {
        if (need(2))
            resolve([this] { listFiles(); });
    } else if (verb == "get"_L1) {
        if (need(3))
            resolve([this] { get(); });
    } else if (verb == "put"_L1) {
        if (need(3))
            put();
    } else {
        m_console->err(u"usage: pilothouse-cli "_s + usage());
        Q_EMIT done(UsageError);
    }
}

void SandboxCommand::resolve(std::function<void()> then)
{
    // A whole id goes to the service as it is, which says when it does not know it: no list for every call.
    if (isId(m_words[1])) {
        then();
        return;
    }
    m_engine->listSandboxes(m_backend, this,
                            [this, then = std::move(then)](const Result<QList<SandboxInfo>, Error> &all) {
                                if (all)
                                    takeMatch(*all, then);
                                else
                                    fail(all.error());
                            });
}

void SandboxCommand::resolveToChange(std::function<void()> then)
{
    m_engine->listSandboxes(m_backend, this,
                            [this, then = std::move(then)](const Result<QList<SandboxInfo>, Error> &all) {
                                if (!all) {
                                    fail(all.error());
                                    return;
                                }
                                takeMatch(*all, [this, &all, &then] {
                                    for (const SandboxInfo &info : *all) {
                                        if (info.id == m_words[1] && info.status == "paused"_L1)
                                            m_console->err(u"pilothouse-cli: sandbox %1 was paused; this "
                                                           u"wakes it, and it stays active until "
                                                           "it is paused again"_s.arg(info.id));
                                    }
                                    then();
                                });
                            });
}

void SandboxCommand::takeMatch(const QList<SandboxInfo> &all, const std::function<void()> &then)
{
    const QString typed = m_words[1];
    QStringList matches;
    for (const SandboxInfo &info : all) {
        if (info.id == typed) {
            matches = {typed};
            break;
        }
        if (!typed.isEmpty() && info.id.startsWith(typed))
            matches.append(info.id);
    }
    if (matches.size() == 1) {
        m_words[1] = matches.first();
        then();
        return;
    }
    const QString shown = inertLine(typed, MostShown);
    if (matches.isEmpty())
        fail({ErrorKind::NotFound, u"There is no sandbox %1."_s.arg(shown), u"Nothing was done."_s,
              u"See pilothouse-cli sandbox list."_s});
    else
        fail({ErrorKind::Usage, u"%1 fits %2 sandboxes."_s.arg(shown).arg(matches.size()),
              u"Nothing was done."_s, u"Type more of it."_s});
}

void SandboxCommand::kill()
{
    if (!need(1))
        return;
    // Deleting what does not exist is a success for the service, but not for a person who mistyped: always
    // looked up first.
    m_engine->listSandboxes(m_backend, this, [this](const Result<QList<SandboxInfo>, Error> &all) {
        if (!all) {
            fail(all.error());
            return;
        }
        takeMatch(*all, [this] {
            m_engine->deleteSandbox(m_backend, m_words[1], this, [this](const Result<Done, Error> &removed) {
                if (removed)
                    Q_EMIT done(Finished);
                else
                    fail(removed.error());
            });
        });
    });
}

void SandboxCommand::release()
{
    if (!need(1))
        return;
    m_engine->releaseMachine(m_words[1], this, [this](const Result<Done, Error> &released) {
        if (!released) {
            fail(released.error());
            return;
        }
        m_console->err(
            u"pilothouse-cli: nothing was sent: if the machine still exists it stays as it is, and "
            u"may cost you. The next turn makes a new, empty one"_s);
        Q_EMIT done(Finished);
    });
}

void SandboxCommand::list()
{
    if (!need(0))
        return;
    m_engine->listSandboxes(m_backend, this, [this](const Result<QList<SandboxInfo>, Error> &list) {
        if (!list) {
            fail(list.error());
            return;
        }
        if (m_json) {
            Json all = Json::array();
            for (const SandboxInfo &info : *list)
                all.append(info.toJson());
            m_console->outJson(all.toJson() + '\n');
        } else {
            for (const SandboxInfo &info : *list) {
                const QString line =
                    u"%1  %2  %3  %4"_s.arg(info.id, info.status.leftJustified(8), info.createdAt, info.name);
                m_console->outLine(info.problem.isEmpty() ? line : QString(line + u": "_s + info.problem));
            }
        }
        Q_EMIT done(Finished);
    });
}

void SandboxCommand::create()
{
    if (m_words.size() > 2 && !need(1))
        return;
    m_engine->createSandbox(m_backend, m_words.value(1, u"by-hand"_s), this,
                            [this](const Result<SandboxInfo, Error> &info) {
                                if (!info) {
                                    fail(info.error());
                                    return;
                                }
                                if (m_json)
                                    m_console->outJson(info->toJson().toJson() + '\n');
                                else
                                    m_console->outLine(info->id);
                                Q_EMIT done(Finished);
                            });
}

void SandboxCommand::exec()
{
    m_engine->execInSandbox(
        m_backend, m_words[1], m_words[2], this,
        [this](OutputChannel channel, const QByteArray &bytes) {
            if (channel == OutputChannel::Stdout) {
                m_console->out(bytes);
                m_console->flush();
            } else {
                m_console->errBytes(bytes);
            }
            // Nobody reads any more. The command ends with our connection, as it would in a pipe; how it
            // ended is not waited for.
            if (m_console->readerGone() && !std::exchange(m_isLeft, true))
                Q_EMIT done(OurOwnFailure);
        },
        [this](const Result<CommandOutcome, Error> &outcome) {
            if (m_isLeft)
                return;
            if (!outcome) {
                fail(outcome.error());
            } else if (outcome->known == CommandOutcome::Known::Exited) {
                Q_EMIT done(outcome->exitCode.value_or(OurOwnFailure));
            } else {
                const QString why = outcome->error ? outcome->error->message : QString();
                m_console->err(
                    outcome->known == CommandOutcome::Known::NotStarted
                        ? u"pilothouse-cli: the command did not start: "_s + why
                        : u"pilothouse-cli: outcome unknown: the connection was lost while the command ran. "_s
                            + why);
                Q_EMIT done(OurOwnFailure);
            }
        });
}

void SandboxCommand::listFiles()
{
    m_engine->listFiles(
        m_backend, m_words[1], m_words[2], this, [this](const Result<FileListing, Error> &listing) {
            if (!listing) {
                fail(listing.error());
                return;
            }
            QList<FileEntry> entries = listing->entries;
            std::sort(entries.begin(), entries.end(),
                      [](const FileEntry &a, const FileEntry &b) { return a.name < b.name; });
            for (const FileEntry &entry : std::as_const(entries)) {
                // A line end in a name would forge a row of its own; the console shows other controls.
                const auto oneLine = [](const QByteArray &bytes) {
                    return QString::fromUtf8(bytes).replace(u'\n', u"\\u{a}"_s).replace(u'\t', u"\\u{9}"_s);
                };
                const QString name = oneLine(entry.name)
                    + (entry.type == u'd'       ? u"/"_s
                           : entry.type == u'l' ? u" -> "_s + oneLine(entry.linkTarget)
                                                : QString());
                m_console->outLine(u"%1  %2  %3"_s.arg(
                    sizeText(entry).rightJustified(10),
                    QDateTime::fromSecsSinceEpoch(static_cast<qint64>(entry.modified), Qt::UTC)
                        .toString(Qt::ISODate),
                    name));
            }
            if (!listing->complete)
                m_console->err(u"pilothouse-cli: the listing is incomplete: its end did not arrive."_s);
            Q_EMIT done(listing->complete ? Finished : SandboxError);
        });
}

void SandboxCommand::get()
{
    m_engine->readFile(
        m_backend, m_words[1], m_words[2], this, [this](const Result<QByteArray, Error> &bytes) {
            if (!bytes) {
                fail(bytes.error());
                return;
            }
            const auto written =
                writeOutputFile(m_words[3], [&bytes](QIODevice &device) -> Result<Done, Error> {
                    if (device.write(*bytes) == bytes->size())
                        return Done();
                    return Pilothouse::fail(Error{
                        ErrorKind::Storage, u"The file could not be written: %1."_s.arg(device.errorString()),
                        u"The file in the sandbox is as it was."_s,
                        u"Free some space or choose another file."_s});
                });
            if (!written) {
                fail(written.error());
                return;
            }
            Q_EMIT done(Finished);
        });
}

void SandboxCommand::put()
{
    QFile file(m_words[2]);
    if (!file.open(QIODevice::ReadOnly)) {
        fail({ErrorKind::Usage, u"%1 cannot be read: %2."_s.arg(m_words[2], file.errorString()),
              u"Nothing was sent."_s, u"Choose a file that you can read."_s});
        return;
    }
    if (file.size() > LargestUpload) {
        fail({ErrorKind::Usage, u"%1 is larger than 256 MiB."_s.arg(m_words[2]), u"Nothing was sent."_s,
              u"Split it, or pack it."_s});
        return;
    }
    resolveToChange([this, bytes = file.readAll()] {
        m_engine->writeFile(m_backend, m_words[1], m_words[3], bytes, this,
                            [this](const Result<Done, Error> &written) {
                                if (written)
                                    Q_EMIT done(Finished);
                                else
                                    fail(written.error());
                            });
    });
}

} // namespace Pilothouse::Cli
