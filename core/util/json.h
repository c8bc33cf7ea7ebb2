// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/result.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

#include <optional>
#include <variant>
#include <vector>

namespace Pilothouse {

/// A JSON value that keeps the order of members and the text of numbers, unlike QJsonValue. A plain value
/// type.
///
/// Strings are UTF-16 and may hold lone surrogates (a server may cut an escaped pair in two); toJson() writes
/// a lone one as U+FFFD. A value of type Raw holds JSON text that was checked before and is written as it
/// stands.
class Json {
public:
    enum class Type { Null = 1, Bool, Number, String, Array, Object, Raw };
    struct Member;
    using Members = std::vector<Member>;
    using Elements = std::vector<Json>;

    // Not inline: GCC 12 warns of uninitialized members wherever it inlines the variant's moves.
    Json(); ///< null
    ~Json();
    Json(const Json &other);
    Json(Json &&other) noexcept;
    Json &operator=(const Json &other);
    Json &operator=(Json &&other) noexcept;
    [[nodiscard]] static Json boolean(bool value);
    [[nodiscard]] static Json number(qint64 value);
    [[nodiscard]] static Json number(
        double value); ///< Shortest text that reads back the same; not finite: null.
    [[nodiscard]] static Json numberText(QByteArray text); ///< `text` must be a valid JSON number.
    [[nodiscard]] static Json string(QString value);
    [[nodiscard]] static Json array();
    [[nodiscard]] static Json array(Elements elements);
    [[nodiscard]] static Json object();
    [[nodiscard]] static Json raw(QByteArray json); ///< `json` must be valid JSON; it is not parsed again.

    [[nodiscard]] Type type() const;
    [[nodiscard]] bool isNull() const { return type() == Type::Null; }
    [[nodiscard]] bool isString() const { return type() == Type::String; }
    [[nodiscard]] bool isNumber() const { return type() == Type::Number; }
    [[nodiscard]] bool isArray() const { return type() == Type::Array; }
    [[nodiscard]] bool isObject() const { return type() == Type::Object; }
    [[nodiscard]] bool isBool() const { return type() == Type::Bool; }

    [[nodiscard]] bool toBool(bool fallback = false) const;
    [[nodiscard]] std::optional<qint64> toInteger()
        const; ///< Also for "3.0"; empty when it does not fit or is none.
    [[nodiscard]] qint64 toInteger(qint64 fallback) const { return toInteger().value_or(fallback); }
    [[nodiscard]] std::optional<double> toDouble() const;
    [[nodiscard]] QString toString(const QString &fallback = {}) const;

    [[nodiscard]] qsizetype size() const; ///< Elements or members; 0 for others.
    [[nodiscard]] bool contains(QStringView key) const;
    [[nodiscard]] const Json &operator[](QStringView key) const; ///< A null value if absent or not an object.
    [[nodiscard]] const Json &at(qsizetype index) const; ///< A null value if out of range or not an array.
    [[nodiscard]] const Members &members() const; ///< Empty unless an object.
    [[nodiscard]] const Elements &elements() const; ///< Empty unless an array.
    [[nodiscard]] Json *find(QStringView key); ///< Null pointer if absent.

    Json &set(const QString &key,
              Json value); ///< Replaces in place, else appends. Makes a null value an object.
    void remove(QStringView key);
    void append(Json value); ///< Makes a null value an array.
    void appendMember(QString key, Json value); ///< For readers: the key is known to be new.

    [[nodiscard]] QByteArray toJson() const; ///< Compact UTF-8.
    void writeTo(QByteArray &out) const;
    [[nodiscard]] QByteArray toPrettyJson(int indent = 2) const; ///< For people; Raw parts stay as they are.

    bool operator==(const Json &other) const; ///< Members in any order, numbers by value, as JSON means it.

private:
    struct NumberText {
        QByteArray text;
    };
    struct RawText {
        QByteArray text;
    };
    struct Object {
        Members members;
    };
    std::variant<std::monostate, bool, NumberText, QString, Elements, Object, RawText> m_value;
};

struct Json::Member {
    QString key;
    Json value;
};

struct JsonParseOptions {
    int maxDepth = 128; ///< Deeper input is refused: recursion must not be steered from outside.
    bool allowRawControls = false; ///< Unescaped control characters inside strings (seen from local servers).
    bool rejectDuplicates = false; ///< Otherwise the last of equal keys wins, at the place of the first.
};

struct JsonError {
    qsizetype offset = 0; ///< Byte offset.
    QString message;
};

/// Strict RFC 8259 reader: one value, nothing after it but white space; bad escapes, bad numbers, a byte that
/// is not UTF-8 and a byte order mark are errors. Lone escaped surrogates are kept (see Json).
[[nodiscard]] Result<Json, JsonError> parseJson(QByteArrayView utf8, const JsonParseOptions &options = {});

/// Appends `text` as a JSON string with its quotes, as JSON.stringify would.
void appendJsonString(QByteArray &out, QStringView text);

/// Writes one object member by member in the order of the calls. `JsonBuilder().add(…).raw(…).take()`.
class JsonBuilder {
public:
    JsonBuilder &add(QLatin1StringView key, QStringView value);
    JsonBuilder &add(QLatin1StringView key, const QString &value) { return add(key, QStringView(value)); }
    JsonBuilder &add(QLatin1StringView key, QLatin1StringView value) { return add(key, QString(value)); }
    JsonBuilder &add(QLatin1StringView key, qint64 value);
    JsonBuilder &add(QLatin1StringView key, int value) { return add(key, qint64(value)); }
    JsonBuilder &add(QLatin1StringView key, bool value);
    JsonBuilder &add(QLatin1StringView key, const Json &value);
    JsonBuilder &add(QLatin1StringView key, const char *) = delete;
    JsonBuilder &addNull(QLatin1StringView key);
    JsonBuilder &addOptional(QLatin1StringView key, const std::optional<qint64> &value); ///< null when empty.
    JsonBuilder &raw(QLatin1StringView key, QByteArrayView json); ///< `json` must be valid JSON.
    [[nodiscard]] QByteArray take(); ///< The object; the builder is empty afterwards.

private:
    void key(QLatin1StringView name);
    QByteArray m_out;
};

} // namespace Pilothouse
