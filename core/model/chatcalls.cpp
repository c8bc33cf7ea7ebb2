// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/chatcalls.h"

#include "model/toolarguments.h"

#include <QRandomGenerator>
#include <QSet>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using Type = StreamEvent::Type;

namespace {

// Nine letters and digits: the form that the strictest server wants.
QString madeUpId()
{
    constexpr char Letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    constexpr int Length = 9;
    QString id;
    for (int i = 0; i < Length; ++i)
        id += QLatin1Char(Letters[QRandomGenerator::global()->bounded(int(sizeof(Letters)) - 1)]);
    return id;
}

} // namespace

void ChatCalls::Call::append(const QString &piece)
{
    text += piece;
    // Followed as it comes, so that asking for completeness costs nothing however often it is asked.
    for (const QChar c : piece) {
        if (isEscaped) {
            isEscaped = false;
        } else if (isInString) {
            isEscaped = c == u'\\';
            isInString = c != u'"';
        } else if (c == u'"') {
            isInString = true;
        } else if (c == u'{' || c == u'[') {
            ++depth;
        } else if (c == u'}' || c == u']') {
            --depth;
        }
    }
}

bool ChatCalls::Call::looksComplete() const
{
    return !whole.isEmpty() || (!text.isEmpty() && depth <= 0 && !isInString);
}

qsizetype ChatCalls::openSlot()
{
    m_calls.append(Call());
    return m_calls.size() - 1;
}

qsizetype ChatCalls::slotFor(const Json &entry, const QString &id, const QString &name)
{
    if (const std::optional<qint64> index = entry[u"index"].toInteger()) {
        const auto newest = m_newestOfIndex.constFind(*index);
        qsizetype found = newest == m_newestOfIndex.constEnd() ? -1 : newest.value();
        if (found >= 0) {
            const Call &slot = m_calls[found];
            if (!id.isEmpty() && !slot.id.isEmpty() && slot.id != id)
                found = m_slotOfId.value(id, -1); // Known: goes on with that one. Else a call of its own.
            else if (id.isEmpty() && !name.isEmpty() && !slot.name.isEmpty() && slot.looksComplete())
                found = -1;
        }
        if (found < 0)
            found = openSlot();
        m_newestOfIndex.insert(*index, found);
        return found;
    }
    if (!id.isEmpty()) {
        const qsizetype found = m_slotOfId.value(id, -1);
        return found >= 0 ? found : openSlot();
    }
    if (m_calls.isEmpty())
        return openSlot();
    const Call &last = m_calls.last();
    const bool isNew = !name.isEmpty() && (name != last.name || last.looksComplete());
    return isNew ? openSlot() : m_calls.size() - 1;
}

void ChatCalls::add(const Json &entry, int &nextPart, QList<StreamEvent> &out)
{
    const Json &function = entry[u"function"];
    const QString id = entry[u"id"].toString();
    const QString name = function[u"name"].toString();
    const qsizetype before = m_calls.size();
    const qsizetype at = slotFor(entry, id, name);
    Call &slot = m_calls[at];
    if (m_calls.size() > before)
        slot.part = nextPart++;
    if (slot.id.isEmpty() && !id.isEmpty()) {
        slot.id = id;
        m_slotOfId.insert(id, at);
    }
    if (slot.name.isEmpty() && !name.isEmpty()) {
        slot.name = name;
        StreamEvent event = makeStreamEvent(Type::ToolCallBegin, slot.part);
        event.id = slot.id;
        event.name = name;
        out.append(event);
    }
    const Json &arguments = function[u"arguments"];
    if (arguments.isObject()) {
        slot.whole = arguments.toJson();
    } else if (const QString piece = arguments.toString(); !piece.isEmpty()) {
        slot.append(piece);
        out.append(makeStreamDelta(Type::ToolArgsDelta, slot.part, piece));
    }
    if (const Json &extra = entry[u"extra_content"]; !extra.isNull())
        slot.extra = extra;
}

void ChatCalls::close(QList<StreamEvent> &out)
{
    m_calls.removeIf([](const Call &slot) { return slot.name.isEmpty(); });
    QSet<QString> ids;
    for (Call &slot : m_calls) {
        while (slot.id.isEmpty() || ids.contains(slot.id))
            slot.id = madeUpId();
        ids.insert(slot.id);
        const ToolArguments checked =
            slot.whole.isEmpty() ? ToolArguments::check(slot.text) : ToolArguments{slot.whole, {}};
        slot.args = checked.args;
        StreamEvent event = makeStreamEvent(Type::ToolCall, slot.part);
        event.id = slot.id;
        event.name = slot.name;
        event.args = checked.args;
        if (checked.args.isEmpty()) {
            event.raw = slot.text;
            event.problem = checked.problem;
        }
        out.append(event);
    }
}

bool ChatCalls::hasCalls() const { return !m_calls.isEmpty(); }

Json ChatCalls::replay() const
{
    if (m_calls.isEmpty())
        return {};
    Json calls = Json::array();
    for (const Call &slot : m_calls) {
        const QByteArray args =
            slot.args.isEmpty() ? Json().set(u"INVALID_JSON"_s, Json::string(slot.text)).toJson() : slot.args;
        Json function;
        function.set(u"name"_s, Json::string(slot.name));
        function.set(u"arguments"_s, Json::string(QString::fromUtf8(args)));
        Json call;
        call.set(u"id"_s, Json::string(slot.id));
        call.set(u"type"_s, Json::string(u"function"_s));
        call.set(u"function"_s, function);
        if (!slot.extra.isNull())
            call.set(u"extra_content"_s, slot.extra);
        calls.append(call);
    }
    return calls;
}

} // namespace Pilothouse
