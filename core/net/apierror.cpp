// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/apierror.h"

#include "util/json.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Enough for any sentence of a service; more is a dump that nobody reads in an error line.
constexpr qsizetype LongestText = 500;
// A code is one word. A longer one is not a code.
constexpr qsizetype LongestCode = 64;

/// The object an error body is about; Null if the body is no such JSON.
Json errorObject(const QByteArray &body)
{
    const Result<Json, JsonError> parsed = parseJson(body.trimmed());
    if (!parsed)
        return {};
    if (parsed->isArray() && parsed->size() > 0)
        return parsed->at(0);
    return *parsed;
}

bool looksLikeHtml(const QString &text)
{
    return text.startsWith(u'<') || text.contains("<html"_L1, Qt::CaseInsensitive)
        || text.contains("<!doctype"_L1, Qt::CaseInsensitive) || text.contains("</"_L1);
}

/// True for characters that could hide or reorder what stands around them.
bool isHidden(QChar c)
{
    return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format
        || c.category() == QChar::Separator_Line || c.category() == QChar::Separator_Paragraph;
}

} // namespace

QString categoryName(ApiError::Category category)
{
    switch (category) {
    case ApiError::Category::InvalidRequest:
        return u"invalid_request"_s;
    case ApiError::Category::ContextWindow:
        return u"context_window"_s;
    case ApiError::Category::Auth:
        return u"auth"_s;
    case ApiError::Category::Billing:
        return u"billing"_s;
    case ApiError::Category::Permission:
        return u"permission"_s;
    case ApiError::Category::NotFound:
        return u"not_found"_s;
    case ApiError::Category::Conflict:
        return u"conflict"_s;
    case ApiError::Category::Gone:
        return u"gone"_s;
    case ApiError::Category::TooLarge:
        return u"too_large"_s;
    case ApiError::Category::RateLimit:
        return u"rate_limit"_s;
    case ApiError::Category::Overloaded:
        return u"overloaded"_s;
    case ApiError::Category::Server:
        return u"server"_s;
    case ApiError::Category::Timeout:
        return u"timeout"_s;
    case ApiError::Category::Truncated:
        return u"truncated"_s;
    case ApiError::Category::Protocol:
        return u"protocol"_s;
    case ApiError::Category::Network:
        return u"network"_s;
    case ApiError::Category::Tls:
        return u"tls"_s;
    case ApiError::Category::Redirect:
        return u"redirect"_s;
    case ApiError::Category::Cancelled:
        return u"cancelled"_s;
    case ApiError::Category::Local:
        return u"local"_s;
    }
    return u"server"_s;
}

ApiError::Category categoryForStatus(int status)
{
    switch (status) {
    case 401:
        return ApiError::Category::Auth;
    case 402:
        return ApiError::Category::Billing;
    case 403:
        return ApiError::Category::Permission;
    case 404:
        return ApiError::Category::NotFound;
    case 408:
    case 504:
        return ApiError::Category::Timeout;
    case 409:
        return ApiError::Category::Conflict;
    case 410:
        return ApiError::Category::Gone;
    case 413:
        return ApiError::Category::TooLarge;
    case 429:
        return ApiError::Category::RateLimit;
    case 503:
    case 529:
        return ApiError::Category::Overloaded;
    }
    if (status >= 300 && status < 400)
        return ApiError::Category::Redirect;
    if (status >= 400 && status < 500)
        return ApiError::Category::InvalidRequest;
    if (status >= 500 && status < 600)
        return ApiError::Category::Server;
    return ApiError::Category::Protocol;
}

bool isRetryable(ApiError::Category category)
{
    switch (category) {
    case ApiError::Category::RateLimit:
    case ApiError::Category::Overloaded:
    case ApiError::Category::Server:
    case ApiError::Category::Timeout:
    case ApiError::Category::Truncated:
        return true;
    case ApiError::Category::InvalidRequest:
    case ApiError::Category::ContextWindow:
    case ApiError::Category::Auth:
    case ApiError::Category::Billing:
    case ApiError::Category::Permission:
    case ApiError::Category::NotFound:
    case ApiError::Category::Conflict:
    case ApiError::Category::Gone:
    case ApiError::Category::TooLarge:
    case ApiError::Category::Protocol:
    case ApiError::Category::Network:
    case ApiError::Category::Tls:
    case ApiError::Category::Redirect:
    case ApiError::Category::Cancelled:
    case ApiError::Category::Local:
        return false;
    }
    return false;
}

QString cleanErrorText(const QString &text)
{
    QString clean;
    clean.reserve(qMin(text.size(), LongestText * 2));
    for (const QChar c : text) {
        if (c.isSpace() || isHidden(c)) {
            // White space and line ends become one space, other hidden characters nothing.
            if ((c.isSpace() || c == u'\n') && !clean.isEmpty() && !clean.endsWith(u' '))
                clean += u' ';
        } else {
            clean += c;
        }
        if (clean.size() > LongestText * 2)
            break;
    }
    clean = clean.trimmed();
    if (clean.size() > LongestText) {
        clean.truncate(LongestText - 1);
        if (clean.back().isHighSurrogate())
            clean.chop(1);
        clean += u'…';
    }
    return clean;
}

QString errorTextFromBody(const QByteArray &body)
{
    const Json object = errorObject(body);
    QString text;
    if (object.isObject()) {
        const Json &error = object[u"error"];
        if (error.isObject() && error[u"message"].isString())
            text = error[u"message"].toString();
        else if (error.isString())
            text = error.toString();
        else if (object[u"message"].isString())
            text = object[u"message"].toString();
        else if (object[u"detail"].isString())
            text = object[u"detail"].toString();
    } else if (object.isString()) {
        text = object.toString();
    } else if (object.isNull() && body.size() <= LongestText * 4) {
        // Not JSON: fit for people only if it is text. Something that merely begins like JSON was cut.
        const QByteArray trimmed = body.trimmed();
        if (!trimmed.startsWith('{') && !trimmed.startsWith('[') && !trimmed.contains('\0'))
            text = QString::fromUtf8(trimmed);
        if (text.count(QChar::ReplacementCharacter) > 2)
            text.clear();
    }
    text = text.trimmed();
    return looksLikeHtml(text) ? QString() : cleanErrorText(text);
}

QString errorCodeFromBody(const QByteArray &body)
{
    const Json object = errorObject(body);
    const Json &error = object[u"error"];
    const Json candidates[] = {error[u"code"], error[u"type"], object[u"code"]};
    for (const Json &candidate : candidates) {
        const QString code = candidate.toString();
        if (!code.isEmpty() && code.size() <= LongestCode)
            return cleanErrorText(code);
    }
    return {};
}

} // namespace Pilothouse
