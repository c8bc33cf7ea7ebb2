// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/publicfetch.h"

#include "net/httpjob.h"
#include "net/networkaccess.h"
#include "text/inerttext.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::milliseconds LongestFetch{30'000}; // A person waits for a picture, not for minutes.
constexpr qsizetype LongestHost = 100;

Error fetchError(const QUrl &url, const ApiError &error)
{
    const QString host = inertLine(url.host(), LongestHost);
    QString message = error.message;
    if (!message.contains(host)) // Most name it themselves.
        message = host + u" did not give the file: "_s + message;
    return {ErrorKind::NotFound, message, {}, u"Try again, or open the address in a browser."_s};
}

} // namespace

void fetchPublic(NetworkAccess *network, const QUrl &url, qint64 most, QObject *scope,
                 std::function<void(const Result<QByteArray, Error> &)> reply)
{
    RequestSpec spec;
    // What an address carries beside host, path and query is not for the host.
    spec.url = url.adjusted(QUrl::RemoveUserInfo | QUrl::RemoveFragment);
    spec.maxBytes = most;
    spec.totalTimeout = LongestFetch;
    HttpJob *job = network->start(spec, Lane::Transfer, scope);
    QObject::connect(job, &HttpJob::finished, scope, [job, url, reply = std::move(reply)] {
        if (job->error())
            reply(fail(fetchError(url, *job->error())));
        else
            reply(job->body());
    });
}

} // namespace Pilothouse
