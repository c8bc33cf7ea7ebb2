// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "apifailure.h"

#include "text/inerttext.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Answers hold tokens and states that are old the moment they are read.
const HttpHeader NoStore = {"Cache-Control", "no-store"};

// Clients cut the texts of errors at some hundred characters; the start of a path and its end tell most.
constexpr qsizetype SubjectHead = 120;
constexpr qsizetype SubjectTail = 80;

} // namespace

HttpResponse jsonResponse(int status, const Json &body)
{
    return {status, {{"Content-Type", "application/json"}, NoStore}, body.toJson()};
}

HttpResponse controlError(const ApiFailure &failure)
{
    Json error = Json::object();
    error.set(u"code"_s, Json::string(QString::fromLatin1(failure.code)));
    error.set(u"message"_s, Json::string(failure.message));
    Json body = Json::object();
    body.set(u"error"_s, error);
    return jsonResponse(failure.status, body);
}

HttpResponse filesError(int status, const QString &message)
{
    Json body = Json::object();
    body.set(u"error"_s, Json::string(message));
    return jsonResponse(status, body);
}

HttpResponse plainError(int status, const QString &message)
{
    return {status,
            {{"Content-Type", "text/plain; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}, NoStore},
            message.toUtf8() + '\n'};
}

HttpResponse emptyResponse(int status) { return {status, {NoStore}, {}}; }

QString withSubject(const QString &what, const QByteArray &subject)
{
    QString text = QString::fromUtf8(subject);
    if (text.size() > SubjectHead + SubjectTail)
        text = text.left(SubjectHead) + u'…' + text.right(SubjectTail);
    // Also a lone half of a pair that the cut may have left is written out.
    text = inertText(text).replace(u'\n', u"\\u{a}"_s).replace(u'\t', u"\\u{9}"_s);
    return what + u": "_s + text;
}

ApiFailure sandboxNotFound(const QByteArray &id)
{
    return {404, "not_found", withSubject(u"sandbox not found"_s, id)};
}

} // namespace Pilothouse
