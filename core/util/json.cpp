// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "util/json.h"

#include <charconv>
#include <cmath>

namespace Pilothouse {

namespace {

const Json &nullJson()
{
    static const Json value;
    return value;
}

} // namespace

Json::Json() = default;
Json::~Json() = default;
Json::Json(const Json &other) = default;
Json::Json(Json &&other) noexcept = default;
Json &Json::operator=(const Json &other) = default;
Json &Json::operator=(Json &&other) noexcept = default;

Json Json::boolean(bool value)
{
    Json json;
    json.m_value = value;
    return json;
}

Json Json::number(qint64 value) { return numberText(QByteArray::number(value)); }

Json Json::number(double value)
{
    if (!std::isfinite(value))
        return {};
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
    return numberText(QByteArray(buffer, end.ptr - buffer));
}

Json Json::numberText(QByteArray text)
{
    Json json;
    json.m_value = NumberText{std::move(text)};
    return json;
}

Json Json::string(QString value)
{
    Json json;
    json.m_value = std::move(value);
    return json;
}

Json Json::array() { return array(Elements()); }

Json Json::array(Elements elements)
{
    Json json;
    json.m_value = std::move(elements);
    return json;
}

Json Json::object()
{
    Json json;
    json.m_value = Object();
    return json;
}

Json Json::raw(QByteArray text)
{
    Json json;
    json.m_value = RawText{std::move(text)};
    return json;
}

Json::Type Json::type() const { return static_cast<Type>(m_value.index() + 1); }

bool Json::toBool(bool fallback) const
{
    const bool *value = std::get_if<bool>(&m_value);
    return value ? *value : fallback;
}

std::optional<qint64> Json::toInteger() const
{
    const NumberText *number = std::get_if<NumberText>(&m_value);
    if (!number)
        return {};
    qint64 value = 0;
    const char *begin = number->text.constData();
    const char *end = begin + number->text.size();
    const auto parsed = std::from_chars(begin, end, value);
    if (parsed.ec == std::errc() && parsed.ptr == end)
        return value;
    const std::optional<double> real = toDouble();
    constexpr double Largest = 9007199254740992.0; // 2^53: beyond it a double no longer names one integer.
    if (real && std::abs(*real) <= Largest && std::trunc(*real) == *real)
        return static_cast<qint64>(*real);
    return {};
}

std::optional<double> Json::toDouble() const
{
    const NumberText *number = std::get_if<NumberText>(&m_value);
    if (!number)
        return {};
    double value = 0;
    const char *begin = number->text.constData();
    const auto parsed = std::from_chars(begin, begin + number->text.size(), value);
    return parsed.ec == std::errc() ? std::optional(value) : std::nullopt;
}

QString Json::toString(const QString &fallback) const
{
    const QString *value = std::get_if<QString>(&m_value);
    return value ? *value : fallback;
}

qsizetype Json::size() const
{
    if (isObject())
        return static_cast<qsizetype>(members().size());
    return static_cast<qsizetype>(elements().size());
}

bool Json::contains(QStringView key) const
{
    for (const Member &member : members()) {
        if (member.key == key)
            return true;
    }
    return false;
}

const Json &Json::operator[](QStringView key) const
{
    for (const Member &member : members()) {
        if (member.key == key)
            return member.value;
    }
    return nullJson();
}

const Json &Json::at(qsizetype index) const
{
    const Elements &all = elements();
    return index >= 0 && index < static_cast<qsizetype>(all.size()) ? all[static_cast<size_t>(index)]
                                                                    : nullJson();
}

const Json::Members &Json::members() const
{
    static const Members none;
    const Object *object = std::get_if<Object>(&m_value);
    return object ? object->members : none;
}

const Json::Elements &Json::elements() const
{
    static const Elements none;
    const Elements *array = std::get_if<Elements>(&m_value);
    return array ? *array : none;
}

Json *Json::find(QStringView key)
{
    if (Object *object = std::get_if<Object>(&m_value)) {
        for (Member &member : object->members) {
            if (member.key == key)
                return &member.value;
        }
    }
    return nullptr;
}

Json &Json::set(const QString &key, Json value)
{
    if (isNull())
        m_value = Object();
    Object *object = std::get_if<Object>(&m_value);
    Q_ASSERT(object);
    if (Json *present = find(key))
        *present = std::move(value);
    else
        object->members.push_back({key, std::move(value)});
    return *this;
}

void Json::appendMember(QString key, Json value)
{
    Object *object = std::get_if<Object>(&m_value);
    Q_ASSERT(object);
    object->members.push_back({std::move(key), std::move(value)});
}

void Json::remove(QStringView key)
{
    if (Object *object = std::get_if<Object>(&m_value))
        std::erase_if(object->members, [key](const Member &member) { return member.key == key; });
}

void Json::append(Json value)
{
    if (isNull())
        m_value = Elements();
    Elements *array = std::get_if<Elements>(&m_value);
    Q_ASSERT(array);
    array->push_back(std::move(value));
}

bool Json::operator==(const Json &other) const
{
    if (type() == Type::Raw || other.type() == Type::Raw) {
        const auto parsed = [](const Json &json) {
            return json.type() == Type::Raw ? parseJson(json.toJson()).value_or(Json()) : json;
        };
        return parsed(*this) == parsed(other);
    }
    if (type() != other.type())
        return false;
    switch (type()) {
    case Type::Null:
    case Type::Raw:
        return true;
    case Type::Bool:
        return toBool() == other.toBool();
    case Type::String:
        return toString() == other.toString();
    case Type::Number: {
        const std::optional<qint64> a = toInteger();
        const std::optional<qint64> b = other.toInteger();
        return a && b ? *a == *b : toDouble() == other.toDouble();
    }
    case Type::Array:
        return elements() == other.elements();
    case Type::Object:
        if (size() != other.size())
            return false;
        for (const Member &member : members()) {
            if (!other.contains(member.key) || !(member.value == other[member.key]))
                return false;
        }
        return true;
    }
    return false;
}

} // namespace Pilothouse
