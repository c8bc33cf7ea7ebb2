// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/archivedownload.h"

#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "sandbox/sandboxclient.h"
#include "sandbox/sandboxfiles.h"
#include "sandbox/sandboxhttp.h"
#include "sandbox/sandboxwire.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::minutes CountTime{2};
constexpr auto NoArchive = "no_archive"_L1;

// One letter for each entry, so that no name can disturb. The x keeps line feeds at the end of the path.
constexpr auto CountScript = R"sh(SS_P=$(printf %s "$SS_P64" | base64 -d; printf x); SS_P=${SS_P%x}
[ -d "$SS_P/" ] || exit 44
n() { find "$SS_P/" -mindepth 1 "$@" -printf x | wc -c; }
f=$(n -type f) && d=$(n -type d) && o=$(n ! -type f ! -type d) && echo $f $d $o)sh"_L1;

ApiError noArchive(const QString &why)
{
    ApiError error = SandboxWire::makeError(ApiError::Category::InvalidRequest, why);
    error.code = QString(NoArchive);
    return error;
}

bool makesNone(const ApiError &error)
{
    return error.status == 400 || error.status == 404 || error.status == 405 || error.status == 501;
}

} // namespace

ArchiveDownload::ArchiveDownload(SandboxClient *client, QString sandboxId, QByteArray path, QObject *parent)
    : QObject(parent)
    , m_client(client)
    , m_id(std::move(sandboxId))
    , m_path(std::move(path))
{ }

void ArchiveDownload::start(std::function<void(const QByteArray &)> sink, Reply<TreeCount> reply)
{
    m_sink = std::move(sink);
    m_reply = std::move(reply);
    QString problem = SandboxFiles::pathProblem(m_path);
    if (problem.isEmpty() && m_path.count('/') == m_path.size())
        problem = u"The whole machine is not packed into one archive."_s;
    if (!problem.isEmpty()) {
        QMetaObject::invokeMethod(
            this, [this, problem] { finish(fail(noArchive(problem))); }, Qt::QueuedConnection);
        return;
    }
    CommandRequest count;
    count.command = CountScript;
    count.env = {{u"SS_P64"_s, QString::fromLatin1(m_path.toBase64())}};
    count.timeout = CountTime;
    count.wake = Wake::Never;
    m_client->exec(m_id, count, this, [this](const Result<ExecResult, ApiError> &result) {
        if (!result)
            return finish(fail(result.error()));
        const QList<QByteArray> words = result->standardOutput.simplified().split(' ');
        bool isNumber[3] = {};
        m_count.files = words.value(0).toLongLong(&isNumber[0]);
        m_count.folders = words.value(1).toLongLong(&isNumber[1]);
        m_count.others = words.value(2).toLongLong(&isNumber[2]);
        if (result->exitCode != 0 || !isNumber[0] || !isNumber[1] || !isNumber[2])
            return finish(fail(noArchive(u"What is in the folder could not be counted."_s)));
        if (m_count.files + m_count.folders >= MostEntries)
            return finish(fail(noArchive(u"The folder holds more than one archive can."_s)));
        if (!m_client)
            return;
        m_client->http()->token(
            m_id, this,
            [this](const Result<Secret, ApiError> &token) {
                if (!token)
                    return finish(fail(token.error()));
                ask(*token, false);
            },
            Wake::Never);
    });
}

void ArchiveDownload::ask(const Secret &token, bool isRepeat)
{
    if (!m_client)
        return;
    m_token = token;
    SandboxHttp *http = m_client->http();
    RequestSpec spec =
        http->dataSpec("GET", m_id, "/files?path=" + m_path.toPercentEncoding() + "&format=zip");
    spec.contentType.clear();
    spec.secretHeaders.append({"X-Access-Token", token});
    spec.stream = true;
    spec.maxBytes = LargestArchive;
    http->boundAnswer(spec, LargestArchive);
    m_job = http->network()->start(spec, Lane::Transfer, this);
    connect(m_job, &HttpJob::bodyReceived, this, [this](const QByteArray &bytes) { m_sink(bytes); });
    connect(m_job, &HttpJob::finished, this, [this, isRepeat] { onAnswer(isRepeat); });
}

void ArchiveDownload::onAnswer(bool isRepeat)
{
    if (!m_job->error())
        return finish(m_count);
    const ApiError error = *m_job->error();
    if (m_job->bytesReceived() == 0 && makesNone(error)) {
        ApiError none = noArchive(error.message);
        none.status = error.status;
        return finish(fail(none));
    }
    if (isRepeat || !m_client || !SandboxHttp::wantsActivate(error))
        return finish(fail(error));
    m_client->http()->refresh(
        m_id, m_token, this,
        [this](const Result<Secret, ApiError> &token) {
            if (!token)
                return finish(fail(token.error()));
            ask(*token, true);
        },
        Wake::Never);
}

void ArchiveDownload::finish(const Result<TreeCount, ApiError> &result)
{
    const Reply<TreeCount> reply = std::exchange(m_reply, {});
    if (reply)
        reply(result); // May delete this.
}

} // namespace Pilothouse
