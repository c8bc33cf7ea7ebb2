// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/toolarguments.h"

#include "util/json.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

ToolArguments ToolArguments::check(const QString &text)
{
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
    return {args, {}};
}

} // namespace Pilothouse
