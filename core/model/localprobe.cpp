// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/localprobe.h"

#include "model/chatdialect.h"
#include "model/modellistjob.h"
#include "net/networkaccess.h"

#include <QPointer>
#include <QTimer>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::milliseconds Limit{1500}; // A server on this machine answers a list in a few.
constexpr qsizetype MostUrls = 16;

} // namespace

QList<QUrl> LocalProbe::usualUrls()
{
    return {QUrl(u"http://127.0.0.1:11434/v1"_s), QUrl(u"http://127.0.0.1:8080/v1"_s),
            QUrl(u"http://127.0.0.1:8000/v1"_s), QUrl(u"http://127.0.0.1:1234/v1"_s)};
}

LocalProbe::LocalProbe(NetworkAccess *network, const QList<QUrl> &urls, QObject *parent)
    : QObject(parent)
{
    for (const QUrl &url : urls.first(qMin(urls.size(), MostUrls))) {
        if (!NetworkAccess::isLoopback(url))
            continue;
        const qsizetype at = m_servers.size();
        m_servers.append({url, QString(ChatDialect::find({}, url).id), {}});
        m_answered.append(false);
        ++m_open;
        ModelEndpoint endpoint;
        endpoint.baseUrl = url;
        ModelListJob *job = ModelListJob::list(network, u"openai-chat"_s, endpoint, this, Limit);
        connect(job, &ModelListJob::finished, this, [this, at, job] { onAnswer(at, job); });
    }
    if (m_open == 0)
        QTimer::singleShot(0, this, &LocalProbe::end);
}

void LocalProbe::onAnswer(qsizetype at, const ModelListJob *job)
{
    m_answered[at] = !job->error();
    m_servers[at].models = job->models();
    if (--m_open == 0)
        end();
}

void LocalProbe::end()
{
    QList<LocalServer> found;
    for (qsizetype i = 0; i < m_servers.size(); ++i) {
        if (m_answered[i])
            found.append(m_servers[i]);
    }
    const QPointer<LocalProbe> guard(this);
    Q_EMIT finished(found);
    if (guard)
        deleteLater();
}

} // namespace Pilothouse
