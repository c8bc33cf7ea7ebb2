// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/sandboxfiles.h"

#include "sandbox/commandsession.h"
#include "sandbox/listingparser.h"
#include "sandbox/sandboxbounds.h"
#include "sandbox/sandboxclient.h"
#include "sandbox/sandboxhttp.h"
#include "sandbox/sandboxwire.h"

#include <algorithm>
#include <memory>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::minutes EntriesTime{2}; // Some hundred thousand entries on a cold disk.
constexpr std::chrono::seconds SurveyTime{20};
constexpr std::chrono::minutes ChangeTime{10}; // Removing a large tree.
constexpr qsizetype FirstPiece = 200; // Entries shown at once; later pieces are larger, which is cheaper.
constexpr qsizetype LaterPiece = 4000;
constexpr qsizetype LargestErrorText = 2000;

constexpr int Missing = 44;
constexpr int NotFolder = 20;
constexpr int Exists = 17;
constexpr int Refused = 64;

// Paths travel in base64: JSON cannot carry bytes that are not UTF-8. The x keeps line feeds at the end.
constexpr auto PathPrelude = R"sh(SS_P=$(printf %s "$SS_P64" | base64 -d; printf x); SS_P=${SS_P%x}
SS_B=$(printf %s "$SS_B64" | base64 -d; printf x); SS_B=${SS_B%x}
)sh"_L1;

constexpr auto FolderTest = R"sh(if [ ! -d "$SS_P/" ]; then
  if [ -e "$SS_P" ] || [ -L "$SS_P" ]; then exit 20; fi
  exit 44
fi
)sh"_L1;

constexpr auto EntriesScript =
    R"sh({ LC_ALL=C find -H "$SS_P" -mindepth 1 -maxdepth 1 -printf '%y %s %T@ %C@ %B@ %m %f\0%l\0'
  printf 'rc %s %s\0' "$?" "$(date +%s.%N)"; } | base64 -w0
)sh"_L1;

// Folders of tools are named but not entered: they are large and nobody reads them. -xdev keeps out of
// mounts.
constexpr auto SurveyAllScript = R"sh({ LC_ALL=C find -H "$SS_P" -xdev -mindepth 1 -maxdepth 24 \
  -type d \( -name .git -o -name .hg -o -name node_modules -o -name .venv -o -name venv -o -name __pycache__ \
     -o -name .cache -o -name .npm -o -name .cargo -o -name .rustup \) -prune -printf '%y %s %T@ %C@ %B@ %m %P\0%l\0' \
  -o -printf '%y %s %T@ %C@ %B@ %m %P\0%l\0' 2>/dev/null | head -z -n "$SS_N"
  printf 'rc %s %s\0' "$?" "$(date +%s.%N)"; } | base64 -w0
)sh"_L1;

constexpr auto SurveyChangedScript = R"sh({ LC_ALL=C find -H "$SS_P" -xdev -mindepth 1 -maxdepth 24 \
  -type d \( -name .git -o -name .hg -o -name node_modules -o -name .venv -o -name venv -o -name __pycache__ \
     -o -name .cache -o -name .npm -o -name .cargo -o -name .rustup \) -prune \
  -o ! -type d -newerct "@$SS_SINCE" -printf '%y %s %T@ %C@ %B@ %m %P\0%l\0' 2>/dev/null | head -z -n "$SS_N"
  printf 'rc %s %s\0' "$?" "$(date +%s.%N)"; } | base64 -w0
)sh"_L1;

constexpr auto MakeFolderScript = R"sh(if [ -e "$SS_P" ] || [ -L "$SS_P" ]; then exit 17; fi
mkdir -- "$SS_P")sh"_L1;
constexpr auto EnsureFolderScript = R"sh(mkdir -p -- "$SS_P")sh"_L1;
constexpr auto RenameScript = R"sh(if [ ! -e "$SS_P" ] && [ ! -L "$SS_P" ]; then exit 44; fi
if [ -e "$SS_B" ] || [ -L "$SS_B" ]; then exit 17; fi
mv -n -T -- "$SS_P" "$SS_B" || exit 1
if [ -e "$SS_P" ] || [ -L "$SS_P" ]; then exit 17; fi)sh"_L1;
constexpr auto ReplaceScript = R"sh(mv -f -T -- "$SS_P" "$SS_B")sh"_L1;
constexpr auto AppendScript = R"sh(cat -- "$SS_P" >>"$SS_B" && rm -f -- "$SS_P")sh"_L1;
constexpr auto RemoveScript = R"sh(case "$SS_P" in /|//*|/.|/..|'') exit 64;; /*) ;; *) exit 64;; esac
if [ ! -e "$SS_P" ] && [ ! -L "$SS_P" ]; then exit 44; fi
rm -rf -- "$SS_P")sh"_L1;

ApiError localError(const QString &text) { return SandboxWire::makeError(ApiError::Category::Local, text); }

template <typename T>
void failSoon(QObject *scope, const ApiError &error, const Reply<T> &reply)
{
    QMetaObject::invokeMethod(
        scope, [error, reply] { reply(fail(error)); }, Qt::QueuedConnection);
}

ApiError missingError()
{
    return SandboxWire::makeError(ApiError::Category::NotFound, u"It is no longer there."_s);
}

QString base64Text(const QByteArray &bytes) { return QString::fromLatin1(bytes.toBase64()); }

/// Every byte that is not unreserved, escaped.
QByteArray encodedPath(const QByteArray &path) { return path.toPercentEncoding(); }

std::optional<ApiError> callProblem(const QString &id, const QByteArray &path)
{
    if (!SandboxWire::isSandboxId(id))
        return localError(u"This is not the id of a sandbox. Nothing was sent."_s);
    if (const QString problem = SandboxFiles::pathProblem(path); !problem.isEmpty())
        return localError(problem);
    return std::nullopt;
}

/// A listing command that runs: feeds the parser, hands on pieces, ends once.
struct ListRun {
    explicit ListRun(ListingParser::Names names)
        : parser(names)
    { }
    ListingParser parser;
    QList<FileEntry> waiting;
    qint64 count = 0;
    qint64 most = 0;
    bool cut = false;
    bool over = false;
    QByteArray errorText;
};

ApiError outcomeError(const CommandOutcome &outcome)
{
    if (outcome.error) {
        ApiError error = *outcome.error;
        error.outcomeUnknown = false; // Looking changes nothing.
        return error;
    }
    switch (outcome.exitCode.value_or(0)) {
    case Missing:
        return missingError();
    case NotFolder:
        return SandboxWire::makeError(ApiError::Category::InvalidRequest, u"It is not a folder."_s);
    }
    return SandboxWire::makeError(
        ApiError::Category::Server,
        u"The listing command ended with exit code %1."_s.arg(outcome.exitCode.value_or(-1)));
}

void runListing(SandboxClient *client, const QString &id, const CommandRequest &request,
                const std::shared_ptr<ListRun> &run, QObject *scope,
                const std::function<void(const QList<FileEntry> &)> &some, const Reply<FileListEnd> &reply)
{
    CommandSession *session = client->startCommand(id, request, scope);
    const auto finish = [run, some, reply, session](const Result<FileListEnd, ApiError> &end) {
        if (std::exchange(run->over, true))
            return;
        session->deleteLater();
        if (!run->waiting.isEmpty())
            some(std::exchange(run->waiting, {}));
        reply(end);
    };
    const auto endOf = [run] {
        return FileListEnd{run->parser.isComplete() && !run->cut, run->cut, run->parser.machineClock(),
                           run->count};
    };
    QObject::connect(session, &CommandSession::output, scope,
                     [run, some, session, finish, endOf](OutputChannel channel, const QByteArray &bytes) {
                         if (run->over)
                             return;
                         if (channel == OutputChannel::Stderr) {
                             run->errorText = QByteArray(run->errorText + bytes).right(LargestErrorText);
                             return;
                         }
                         run->waiting += run->parser.feed(bytes);
                         const bool isFirst = run->count == 0;
                         if (run->count + run->waiting.size() > run->most) {
                             run->waiting.resize(std::max<qsizetype>(0, run->most - run->count));
                             run->cut = true;
                         }
                         if (run->waiting.size() >= (isFirst ? FirstPiece : LaterPiece)) {
                             run->count += run->waiting.size();
                             some(std::exchange(run->waiting, {}));
                         }
                         if (run->cut || run->parser.overflowed()) {
                             run->count += run->waiting.size();
                             session->close(); // It would go on for ever.
                             finish(endOf());
                         }
                     });
    QObject::connect(session, &CommandSession::finished, scope,
                     [run, finish, endOf](const CommandOutcome &outcome) {
                         run->count += run->over ? 0 : run->waiting.size();
                         const bool exited = outcome.known == CommandOutcome::Known::Exited;
                         const int code = outcome.exitCode.value_or(-1);
                         if ((!exited || code != 0) && run->count == 0)
                             return finish(fail(outcomeError(outcome)));
                         finish(endOf());
                     });
}

} // namespace

bool SandboxFiles::isToolFolder(QByteArrayView name)
{
    // As in the survey's command.
    static constexpr const char *Names[] = {".git",        ".hg",    "node_modules", ".venv",  "venv",
                                            "__pycache__", ".cache", ".npm",         ".cargo", ".rustup"};
    return std::any_of(std::begin(Names), std::end(Names),
                       [name](const char *known) { return name == known; });
}

QString SandboxFiles::pathProblem(const QByteArray &path)
{
    if (!path.startsWith('/'))
        return u"A path in the sandbox must be absolute, beginning with \"/\". Nothing was sent."_s;
    if (path.contains('\0'))
        return u"A path cannot hold a NUL character. Nothing was sent."_s;
    if (path.split('/').contains(".."))
        return u"A path with a \"..\" segment is refused. Nothing was sent."_s;
    return {};
}

void SandboxFiles::list(const QString &id, const QByteArray &path, QObject *scope,
                        std::function<void(const QList<FileEntry> &)> some, Reply<FileListEnd> reply) const
{
    if (const auto problem = callProblem(id, path))
        return failSoon(scope, *problem, reply);
    CommandRequest request;
    request.command = QString(PathPrelude) + FolderTest + EntriesScript;
    request.env = {{u"SS_P64"_s, base64Text(path)}, {u"SS_B64"_s, QString()}};
    request.timeout = EntriesTime;
    request.wake = Wake::Never;
    auto run = std::make_shared<ListRun>(ListingParser::Names::OneFolder);
    run->most = MostEntries;
    runListing(m_client, id, request, run, scope, some, reply);
}

void SandboxFiles::survey(const QString &id, const QByteArray &root, double since, QObject *scope,
                          Reply<FileSurvey> reply) const
{
    if (const auto problem = callProblem(id, root))
        return failSoon(scope, *problem, reply);
    const auto ask = [client = m_client, id, root, since, scope](bool onlyChanged, Reply<FileSurvey> answer) {
        CommandRequest request;
        request.command =
            QString(PathPrelude) + FolderTest + (onlyChanged ? SurveyChangedScript : SurveyAllScript);
        request.env = {{u"SS_P64"_s, base64Text(root)},
                       {u"SS_B64"_s, QString()},
                       {u"SS_SINCE"_s, QString::number(since, 'f', 3)},
                       // Two fields make an entry; one entry more than we take tells that there are more.
                       {u"SS_N"_s, QString::number(2 * (MostSurveyed + 1))}};
        request.timeout = SurveyTime;
        request.wake = Wake::Never;
        auto run = std::make_shared<ListRun>(ListingParser::Names::Tree);
        run->most = MostSurveyed;
        auto survey = std::make_shared<FileSurvey>();
        runListing(
            client, id, request, run, scope,
            [survey](const QList<FileEntry> &entries) { survey->entries += entries; },
            [survey, answer](const Result<FileListEnd, ApiError> &end) {
                if (!end)
                    return answer(fail(end.error()));
                survey->complete = end->complete;
                survey->cut = end->cut;
                survey->machineClock = end->machineClock;
                answer(*survey);
            });
    };
    ask(false, [ask, reply](const Result<FileSurvey, ApiError> &all) {
        if (!all || !all->cut)
            return reply(all);
        ask(true, [reply](const Result<FileSurvey, ApiError> &changed) {
            if (!changed)
                return reply(changed);
            FileSurvey survey = *changed;
            survey.cut = true;
            survey.complete = false;
            reply(survey);
        });
    });
}

void SandboxFiles::read(const QString &id, const QByteArray &path, qint64 offset, qint64 length,
                        QObject *scope, Reply<FilePart> reply) const
{
    if (const auto problem = callProblem(id, path))
        return failSoon(scope, *problem, reply);
    SandboxHttp *http = m_client->http();
    RequestSpec spec = http->dataSpec("GET", id, "/files?path=" + encodedPath(path));
    spec.contentType.clear();
    const QByteArray range =
        "bytes=" + QByteArray::number(offset) + '-' + QByteArray::number(offset + length - 1);
    spec.headers.emplaceBack("Range", range);
    spec.headers.emplaceBack("Accept-Encoding", "identity"); // A part of packed bytes is of no use.
    spec.maxBytes = length;
    const auto read = [offset, length, reply](const Result<SandboxHttp::Answer, ApiError> &answer) {
        if (!answer) {
            if (answer.error().status == 416) // Nothing stands there: an empty file, or its end.
                return reply(FilePart{{}, offset, {}});
            return reply(fail(answer.error()));
        }
        FilePart part;
        part.version = answer->lastModified;
        if (answer->status == 206) {
            part.bytes = answer->body;
            const qsizetype slash = answer->contentRange.lastIndexOf('/');
            bool isNumber = false;
            const qint64 total = answer->contentRange.mid(slash + 1).toLongLong(&isNumber);
            part.total = slash >= 0 && isNumber ? total : -1;
            const QByteArray expected = "bytes " + QByteArray::number(offset) + '-';
            if (!answer->contentRange.startsWith(expected)) {
                return reply(
                    fail(SandboxWire::makeError(ApiError::Category::Protocol,
                                                u"The sandbox service sent another part than asked for."_s)));
            }
            // A length that is told, as a chunked body that is cut does not always look so.
            const QByteArray last = answer->contentRange.mid(expected.size(), slash - expected.size());
            if (last.toLongLong() - offset + 1 != part.bytes.size()) {
                return reply(fail(SandboxWire::makeError(
                    ApiError::Category::Truncated,
                    u"The sandbox service sent fewer or more bytes of the file than it said."_s)));
            }
        } else { // Some services send the whole file to a question for a part.
            part.total = answer->body.size();
            part.bytes = answer->body.mid(offset, length);
        }
        reply(part);
    };
    http->data(id, spec, Lane::Transfer, scope, read, Wake::Never);
}

void SandboxFiles::write(const QString &id, const QByteArray &path, const QByteArray &bytes, QObject *scope,
                         Reply<Done> reply) const
{
    if (const auto problem = callProblem(id, path))
        return failSoon(scope, *problem, reply);
    SandboxHttp *http = m_client->http();
    RequestSpec spec = http->dataSpec("POST", id, "/files?path=" + encodedPath(path));
    spec.body = bytes;
    spec.contentType = "application/octet-stream";
    spec.repeatable = false;
    spec.firstByteTimeout += std::chrono::seconds(bytes.size() / UploadBytesPerSecond);
    const auto done = [reply](const Result<SandboxHttp::Answer, ApiError> &answer) {
        if (!answer)
            return reply(fail(answer.error()));
        reply(Done());
    };
    http->data(id, spec, Lane::Transfer, scope, done, Wake::Never);
}

void SandboxFiles::change(const QString &id, const QString &script, const QByteArray &a, const QByteArray &b,
                          QObject *scope, Reply<Done> reply) const
{
    for (const QByteArray &path : {a, b}) {
        if (path.isNull())
            continue;
        if (const auto problem = callProblem(id, path))
            return failSoon(scope, *problem, reply);
    }
    CommandRequest request;
    request.command = QString(PathPrelude) + script;
    request.env = {{u"SS_P64"_s, base64Text(a)}, {u"SS_B64"_s, base64Text(b)}};
    request.timeout = ChangeTime;
    request.wake = Wake::Never;
    m_client->exec(id, request, scope, [reply](const Result<ExecResult, ApiError> &result) {
        if (!result)
            return reply(fail(result.error()));
        switch (result->exitCode) {
        case 0:
            return reply(Done());
        case Missing:
            return reply(fail(missingError()));
        case Exists: {
            ApiError error = SandboxWire::makeError(ApiError::Category::Conflict,
                                                    u"Something of that name is there already."_s);
            error.code = u"exists"_s;
            return reply(fail(error));
        }
        case Refused:
            return reply(fail(localError(u"This path cannot be removed."_s)));
        }
        const QString said = cleanErrorText(QString::fromUtf8(result->standardError.right(LargestErrorText)));
        reply(fail(SandboxWire::makeError(
            ApiError::Category::Server,
            said.isEmpty() ? u"The command ended with exit code %1."_s.arg(result->exitCode) : said)));
    });
}

void SandboxFiles::append(const QString &id, const QByteArray &piece, const QByteArray &whole, QObject *scope,
                          Reply<Done> reply) const
{
    change(id, AppendScript, piece, whole, scope, std::move(reply));
}

void SandboxFiles::makeFolder(const QString &id, const QByteArray &path, QObject *scope,
                              Reply<Done> reply) const
{
    change(id, MakeFolderScript, path, {}, scope, std::move(reply));
}

void SandboxFiles::ensureFolder(const QString &id, const QByteArray &path, QObject *scope,
                                Reply<Done> reply) const
{
    change(id, EnsureFolderScript, path, {}, scope, std::move(reply));
}

void SandboxFiles::rename(const QString &id, const QByteArray &from, const QByteArray &to, QObject *scope,
                          Reply<Done> reply) const
{
    change(id, RenameScript, from, to, scope, std::move(reply));
}

void SandboxFiles::replace(const QString &id, const QByteArray &from, const QByteArray &to, QObject *scope,
                           Reply<Done> reply) const
{
    change(id, ReplaceScript, from, to, scope, std::move(reply));
}

void SandboxFiles::remove(const QString &id, const QByteArray &path, QObject *scope, Reply<Done> reply) const
{
    change(id, RemoveScript, path, {}, scope, std::move(reply));
}

} // namespace Pilothouse
