// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/modelfault.h"

#include "net/backoff.h"

#include <QHash>
#include <QRegularExpression>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Category = ApiError::Category;

namespace {

constexpr qsizetype LongestMessage =
    2000; // A reason is a sentence or two; servers have been seen to echo requests.
constexpr qsizetype LongestSummary = 200;

std::optional<Category> categoryOfCode(const QString &code)
{
    static const QHash<QString, Category> known{
        {u"invalid_request_error"_s, Category::InvalidRequest},
        {u"context_length_exceeded"_s, Category::ContextWindow},
        {u"exceed_context_size_error"_s, Category::ContextWindow},
        {u"authentication_error"_s, Category::Auth},
        {u"invalid_api_key"_s, Category::Auth},
        {u"API_KEY_INVALID"_s, Category::Auth},
        {u"UNAUTHENTICATED"_s, Category::Auth},
        {u"billing_error"_s, Category::Billing},
        {u"insufficient_quota"_s, Category::Billing},
        {u"credit_balance_exhausted"_s, Category::Billing},
        {u"enforced_spend_limit_reached"_s, Category::Billing},
        {u"contract_spend_limit_reached"_s, Category::Billing},
        {u"linked_organization_spend_limit_reached"_s, Category::Billing},
        {u"linked_organization_billing_unavailable"_s, Category::Billing},
        {u"permission_error"_s, Category::Permission},
        {u"PERMISSION_DENIED"_s, Category::Permission},
        {u"not_found_error"_s, Category::NotFound},
        {u"NOT_FOUND"_s, Category::NotFound},
        {u"model_not_found"_s, Category::NotFound},
        {u"conflict_error"_s, Category::Conflict},
        {u"request_too_large"_s, Category::TooLarge},
        {u"rate_limit_error"_s, Category::RateLimit},
        {u"rate_limit_exceeded"_s, Category::RateLimit},
        {u"RESOURCE_EXHAUSTED"_s, Category::RateLimit},
        {u"overloaded_error"_s, Category::Overloaded},
        {u"server_is_overloaded"_s, Category::Overloaded},
        {u"slow_down"_s, Category::Overloaded},
        {u"UNAVAILABLE"_s, Category::Overloaded},
        {u"api_error"_s, Category::Server},
        {u"server_error"_s, Category::Server},
        {u"INTERNAL"_s, Category::Server},
        {u"timeout_error"_s, Category::Timeout},
        {u"DEADLINE_EXCEEDED"_s, Category::Timeout},
    };
    const auto found = known.constFind(code);
    return found == known.constEnd() ? std::nullopt : std::optional(found.value());
}

bool isSuccess(int status) { return status >= 200 && status < 300; }

bool speaksOfContextSize(const QString &message)
{
    static const QRegularExpression pattern(
        u"context (size|window|length)|prompt is too long|maximum context"_s,
        QRegularExpression::CaseInsensitiveOption);
    return pattern.match(message).hasMatch();
}

Category categoryOfStatus(int status)
{
    constexpr int FlexCapacity = 498; // Some gateways say with it that no machine is free.
    return status == FlexCapacity ? Category::Overloaded : categoryForStatus(status);
}

Category categoryInStream(const QString &code)
{
    if (code.isEmpty())
        return Category::Server;
    bool isNumber = false;
    const int status = code.toInt(&isNumber);
    return isNumber && status >= 300 && status < 600 ? categoryOfStatus(status) : Category::InvalidRequest;
}

Category categoryOf(const ModelFault &fault, int status)
{
    if (status == 402)
        return Category::Billing;
    for (const QString &code : {fault.detailCode, fault.code}) {
        if (const std::optional<Category> category = categoryOfCode(code))
            return *category;
    }
    return isSuccess(status) ? categoryInStream(fault.code) : categoryOfStatus(status);
}

std::optional<qint64> wishedWait(const AnswerHead &head)
{
    bool isNumber = false;
    const qint64 ms = head.retryAfterMs.trimmed().toLongLong(&isNumber);
    constexpr qint64 Day = 24LL * 3600 * 1000; // As in Backoff: keeps sums in range.
    if (isNumber && ms >= 0)
        return qMin(ms, Day);
    return Backoff::retryAfterMs(head.retryAfter, head.nowUtcMs);
}

} // namespace

ModelFault faultFromJson(const Json &json)
{
    const Json &envelope = json.isArray() ? json.at(0) : json;
    const Json &inner = envelope[u"error"];
    const Json &error = inner.isObject() ? inner : envelope;
    const Json &code = error[u"code"];
    const QString detail = error[u"details"][u"error_code"].toString();
    QString type = error[u"type"].toString();
    if (type == "error"_L1) // The envelope's own word.
        type.clear();
    QString word = code.toString();
    QString number = code.isNumber() ? QString::fromLatin1(code.toJson()) : QString();
    bool isNumber = false;
    (void)word.toInt(&isNumber);
    if (isNumber)
        number = std::exchange(word, QString());

    ModelFault fault;
    fault.detailCode = !detail.isEmpty() ? detail : (!word.isEmpty() ? word : type);
    fault.code = !number.isEmpty() ? number : (!type.isEmpty() ? type : word);
    fault.message = inner.isString() ? inner.toString() : error[u"message"].toString();
    if (fault.message.isEmpty())
        fault.message = errorTextFromBody(json.toJson());
    if (fault.message.isEmpty())
        fault.message = u"The service reported an error and gave no reason."_s;
    fault.requestId = envelope[u"request_id"].toString();
    return fault;
}

ApiError errorFromFault(const ModelFault &fault, const AnswerHead &head, bool partial)
{
    ApiError error;
    error.category = categoryOf(fault, head.status);
    error.status = isSuccess(head.status) ? 0 : head.status;
    error.code = cleanErrorText(fault.detailCode.isEmpty() ? fault.code : fault.detailCode);
    error.message = cleanErrorText(fault.message);
    error.partial = partial;
    error.requestId =
        cleanErrorText(fault.requestId.isEmpty() ? QString::fromUtf8(head.requestId) : fault.requestId);
    if (error.category == Category::InvalidRequest && speaksOfContextSize(fault.message))
        error.category = Category::ContextWindow;
    error.retryable = isRetryable(error.category);
    if (head.shouldRetry == "true")
        error.retryable = true;
    else if (head.shouldRetry == "false")
        error.retryable = false;
    if (error.retryable)
        error.retryAfterMs = wishedWait(head);
    return error;
}

QString summaryOfBody(const QByteArray &body)
{
    constexpr qsizetype Searched = 8192; // A title stands near the start of a page.
    const QString text = QString::fromUtf8(body.left(Searched));
    static const QRegularExpression title(u"<title[^>]*>([^<]*)"_s,
                                          QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = title.match(text);
    if (match.hasMatch())
        return cleanErrorText(match.captured(1)).left(LongestSummary);
    static const QRegularExpression tags(u"<[^>]*>"_s);
    QString plain = text;
    plain.replace(tags, u" "_s);
    return cleanErrorText(plain.trimmed().section(u'\n', 0, 0)).left(LongestSummary);
}

} // namespace Pilothouse
