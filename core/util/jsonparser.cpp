// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "util/json.h"

#include <QHash>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

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

} // namespace

Result<Json, JsonError> parseJson(QByteArrayView utf8, const JsonParseOptions &options)
{
    return Parser(utf8, options).run();
}

} // namespace Pilothouse
