// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "httptypes.h"

namespace Pilothouse {

QByteArray HttpRequest::header(QByteArrayView name) const
{
    for (const HttpHeader &header : headers) {
        if (header.name.compare(name, Qt::CaseInsensitive) == 0)
            return header.value;
    }
    return {};
}

qsizetype HttpRequest::headerCount(QByteArrayView name) const
{
    qsizetype count = 0;
    for (const HttpHeader &header : headers)
        count += header.name.compare(name, Qt::CaseInsensitive) == 0 ? 1 : 0;
    return count;
}

QByteArray percentDecoded(const QByteArray &text) { return QByteArray::fromPercentEncoding(text); }

QList<std::pair<QByteArray, QByteArray>> parseQuery(const QByteArray &query)
{
    QList<std::pair<QByteArray, QByteArray>> pairs;
    for (QByteArray part : query.split('&')) {
        if (part.isEmpty())
            continue;
        part.replace('+', ' ');
        const qsizetype equals = part.indexOf('=');
        const QByteArray name = equals < 0 ? part : part.first(equals);
        const QByteArray value = equals < 0 ? QByteArray() : part.sliced(equals + 1);
        pairs.append({percentDecoded(name), percentDecoded(value)});
    }
    return pairs;
}

std::optional<QByteArray> queryValue(const QByteArray &query, QByteArrayView name)
{
    for (const auto &[key, value] : parseQuery(query)) {
        if (key == name)
            return value;
    }
    return std::nullopt;
}

} // namespace Pilothouse
