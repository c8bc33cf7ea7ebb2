// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "net/sseparser.h"

#include "util/json.h"

#include <QString>

#include <algorithm>

namespace Pilothouse {

namespace {

constexpr char ByteOrderMark[] = {'\xEF', '\xBB', '\xBF'};

QByteArray withoutInvalidUtf8(QByteArray bytes)
{
    if (QUtf8StringView(bytes).isValidUtf8())
        return bytes;
    return QString::fromUtf8(bytes).toUtf8();
}

// Position of `byte` at or after `from`, the size if there is none.
qsizetype indexOf(QByteArrayView bytes, char byte, qsizetype from)
{
    const qsizetype found = bytes.indexOf(byte, from);
    return found < 0 ? bytes.size() : found;
}

bool isJsonContainer(QByteArrayView text)
{
    const Result<Json, JsonError> json = parseJson(text);
    return json && (json->isObject() || json->isArray());
}

bool isFault(QByteArrayView text)
{
    const Result<Json, JsonError> json = parseJson(text);
    if (!json)
        return false;
    const Json &object = json->isArray() ? json->at(0) : *json;
    return object.contains(u"error");
}

} // namespace

QList<SseEvent> SseParser::feed(QByteArrayView bytes)
{
    QList<SseEvent> out;
    qsizetype start = 0;
    // The mark may be cut by packets; bytes that turn out to be no mark belong to the first line.
    while (m_bomSeen >= 0 && start < bytes.size()) {
        if (bytes[start] != ByteOrderMark[m_bomSeen]) {
            appendToLine(QByteArrayView(ByteOrderMark, m_bomSeen));
            m_bomSeen = -1;
            break;
        }
        ++start;
        if (++m_bomSeen == static_cast<int>(sizeof ByteOrderMark))
            m_bomSeen = -1;
    }
    if (m_bomSeen < 0)
        feedLines(bytes.sliced(start), out);
    return out;
}

void SseParser::feedLines(QByteArrayView bytes, QList<SseEvent> &out)
{
    qsizetype pos = 0;
    if (m_swallowLf && !bytes.isEmpty()) {
        m_swallowLf = false;
        if (bytes[0] == '\n')
            pos = 1;
    }
    // Both positions only move forward, so each byte is searched once for each, however many lines there are.
    qsizetype cr = indexOf(bytes, '\r', pos);
    qsizetype lf = indexOf(bytes, '\n', pos);
    while (pos < bytes.size() && !m_overflowed) {
        const qsizetype end = std::min(cr, lf);
        const QByteArrayView piece = bytes.sliced(pos, end - pos);
        if (end == bytes.size()) {
            appendToLine(piece);
            return;
        }
        if (m_line.isEmpty()) {
            endLine(piece, out);
        } else {
            appendToLine(piece);
            const QByteArray line = std::exchange(m_line, {});
            endLine(line, out);
        }
        pos = end + 1;
        if (bytes[end] == '\r') {
            // A CR ends its line at once; whether a LF belongs to it may only be known with the next packet.
            if (pos == bytes.size())
                m_swallowLf = true;
            else if (bytes[pos] == '\n')
                ++pos;
        }
        if (cr < pos)
            cr = indexOf(bytes, '\r', pos);
        if (lf < pos)
            lf = indexOf(bytes, '\n', pos);
    }
}

QList<SseEvent> SseParser::finish()
{
    QList<SseEvent> out;
    if (m_bomSeen > 0)
        appendToLine(QByteArrayView(ByteOrderMark, m_bomSeen));
    m_bomSeen = -1;
    if (!m_line.isEmpty()) {
        const QByteArray line = std::exchange(m_line, {});
        endLine(line, out);
    }
    if (m_hasData && (m_data.trimmed() == "[DONE]" || isJsonContainer(withoutInvalidUtf8(m_data))))
        dispatch(out);
    dispatchBare(out);
    m_data.clear();
    m_name.clear();
    m_hasData = false;
    return out;
}

bool SseParser::fits(qsizetype more)
{
    if (m_overflowed || m_line.size() + m_data.size() + m_bare.size() + more > LargestEvent) {
        m_overflowed = true;
        m_line.clear();
        m_data.clear();
        m_bare.clear();
        m_hasData = false;
    }
    return !m_overflowed;
}

void SseParser::appendToLine(QByteArrayView bytes)
{
    if (fits(bytes.size()))
        m_line += bytes;
}

void SseParser::endLine(QByteArrayView line, QList<SseEvent> &out)
{
    if (m_overflowed)
        return;
    if (line.isEmpty()) {
        dispatch(out);
        dispatchBare(out);
        return;
    }
    const qsizetype colon = line.indexOf(':');
    if (colon == 0)
        return; // A comment.
    const QByteArrayView field = colon < 0 ? line : line.first(colon);
    QByteArrayView value = colon < 0 ? QByteArrayView() : line.sliced(colon + 1);
    if (value.startsWith(' '))
        value = value.sliced(1);

    if (field == "data") {
        if (!fits(value.size() + 1))
            return;
        if (m_hasData)
            m_data += '\n';
        m_data += value;
        m_hasData = true;
    } else if (field == "event") {
        m_name = value.toByteArray();
    } else if (field == "error") {
        QByteArray fault = withoutInvalidUtf8(value.toByteArray());
        if (isJsonContainer(fault))
            out.append({{}, std::move(fault), true});
    } else if (!m_bare.isEmpty() || line.startsWith('{') || line.startsWith('[')) {
        if (!fits(line.size() + 1))
            return;
        m_bare += line;
        m_bare += '\n';
    }
}

void SseParser::dispatch(QList<SseEvent> &out)
{
    if (m_hasData)
        out.append({withoutInvalidUtf8(m_name), withoutInvalidUtf8(std::exchange(m_data, {})), false});
    m_data.clear();
    m_name.clear();
    m_hasData = false;
}

void SseParser::dispatchBare(QList<SseEvent> &out)
{
    if (m_bare.isEmpty())
        return;
    QByteArray text = withoutInvalidUtf8(std::exchange(m_bare, {}));
    if (isFault(text))
        out.append({{}, std::move(text), true});
}

} // namespace Pilothouse
