// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/modellistjob.h"

#include "model/chatdialect.h"
#include "model/modelfault.h"
#include "net/httpjob.h"
#include "net/networkaccess.h"

#include <QDateTime>
#include <QUrlQuery>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 LargestList = 8 * 1024 * 1024; // The longest real list, of some 400 models, is under 1 MiB.
constexpr int MostPages = 5; // Of a thousand models each.

bool isAnthropic(const QString &protocol) { return protocol == "anthropic-messages"_L1; }

} // namespace

ModelListJob *ModelListJob::list(NetworkAccess *network, const QString &protocol,
                                 const ModelEndpoint &endpoint, QObject *parent,
                                 std::chrono::milliseconds limit)
{
    return describe(network, protocol, endpoint, {}, parent, limit);
}

ModelListJob *ModelListJob::describe(NetworkAccess *network, const QString &protocol,
                                     const ModelEndpoint &endpoint, const QString &model, QObject *parent,
                                     std::chrono::milliseconds limit)
{
    auto *job = new ModelListJob(network, protocol, endpoint, model, limit, parent);
    job->m_isOllama = !model.isEmpty() && !isAnthropic(protocol)
        && ChatDialect::find(endpoint.provider, endpoint.baseUrl).id == "ollama"_L1;
    if (job->m_isOllama)
        job->askOllama();
    else
        job->askPage({});
    return job;
}

ModelListJob::ModelListJob(NetworkAccess *network, QString protocol, ModelEndpoint endpoint, QString model,
                           std::chrono::milliseconds limit, QObject *parent)
    : QObject(parent)
    , m_network(network)
    , m_protocol(std::move(protocol))
    , m_endpoint(std::move(endpoint))
    , m_model(std::move(model))
    , m_limit(limit)
{ }

void ModelListJob::askPage(const QString &after)
{
    RequestSpec spec;
    QUrl base = m_endpoint.baseUrl;
    if (const QString path = base.path(); path.endsWith("/chat/completions"_L1))
        base.setPath(path.chopped(17)); // Some are given with the full path.
    spec.url = modelUrl(base, u"/models"_s, isAnthropic(m_protocol));
    if (isAnthropic(m_protocol)) {
        spec.headers = {{"anthropic-version", "2023-06-01"}};
        QUrlQuery query;
        query.addQueryItem(u"limit"_s, u"1000"_s);
        if (!after.isEmpty())
            query.addQueryItem(u"after_id"_s, QString::fromLatin1(QUrl::toPercentEncoding(after)));
        spec.url.setQuery(query);
    }
    send(spec);
}

void ModelListJob::askOllama()
{
    RequestSpec spec;
    spec.url = m_endpoint.baseUrl;
    QString path = spec.url.path();
    while (path.endsWith(u'/'))
        path.chop(1);
    if (path.endsWith("/v1"_L1))
        path.chop(3);
    spec.url.setPath(path + u"/api/show"_s);
    spec.method = "POST";
    spec.body = JsonBuilder().add("model"_L1, m_model).take();
    send(spec);
}

void ModelListJob::send(RequestSpec spec)
{
    if (!m_endpoint.key.isEmpty()) {
        if (isAnthropic(m_protocol))
            spec.secretHeaders = {{"x-api-key", m_endpoint.key}};
        else
            spec.secretHeaders = {{"Authorization", bearer(m_endpoint.key)}};
    }
    spec.maxBytes = LargestList;
    spec.totalTimeout = m_limit;
    m_job = m_network->start(spec, Lane::Control, this);
    connect(m_job, &HttpJob::finished, this, &ModelListJob::onAnswer);
}

void ModelListJob::onAnswer()
{
    if (m_job->error()) {
        m_error = m_job->error();
        // What the body says is better than the status alone.
        const Result<Json, JsonError> body = parseJson(m_job->errorBody());
        if (body && m_job->status() != 0) {
            AnswerHead head;
            head.status = m_job->status();
            head.retryAfter = m_job->header("retry-after");
            head.requestId = m_job->header("x-request-id");
            head.nowUtcMs = QDateTime::currentMSecsSinceEpoch();
            m_error = errorFromFault(faultFromJson(*body), head, false);
            m_error->message = m_endpoint.key.redact(m_error->message);
        }
        end();
        return;
    }
    const QByteArray body = m_job->body();
    if (m_isOllama)
        takeOllama(body);
    else
        takePage(body);
}

void ModelListJob::takePage(const QByteArray &body)
{
    const Result<ModelPage, QString> page = parseModelPage(m_protocol, m_endpoint.provider, body);
    if (!page) {
        failWith(
            ApiError::Category::Protocol,
            u"The service answered, but not with its models: %1. Check the base URL."_s.arg(page.error()));
        return;
    }
    m_models += page->models;
    ++m_pages;
    m_isCut = m_isCut || page->isCut;
    if (!page->next.isEmpty() && m_pages < MostPages) {
        askPage(page->next);
        return;
    }
    m_isCut = m_isCut || !page->next.isEmpty();
    if (!m_model.isEmpty()) {
        m_models.removeIf([this](const ListedModel &model) { return model.id != m_model; });
        if (m_models.isEmpty()) {
            failWith(ApiError::Category::NotFound,
                     u"The service does not list a model named \"%1\"."_s.arg(m_model.left(80)));
            return;
        }
    }
    end();
}

void ModelListJob::takeOllama(const QByteArray &body)
{
    const Result<ListedModel, QString> model = parseOllamaModel(m_model, body);
    if (!model) {
        failWith(ApiError::Category::Protocol,
                 u"The server answered, but %1. Check the base URL."_s.arg(model.error()));
        return;
    }
    m_models = {*model};
    end();
}

void ModelListJob::failWith(ApiError::Category category, const QString &message)
{
    m_error = ApiError();
    m_error->category = category;
    m_error->message = cleanErrorText(message);
    end();
}

void ModelListJob::end()
{
    const QPointer<ModelListJob> guard(this);
    Q_EMIT finished();
    if (guard)
        deleteLater();
}

} // namespace Pilothouse
