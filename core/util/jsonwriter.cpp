// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "util/json.h"

namespace Pilothouse {

namespace {

void appendNewline(QByteArray &out, int spaces)
{
    out += '\n';
    out.append(spaces, ' ');
}

void writePretty(QByteArray &out, const Json &value, int indent, int level)
{
    if (value.isObject() && value.size() > 0) {
        out += '{';
        bool first = true;
        for (const Json::Member &member : value.members()) {
            if (!first)
                out += ',';
            first = false;
            appendNewline(out, indent * (level + 1));
            appendJsonString(out, member.key);
            out += ": ";
            writePretty(out, member.value, indent, level + 1);
        }
        appendNewline(out, indent * level);
        out += '}';
    } else if (value.isArray() && value.size() > 0) {
        out += '[';
        bool first = true;
        for (const Json &element : value.elements()) {
            if (!first)
                out += ',';
            first = false;
            appendNewline(out, indent * (level + 1));
            writePretty(out, element, indent, level + 1);
        }
        appendNewline(out, indent * level);
        out += ']';
    } else {
        value.writeTo(out);
    }
}

} // namespace

QByteArray Json::toJson() const
{
    QByteArray out;
    writeTo(out);
    return out;
}

void Json::writeTo(QByteArray &out) const
{
    switch (type()) {
    case Type::Null:
        out += "null";
        break;
    case Type::Bool:
        out += toBool() ? "true" : "false";
        break;
    case Type::Number:
        out += std::get_if<NumberText>(&m_value)->text;
        break;
    case Type::String:
        appendJsonString(out, *std::get_if<QString>(&m_value));
        break;
    case Type::Raw:
        out += std::get_if<RawText>(&m_value)->text;
        break;
    case Type::Array: {
        out += '[';
        bool first = true;
        for (const Json &element : elements()) {
            if (!first)
                out += ',';
            first = false;
            element.writeTo(out);
        }
        out += ']';
        break;
    }
    case Type::Object: {
        out += '{';
        bool first = true;
        for (const Member &member : members()) {
            if (!first)
                out += ',';
            first = false;
            appendJsonString(out, member.key);
            out += ':';
            member.value.writeTo(out);
        }
        out += '}';
        break;
    }
    }
}

QByteArray Json::toPrettyJson(int indent) const
{
    QByteArray out;
    writePretty(out, *this, indent, 0);
    return out;
}

void appendJsonString(QByteArray &out, QStringView text)
{
    static constexpr char Hex[] = "0123456789abcdef";
    out += '"';
    qsizetype run = 0;
    const auto flush = [&](qsizetype end) {
        if (end > run)
            out += text.mid(run, end - run).toUtf8();
    };
    for (qsizetype i = 0; i < text.size(); ++i) {
        const char16_t c = text[i].unicode();
        const char *escape = nullptr;
        char unicodeEscape[7] = "\\u0000";
        switch (c) {
        case u'"':
            escape = "\\\"";
            break;
        case u'\\':
            escape = "\\\\";
            break;
        case u'\b':
            escape = "\\b";
            break;
        case u'\f':
            escape = "\\f";
            break;
        case u'\n':
            escape = "\\n";
            break;
        case u'\r':
            escape = "\\r";
            break;
        case u'\t':
            escape = "\\t";
            break;
        default:
            if (c < 0x20) {
                unicodeEscape[4] = Hex[c >> 4];
                unicodeEscape[5] = Hex[c & 15];
                escape = unicodeEscape;
            } else if (QChar::isSurrogate(c)) {
                if (QChar::isHighSurrogate(c) && i + 1 < text.size() && text[i + 1].isLowSurrogate()) {
                    ++i;
                    continue;
                }
                escape = "\xEF\xBF\xBD"; // A lone half has no UTF-8 form.
            }
        }
        if (escape) {
            flush(i);
            out += escape;
            run = i + 1;
        }
    }
    flush(text.size());
    out += '"';
}

void JsonBuilder::key(QLatin1StringView name)
{
    m_out += m_out.isEmpty() ? '{' : ',';
    m_out += '"';
    m_out.append(name.data(), name.size());
    m_out += "\":";
}

JsonBuilder &JsonBuilder::add(QLatin1StringView name, QStringView value)
{
    key(name);
    appendJsonString(m_out, value);
    return *this;
}

JsonBuilder &JsonBuilder::add(QLatin1StringView name, qint64 value)
{
    key(name);
    m_out += QByteArray::number(value);
    return *this;
}

JsonBuilder &JsonBuilder::add(QLatin1StringView name, bool value)
{
    key(name);
    m_out += value ? "true" : "false";
    return *this;
}

JsonBuilder &JsonBuilder::add(QLatin1StringView name, const Json &value)
{
    key(name);
    value.writeTo(m_out);
    return *this;
}

JsonBuilder &JsonBuilder::addNull(QLatin1StringView name)
{
    key(name);
    m_out += "null";
    return *this;
}

JsonBuilder &JsonBuilder::addOptional(QLatin1StringView name, const std::optional<qint64> &value)
{
    return value ? add(name, *value) : addNull(name);
}

JsonBuilder &JsonBuilder::raw(QLatin1StringView name, QByteArrayView json)
{
    key(name);
    m_out += json;
    return *this;
}

QByteArray JsonBuilder::take()
{
    QByteArray out = m_out.isEmpty() ? QByteArray("{}") : m_out + '}';
    m_out.clear();
    return out;
}

} // namespace Pilothouse
