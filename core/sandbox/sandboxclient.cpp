// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/sandboxclient.h"

#include "net/networkaccess.h"
#include "sandbox/execsession.h"
#include "sandbox/sandboxbounds.h"
#include "sandbox/sandboxhttp.h"
#include "sandbox/sandboxlifecycle.h"
#include "sandbox/sandboxwire.h"

#include <QSet>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int PageSize = 200; ///< The service cuts larger pages to this.
constexpr qsizetype MostSandboxes = 20000; ///< A service that pages for ever must not keep us for ever.
constexpr std::chrono::milliseconds ListTime{30000};
constexpr std::chrono::milliseconds SignalTime{20000};

// The directory's records, NUL-terminated and in base64 so that any name survives JSON. Needs GNU find and
// coreutils. Exit 44: not there; 20: no directory. The record "rc N" at the end proves that nothing was cut.
constexpr auto ListScript = R"(if [ ! -d "$SS_P/" ]; then
  if [ -e "$SS_P" ] || [ -L "$SS_P" ]; then exit 20; fi
  exit 44
fi
{ LC_ALL=C find -H "$SS_P" -mindepth 1 -maxdepth 1 -printf '%y %s %T@ %m %f\0%l\0'; printf 'rc %s\0' "$?"; } | base64 -w0
)"_L1;
constexpr int ListMissing = 44;
constexpr int ListNotDirectory = 20;

// Every process whose environment carries the mark of the call. This shell's own does not: it has SS_CALL
// only. KILL goes round again until nobody is left, because a process may fork between being found and being
// killed.
constexpr auto SignalScript = R"(found=0
for round in 1 2 3 4 5; do
  hits=0
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    if [ "$pid" != "$$" ] && grep -qzxF -e "PH_CALL=$SS_CALL" "$dir/environ" 2>/dev/null; then
      kill -s "$SS_SIG" "$pid" 2>/dev/null && hits=$((hits + 1))
    fi
  done
  found=$((found + hits))
  if [ "$SS_SIG" != KILL ] || [ "$hits" -eq 0 ]; then break; fi
done
echo "$found"
)"_L1;

ApiError badId()
{
    return SandboxWire::makeError(ApiError::Category::Local,
                                  u"This is not the id of a sandbox. Nothing was sent."_s);
}

/// Runs `reply` with `error` on the next turn, unless `scope` is gone by then.
template <typename T>
void failLater(QObject *scope, const ApiError &error, Reply<T> reply)
{
    QMetaObject::invokeMethod(
        scope,
        [scope, error, reply = std::move(reply)] {
            scope->deleteLater();
            reply(fail(error));
        },
        Qt::QueuedConnection);
}

} // namespace

SandboxClient::SandboxClient(NetworkAccess *network, SandboxEndpoint endpoint, QObject *parent,
                             const SandboxTiming &timing)
    : QObject(parent)
    , m_http(new SandboxHttp(network, std::move(endpoint), timing, this))
{ }

SandboxClient::~SandboxClient() = default;

const SandboxEndpoint &SandboxClient::endpoint() const { return m_http->endpoint(); }

QObject *SandboxClient::scopeFor(QObject *context)
{
    Q_ASSERT(context);
    auto *scope = new QObject(m_http);
    connect(context, &QObject::destroyed, scope, [scope] { delete scope; });
    return scope;
}

void SandboxClient::create(const CreateSandbox &request, QObject *context, Reply<SandboxInfo> reply)
{
    RequestSpec spec = m_http->controlSpec("POST", "/sandboxes");
    spec.body = SandboxWire::createBody(request);
    spec.repeatable = false; // There is no key against doubles: a second send may be a second sandbox.
    spec.firstByteTimeout = m_http->timing().longCall;
    QObject *scope = scopeFor(context);
    // A lane of its own: booting takes long, and short calls must not wait behind it.
    m_http->control(
        spec, Lane::Stream, scope, [=, this](const Result<SandboxHttp::Answer, ApiError> &answer) {
            scope->deleteLater();
            if (!answer)
                return reply(fail(answer.error()));
            const Result<SandboxWire::Answer, ApiError> sandbox = SandboxWire::readSandbox(answer->body);
            if (!sandbox || sandbox->token.isEmpty()) {
                ApiError error = sandbox
                    ? SandboxWire::makeError(
                        ApiError::Category::Protocol,
                        u"The sandbox service created a sandbox but sent no access token for it."_s)
                    : sandbox.error();
                error.outcomeUnknown =
                    true; // It exists, but the answer does not say which one it is for certain.
                return reply(fail(error));
            }
            m_http->remember(sandbox->info.id, sandbox->token);
            reply(sandbox->info);
        });
}

void SandboxClient::get(const QString &id, QObject *context, Reply<SandboxInfo> reply)
{
    QObject *scope = scopeFor(context);
    if (!SandboxWire::isSandboxId(id))
        return failLater(scope, badId(), std::move(reply));
    m_http->control(m_http->controlSpec("GET", SandboxWire::sandboxPath(id)), Lane::Control, scope,
                    [=, this](const Result<SandboxHttp::Answer, ApiError> &answer) {
                        scope->deleteLater();
                        if (!answer)
                            return reply(fail(answer.error()));
                        const Result<SandboxWire::Answer, ApiError> sandbox =
                            SandboxWire::readSandbox(answer->body);
                        if (!sandbox)
                            return reply(fail(sandbox.error()));
                        m_http->remember(id, sandbox->token);
                        reply(sandbox->info);
                    });
}

void SandboxClient::list(const ListSandboxes &filter, QObject *context, Reply<QList<SandboxInfo>> reply)
{
    listPage(filter, scopeFor(context), {}, 0, reply);
}

void SandboxClient::listPage(const ListSandboxes &filter, QObject *scope, const QList<SandboxInfo> &before,
                             int offset, const Reply<QList<SandboxInfo>> &reply)
{
    const QByteArray path = "/sandboxes" + SandboxWire::listQuery(filter, PageSize, offset);
    m_http->control(m_http->controlSpec("GET", path), Lane::Control, scope,
                    [=, this](const Result<SandboxHttp::Answer, ApiError> &answer) {
                        const Result<QList<SandboxInfo>, ApiError> page = answer
                            ? SandboxWire::readSandboxes(answer->body)
                            : Result<QList<SandboxInfo>, ApiError>(fail(answer.error()));
                        if (!page) {
                            scope->deleteLater();
                            return reply(fail(page.error()));
                        }
                        // Paging is by offset: rows shift while sandboxes come and go, so some appear twice.
                        QList<SandboxInfo> all = before;
                        QSet<QString> known;
                        for (const SandboxInfo &info : before)
                            known.insert(info.id);
                        for (const SandboxInfo &info : *page) {
                            if (!known.contains(info.id)) {
                                known.insert(info.id);
                                all.append(info);
                            }
                        }
                        const qsizetype next = offset + page->size();
                        const bool more = page->size() >= PageSize && all.size() > before.size()
                            && (answer->totalCount < 0 || next < answer->totalCount)
                            && all.size() < MostSandboxes;
                        if (more)
                            return listPage(filter, scope, all, static_cast<int>(next), reply);
                        scope->deleteLater();
                        reply(all);
                    });
}

void SandboxClient::patch(const QString &id, const PatchSandbox &change, QObject *context, Reply<Done> reply)
{
    QObject *scope = scopeFor(context);
    if (!SandboxWire::isSandboxId(id))
        return failLater(scope, badId(), std::move(reply));
    RequestSpec spec = m_http->controlSpec("PATCH", SandboxWire::sandboxPath(id));
    spec.body = SandboxWire::patchBody(change);
    spec.repeatable = false;
    if (spec.body == "{}") { // The service refuses an empty change; there is nothing to do.
        QMetaObject::invokeMethod(
            scope,
            [scope, reply = std::move(reply)] {
                scope->deleteLater();
                reply(Done{});
            },
            Qt::QueuedConnection);
        return;
    }
    m_http->control(spec, Lane::Control, scope, [=](const Result<SandboxHttp::Answer, ApiError> &answer) {
        scope->deleteLater();
        if (!answer)
            return reply(fail(answer.error()));
        reply(Done{});
    });
}

void SandboxClient::activate(const QString &id, QObject *context, Reply<SandboxInfo> reply)
{
    if (!SandboxWire::isSandboxId(id))
        return failLater(scopeFor(context), badId(), std::move(reply));
    (new ConnectCall(m_http, id, context, std::move(reply)))->start();
}

void SandboxClient::resume(const QString &id, QObject *context, Reply<SandboxInfo> reply)
{
    QObject *scope = scopeFor(context);
    if (!SandboxWire::isSandboxId(id))
        return failLater(scope, badId(), std::move(reply));
    RequestSpec spec = m_http->controlSpec("POST", SandboxWire::sandboxPath(id) + "/resume");
    spec.firstByteTimeout = m_http->timing().longCall;
    m_http->control(
        spec, Lane::Stream, scope, [=, this](const Result<SandboxHttp::Answer, ApiError> &answer) {
            scope->deleteLater();
            if (!answer)
                return reply(fail(answer.error()));
            const Result<SandboxWire::Answer, ApiError> sandbox = SandboxWire::readSandbox(answer->body);
            if (!sandbox)
                return reply(fail(sandbox.error()));
            m_http->remember(id, sandbox->token);
            reply(sandbox->info);
        });
}

void SandboxClient::pause(const QString &id, QObject *context, Reply<Done> reply)
{
    if (!SandboxWire::isSandboxId(id))
        return failLater(scopeFor(context), badId(), std::move(reply));
    (new PauseCall(m_http, id, context, std::move(reply)))->start();
}

void SandboxClient::remove(const QString &id, QObject *context, Reply<Done> reply)
{
    if (!SandboxWire::isSandboxId(id))
        return failLater(scopeFor(context), badId(), std::move(reply));
    (new DeleteCall(m_http, id, context, std::move(reply)))->start();
}

void SandboxClient::health(QObject *context, Reply<Json> reply)
{
    QObject *scope = scopeFor(context);
    RequestSpec spec = m_http->controlSpec("GET", "/health");
    spec.secretHeaders.clear();
    // Not through control(): this call needs no key.
    m_http->anonymous(spec, scope, [=](const Result<SandboxHttp::Answer, ApiError> &answer) {
        scope->deleteLater();
        if (!answer)
            return reply(fail(answer.error()));
        const Result<Json, JsonError> parsed = parseJson(answer->body);
        if (!parsed) {
            return reply(fail(SandboxWire::makeError(
                ApiError::Category::Protocol, u"The health answer of the sandbox service is not JSON."_s)));
        }
        reply(*parsed);
    });
}

CommandSession *SandboxClient::startCommand(const QString &id, const CommandRequest &request, QObject *parent)
{
    auto *session = new ExecSession(m_http, id, request, parent);
    for (const auto &[name, callId] : request.env) {
        if (name == "PH_CALL"_L1)
            session->setSignaller([this, id, callId = callId](const QString &signal, QObject *context) {
                signalCall(id, callId, signal, context, [](const Result<int, ApiError> &) {});
            });
    }
    return session;
}

void SandboxClient::execWith(const QString &id, const CommandRequest &request, QObject *scope,
                             Reply<ExecResult> reply)
{
    if (!SandboxWire::isSandboxId(id))
        return failLater(scope, badId(), std::move(reply));
    RequestSpec spec = m_http->dataSpec("POST", id, "/exec");
    spec.body = SandboxWire::commandBody(request);
    spec.repeatable = false;
    spec.maxBytes = LargestExecAnswer;
    // The head of the answer comes when the command has ended.
    spec.silenceAfterWake = std::chrono::milliseconds(0);
    spec.firstByteTimeout =
        std::max(request.timeout, std::chrono::milliseconds(0)) + m_http->timing().execGrace;
    m_http->boundAnswer(spec, spec.maxBytes);
    const auto read = [=](const Result<SandboxHttp::Answer, ApiError> &answer) {
        scope->deleteLater();
        if (!answer)
            return reply(fail(answer.error()));
        reply(SandboxWire::readExecResult(answer->body));
    };
    m_http->data(id, spec, Lane::Stream, scope, read, request.wake);
}

void SandboxClient::exec(const QString &id, const CommandRequest &request, QObject *context,
                         Reply<ExecResult> reply)
{
    execWith(id, request, scopeFor(context), std::move(reply));
}

void SandboxClient::signalCall(const QString &id, const QString &callId, const QString &signal,
                               QObject *context, Reply<int> reply)
{
    QString name = signal;
    if (name.startsWith("SIG"_L1))
        name.remove(0, 3);
    CommandRequest request;
    request.command = SignalScript;
    request.env = {{u"SS_CALL"_s, callId}, {u"SS_SIG"_s, name}};
    request.timeout = SignalTime;
    execWith(id, request, scopeFor(context),
             [reply = std::move(reply)](const Result<ExecResult, ApiError> &result) {
                 if (!result)
                     return reply(fail(result.error()));
                 bool isNumber = false;
                 const int found = result->standardOutput.trimmed().toInt(&isNumber);
                 if (result->exitCode != 0 || !isNumber) {
                     return reply(fail(SandboxWire::makeError(
                         ApiError::Category::Protocol,
                         QString(u"The processes of the call could not be looked for in the sandbox: "_s
                                 + cleanErrorText(QString::fromUtf8(result->standardError))))));
                 }
                 reply(found);
             });
}

void SandboxClient::writeFile(const QString &id, const QString &path, const QByteArray &bytes,
                              QObject *context, Reply<Done> reply)
{
    QObject *scope = scopeFor(context);
    const QString problem = pathProblem(path);
    if (!SandboxWire::isSandboxId(id) || !problem.isEmpty()) {
        return failLater(
            scope, problem.isEmpty() ? badId() : SandboxWire::makeError(ApiError::Category::Local, problem),
            std::move(reply));
    }
    RequestSpec spec = m_http->dataSpec("POST", id, "/files?path=" + SandboxWire::encoded(path));
    spec.body = bytes;
    spec.contentType = "application/octet-stream";
    spec.repeatable = false;
    spec.firstByteTimeout += std::chrono::seconds(bytes.size() / UploadBytesPerSecond);
    m_http->data(id, spec, Lane::Transfer, scope, [=](const Result<SandboxHttp::Answer, ApiError> &answer) {
        scope->deleteLater();
        if (!answer)
            return reply(fail(answer.error()));
        reply(Done{});
    });
}

void SandboxClient::readFile(const QString &id, const QString &path, qint64 maxBytes, QObject *context,
                             Reply<QByteArray> reply, Wake wake)
{
    QObject *scope = scopeFor(context);
    const QString problem = pathProblem(path);
    if (!SandboxWire::isSandboxId(id) || !problem.isEmpty()) {
        return failLater(
            scope, problem.isEmpty() ? badId() : SandboxWire::makeError(ApiError::Category::Local, problem),
            std::move(reply));
    }
    RequestSpec spec = m_http->dataSpec("GET", id, "/files?path=" + SandboxWire::encoded(path));
    spec.contentType.clear();
    spec.maxBytes = maxBytes;
    const auto read = [=](const Result<SandboxHttp::Answer, ApiError> &answer) {
        scope->deleteLater();
        if (!answer)
            return reply(fail(answer.error()));
        reply(answer->body);
    };
    m_http->data(id, spec, Lane::Transfer, scope, read, wake);
}

void SandboxClient::listFiles(const QString &id, const QString &path, QObject *context,
                              Reply<FileListing> reply)
{
    QObject *scope = scopeFor(context);
    if (const QString problem = pathProblem(path); !problem.isEmpty())
        return failLater(scope, SandboxWire::makeError(ApiError::Category::Local, problem), std::move(reply));
    CommandRequest request;
    request.command = ListScript;
    request.env = {{u"SS_P"_s, path}};
    request.timeout = ListTime;
    request.wake = Wake::Never;
    execWith(
        id, request, scope, [path, reply = std::move(reply)](const Result<ExecResult, ApiError> &result) {
            if (!result)
                return reply(fail(result.error()));
            if (result->exitCode == ListMissing || result->exitCode == ListNotDirectory) {
                const bool missing = result->exitCode == ListMissing;
                return reply(fail(SandboxWire::makeError(
                    missing ? ApiError::Category::NotFound : ApiError::Category::InvalidRequest,
                    QString(path
                            + (missing ? u" does not exist in the sandbox."_s : u" is not a folder."_s)))));
            }
            FileListing listing = SandboxWire::readListing(result->standardOutput);
            listing.complete = listing.complete && !result->truncated && result->exitCode == 0;
            reply(listing);
        });
}

QString SandboxClient::pathProblem(QStringView path)
{
    if (!path.startsWith(u'/'))
        return u"A path in the sandbox must be absolute, beginning with \"/\". Nothing was sent."_s;
    if (path.contains(QChar(u'\0')))
        return u"A path cannot hold a NUL character. Nothing was sent."_s;
    const auto segments = path.split(u'/');
    if (std::any_of(segments.begin(), segments.end(), [](QStringView segment) { return segment == ".."_L1; }))
        return u"A path with a \"..\" segment is refused. Nothing was sent; write it out."_s;
    return {};
}

} // namespace Pilothouse
