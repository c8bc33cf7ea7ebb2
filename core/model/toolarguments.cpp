// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/toolarguments.h"

#include "util/json.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// The reader bounds the depth.
bool hasHalfCharacter(const Json &value)
{
    if (value.isString())
        return !value.toString().isValidUtf16();
    if (value.isArray()) {
        for (qsizetype i = 0; i < value.size(); ++i) {
            if (hasHalfCharacter(value.at(i)))
                return true;
        }
    } else if (value.isObject()) {
        for (const auto &member : value.members()) {
            if (!member.key.isValidUtf16() || hasHalfCharacter(member.value))
                return true;
        }
    }
    return false;
}

} // namespace

ToolArguments ToolArguments::check(const QString &text)
{
    const auto half = u"half of a character (an unpaired surrogate), which cannot be written"_s;
    if (!text.isValidUtf16())
        return {{}, half};
    const QByteArray utf8 = text.toUtf8().trimmed();
    if (utf8.isEmpty())
        return {"{}", {}};

    JsonParseOptions options;
    options.rejectDuplicates = true;
    Result<Json, JsonError> json = parseJson(utf8, options);
    QByteArray args = utf8;
    if (!json) {
        options.allowRawControls = true;
        Result<Json, JsonError> tolerant = parseJson(utf8, options);
        if (!tolerant)
            return {{}, u"%1 at byte %2"_s.arg(json.error().message).arg(json.error().offset)};
        args = tolerant->toJson();
        json = std::move(tolerant);
    }
    if (!json->isObject())
        return {{}, u"the arguments are not a JSON object"_s};
    if (hasHalfCharacter(*json))
        return {{}, half};
    return {args, {}};
}

} // namespace Pilothouse
