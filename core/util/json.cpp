// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "util/json.h"

#include <QHash>
#include <QStringEncoder>

#include <charconv>
#include <cmath>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

const Json &nullJson()
{
    static const Json value;
    return value;
}

// Length of the well-formed UTF-8 sequence at `p`, 0 if ill-formed (overlong, surrogate, above U+10FFFF,
// cut).
int utf8SequenceLength(const uchar *p, const uchar *end)
{
    const auto continuation = [&](int i, uchar low = 0x80, uchar high = 0xBF) {
        return p + i < end && p[i] >= low && p[i] <= high;
    };
    const uchar c = p[0];
    if (c < 0x80)
        return 1;
    if (c >= 0xC2 && c <= 0xDF)
        return continuation(1) ? 2 : 0;
    if (c >= 0xE0 && c <= 0xEF) {
        const uchar low = c == 0xE0 ? 0xA0 : 0x80;
        const uchar high = c == 0xED ? 0x9F : 0xBF;
        return continuation(1, low, high) && continuation(2) ? 3 : 0;
    }
    if (c >= 0xF0 && c <= 0xF4) {
        const uchar low = c == 0xF0 ? 0x90 : 0x80;
        const uchar high = c == 0xF4 ? 0x8F : 0xBF;
        return continuation(1, low, high) && continuation(2) && continuation(3) ? 4 : 0;
    }
    return 0;
}

class Parser {
public:
    Parser(QByteArrayView text, const JsonParseOptions &options)
        : m_begin(reinterpret_cast<const uchar *>(text.data()))
        , m_pos(m_begin)
        , m_end(m_begin + text.size())
        , m_options(options)
    { }

    Result<Json, JsonError> run()
    {
        Json value;
        skipSpace();
        if (!parseValue(value, 0))
            return fail(m_error);
        skipSpace();
        if (m_pos != m_end) {
            setError(u"unexpected text after the value"_s);
            return fail(m_error);
        }
        return value;
    }

private:
    bool setError(const QString &message)
    {
        m_error = {m_pos - m_begin, message};
        return false;
    }

    void skipSpace()
    {
        while (m_pos < m_end && (*m_pos == ' ' || *m_pos == '\n' || *m_pos == '\r' || *m_pos == '\t'))
            ++m_pos;
    }

    bool literal(const char *word, Json value, Json &out)
    {
        const uchar *p = m_pos;
        for (const char *w = word; *w; ++w, ++p) {
            if (p >= m_end || *p != static_cast<uchar>(*w))
                return setError(u"unknown word"_s);
        }
        m_pos = p;
        out = std::move(value);
        return true;
    }

    bool parseValue(Json &out, int depth)
    {
        if (m_pos >= m_end)
            return setError(u"unexpected end"_s);
        switch (*m_pos) {
        case '{':
            return parseObject(out, depth + 1);
        case '[':
            return parseArray(out, depth + 1);
        case '"': {
            QString text;
            if (!parseString(text))
                return false;
            out = Json::string(std::move(text));
            return true;
        }
        case 't':
            return literal("true", Json::boolean(true), out);
        case 'f':
            return literal("false", Json::boolean(false), out);
        case 'n':
            return literal("null", Json(), out);
        default:
            return parseNumber(out);
        }
    }

    bool parseObject(Json &out, int depth)
    {
        if (depth > m_options.maxDepth)
            return setError(u"nested too deeply"_s);
        ++m_pos;
        out = Json::object();
        skipSpace();
        if (m_pos < m_end && *m_pos == '}') {
            ++m_pos;
            return true;
        }
        // A small object is searched for equal keys member by member; hostile thousands of keys must not make
        // that quadratic, so past a few the keys go into a set.
        constexpr qsizetype FewMembers = 16;
        QHash<QString, bool> seen;
        for (;;) {
            skipSpace();
            if (m_pos >= m_end || *m_pos != '"')
                return setError(u"expected a member name"_s);
            QString key;
            if (!parseString(key))
                return false;
            skipSpace();
            if (m_pos >= m_end || *m_pos != ':')
                return setError(u"expected a colon"_s);
            ++m_pos;
            skipSpace();
            Json value;
            if (!parseValue(value, depth))
                return false;
            bool duplicate = false;
            if (out.size() < FewMembers) {
                duplicate = out.contains(key);
            } else {
                if (seen.isEmpty()) {
                    for (const Json::Member &member : out.members())
                        seen.insert(member.key, true);
                }
                duplicate = seen.contains(key);
                seen.insert(key, true);
            }
            if (duplicate) {
                if (m_options.rejectDuplicates)
                    return setError(u"the member \"%1\" appears twice"_s.arg(key.left(80)));
                out.set(key, std::move(value));
            } else {
                out.appendMember(std::move(key), std::move(value));
            }
            skipSpace();
            if (m_pos < m_end && *m_pos == ',') {
                ++m_pos;
                continue;
            }
            if (m_pos < m_end && *m_pos == '}') {
                ++m_pos;
                return true;
            }
            return setError(m_pos >= m_end ? u"unexpected end"_s : u"expected a comma or a closing brace"_s);
        }
    }

    bool parseArray(Json &out, int depth)
    {
        if (depth > m_options.maxDepth)
            return setError(u"nested too deeply"_s);
        ++m_pos;
        out = Json::array();
        skipSpace();
        if (m_pos < m_end && *m_pos == ']') {
            ++m_pos;
            return true;
        }
        for (;;) {
            skipSpace();
            Json value;
            if (!parseValue(value, depth))
                return false;
            out.append(std::move(value));
            skipSpace();
            if (m_pos < m_end && *m_pos == ',') {
                ++m_pos;
                continue;
            }
            if (m_pos < m_end && *m_pos == ']') {
                ++m_pos;
                return true;
            }
            return setError(m_pos >= m_end ? u"unexpected end"_s
                                           : u"expected a comma or a closing bracket"_s);
        }
    }

    bool parseNumber(Json &out)
    {
        const uchar *start = m_pos;
        const auto digits = [this] {
            const uchar *first = m_pos;
            while (m_pos < m_end && *m_pos >= '0' && *m_pos <= '9')
                ++m_pos;
            return m_pos > first;
        };
        if (m_pos < m_end && *m_pos == '-')
            ++m_pos;
        if (m_pos < m_end && *m_pos == '0')
            ++m_pos;
        else if (!digits())
            return setError(m_pos >= m_end ? u"unexpected end"_s : u"unexpected character"_s);
        if (m_pos < m_end && *m_pos == '.') {
            ++m_pos;
            if (!digits())
                return setError(u"a digit must follow the decimal point"_s);
        }
        if (m_pos < m_end && (*m_pos == 'e' || *m_pos == 'E')) {
            ++m_pos;
            if (m_pos < m_end && (*m_pos == '+' || *m_pos == '-'))
                ++m_pos;
            if (!digits())
                return setError(u"a digit must follow the exponent"_s);
        }
        out = Json::numberText(QByteArray(reinterpret_cast<const char *>(start), m_pos - start));
        return true;
    }

    bool parseHex4(char16_t &unit)
    {
        if (m_end - m_pos < 4)
            return setError(u"a \\u escape needs four hexadecimal digits"_s);
        unsigned value = 0;
        for (int i = 0; i < 4; ++i) {
            const uchar c = m_pos[i];
            unsigned digit = 0;
            if (c >= '0' && c <= '9')
                digit = c - '0';
            else if (c >= 'a' && c <= 'f')
                digit = c - 'a' + 10U;
            else if (c >= 'A' && c <= 'F')
                digit = c - 'A' + 10U;
            else
                return setError(u"a \\u escape needs four hexadecimal digits"_s);
            value = value * 16 + digit;
        }
        m_pos += 4;
        unit = static_cast<char16_t>(value);
        return true;
    }

    bool parseString(QString &out)
    {
        ++m_pos;
        const uchar *run = m_pos;
        const auto flush = [&] {
            if (m_pos > run)
                out += QString::fromUtf8(reinterpret_cast<const char *>(run), m_pos - run);
        };
        while (m_pos < m_end) {
            const uchar c = *m_pos;
            if (c == '"') {
                flush();
                ++m_pos;
                return true;
            }
            if (c == '\\') {
                flush();
                ++m_pos;
                if (m_pos >= m_end)
                    break;
                const uchar escape = *m_pos++;
                switch (escape) {
                case '"':
                    out += u'"';
                    break;
                case '\\':
                    out += u'\\';
                    break;
                case '/':
                    out += u'/';
                    break;
                case 'b':
                    out += u'\b';
                    break;
                case 'f':
                    out += u'\f';
                    break;
                case 'n':
                    out += u'\n';
                    break;
                case 'r':
                    out += u'\r';
                    break;
                case 't':
                    out += u'\t';
                    break;
                case 'u': {
                    char16_t unit = 0;
                    if (!parseHex4(unit))
                        return false;
                    out += QChar(unit);
                    break;
                }
                default:
                    --m_pos;
                    return setError(u"unknown escape in a string"_s);
                }
                run = m_pos;
                continue;
            }
            if (c < 0x20 && !m_options.allowRawControls)
                return setError(u"control character in a string"_s);
            const int length = utf8SequenceLength(m_pos, m_end);
            if (length == 0)
                return setError(u"a byte that is not UTF-8"_s);
            m_pos += length;
        }
        m_pos = m_end;
        return setError(u"unexpected end inside a string"_s);
    }

    const uchar *m_begin;
    const uchar *m_pos;
    const uchar *m_end;
    JsonParseOptions m_options;
    JsonError m_error;
};

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

Result<Json, JsonError> parseJson(QByteArrayView utf8, const JsonParseOptions &options)
{
    return Parser(utf8, options).run();
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
