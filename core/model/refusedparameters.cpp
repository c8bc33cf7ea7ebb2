// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/refusedparameters.h"

#include "util/json.h"

#include <QRegularExpression>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype SearchedText = 4000; // A reason names the parameter early; the rest may echo the request.

// "messages[1].reasoning_content" and the like.
QString inPath(const QString &path, const QStringList &sent)
{
    static const QRegularExpression separators(u"[^A-Za-z0-9_]+"_s);
    for (const QString &step : path.left(SearchedText).split(separators, Qt::SkipEmptyParts)) {
        if (sent.contains(step))
            return step;
    }
    return {};
}

// Of validators that list what is wrong: {"loc":["body","stream_options"],…}.
QString inLocations(const Json &details, const QStringList &sent)
{
    for (const Json &detail : details.elements()) {
        for (const Json &step : detail[u"loc"].elements()) {
            if (sent.contains(step.toString()))
                return step.toString();
        }
    }
    return {};
}

QString inText(const QString &message, const QStringList &sent)
{
    const QString text = message.left(SearchedText);
    QString found;
    qsizetype first = text.size();
    for (const QString &name : sent) {
        const QString pattern = name.contains(u'_')
            ? QString(u"(?<![A-Za-z0-9_])"_s + name + u"(?![A-Za-z0-9_])"_s)
            : QString(u"['\"`]"_s + name + u"['\"`]"_s);
        const QRegularExpressionMatch match = QRegularExpression(pattern).match(text);
        if (match.hasMatch() && match.capturedStart() < first) {
            first = match.capturedStart();
            found = name;
        }
    }
    return found;
}

} // namespace

QString RefusedParameters::named(const QByteArray &errorBody, const QStringList &sent)
{
    if (sent.isEmpty())
        return {};
    const Result<Json, JsonError> parsed = parseJson(errorBody.trimmed());
    if (!parsed)
        return {};
    const Json &envelope = parsed->isArray() ? parsed->at(0) : *parsed;
    const Json &error = envelope[u"error"].isObject() ? envelope[u"error"] : envelope;
    QString name = inPath(error[u"param"].toString(), sent);
    if (name.isEmpty())
        name = inLocations(envelope[u"detail"], sent);
    for (const Json &text : {envelope[u"error"], error[u"message"], envelope[u"detail"]}) {
        if (name.isEmpty())
            name = inText(text.toString(), sent);
    }
    return name;
}

} // namespace Pilothouse
