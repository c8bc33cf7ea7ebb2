// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/callid.h"

#include <QCryptographicHash>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Rule {
    qsizetype least;
    qsizetype most; // 0: no limit
    bool allowsDashes;
};

Rule ruleOf(CallIdForm form)
{
    switch (form) {
    case CallIdForm::Anthropic:
        return {1, 0, true};
    case CallIdForm::Responses:
        return {1, 64, true};
    case CallIdForm::Chat:
        return {1, 40, true};
    case CallIdForm::NineAlphanumerics:
        return {9, 9, false};
    }
    return {1, 40, true};
}

bool isAlphanumeric(QChar c)
{
    return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || (c >= u'0' && c <= u'9');
}

bool isDash(QChar c) { return c == u'_' || c == u'-'; }

} // namespace

QString callIdFor(const QString &id, CallIdForm form)
{
    const Rule rule = ruleOf(form);
    const bool fits = id.size() >= rule.least && (rule.most == 0 || id.size() <= rule.most);
    const bool isAllowed = std::all_of(
        id.begin(), id.end(), [&](QChar c) { return isAlphanumeric(c) || (rule.allowsDashes && isDash(c)); });
    if (fits && isAllowed)
        return id;
    const QByteArray digest = QCryptographicHash::hash(id.toUtf8(), QCryptographicHash::Sha256);
    if (rule.allowsDashes)
        return u"call_"_s + QString::fromLatin1(digest.toHex().left(24));
    constexpr char Letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    QString letters;
    for (const char byte : digest.first(rule.most))
        letters += QLatin1Char(Letters[static_cast<unsigned char>(byte) % (sizeof(Letters) - 1)]);
    return letters;
}

QString callNameFor(const QString &name)
{
    constexpr qsizetype Longest = 64;
    QString out = name.left(Longest);
    for (QChar &c : out) {
        if (!isAlphanumeric(c) && !isDash(c))
            c = u'_';
    }
    return out.isEmpty() ? u"unnamed"_s : out;
}

} // namespace Pilothouse
