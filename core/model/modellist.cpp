// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/modellist.h"

#include "util/json.h"

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestId = 256;

bool isUsableId(const QString &id)
{
    return !id.isEmpty() && id.size() <= LongestId
        && std::all_of(id.begin(), id.end(), [](QChar c) { return c.isPrint() && !c.isSpace(); });
}

std::optional<qint64> count(const Json &value)
{
    const std::optional<qint64> number = value.toInteger();
    return number && *number > 0 ? number : std::nullopt;
}

std::optional<qint64> firstCount(const Json &model, std::initializer_list<QLatin1StringView> names)
{
    for (const QLatin1StringView name : names) {
        if (const auto number = count(model[QString(name)]))
            return number;
    }
    return {};
}

std::optional<bool> flag(const Json &value)
{
    return value.isBool() ? std::optional(value.toBool()) : std::nullopt;
}

// Whether an array of words has this one; empty when there is no array.
std::optional<bool> names(const Json &words, QLatin1StringView word)
{
    if (!words.isArray())
        return {};
    return std::any_of(words.elements().begin(), words.elements().end(),
                       [word](const Json &element) { return element.toString() == word; });
}

bool isOtherKind(const QString &id)
{
    for (const QLatin1StringView word :
         {"embedding"_L1, "whisper"_L1, "tts"_L1, "dall-e"_L1, "moderation"_L1, "image"_L1, "audio"_L1,
          "realtime"_L1, "transcribe"_L1, "sora"_L1, "babbage"_L1, "davinci"_L1}) {
        if (id.contains(word))
            return true;
    }
    return false;
}

ListedModel anthropicModel(const Json &json)
{
    ListedModel model;
    model.name = json[u"display_name"].toString();
    model.context = count(json[u"max_input_tokens"]);
    model.maxOutput = count(json[u"max_tokens"]);
    const Json &abilities = json[u"capabilities"];
    model.images = flag(abilities[u"image_input"][u"supported"]);
    model.reasoning = flag(abilities[u"thinking"][u"supported"]);
    return model;
}

ListedModel openAiModel(const Json &json)
{
    ListedModel model;
    model.name = json[u"name"].toString();
    model.context = firstCount(
        json, {"context_length"_L1, "max_model_len"_L1, "context_window"_L1, "max_context_length"_L1});
    if (!model.context)
        model.context = count(json[u"meta"][u"n_ctx_train"]);
    model.maxOutput = firstCount(json, {"max_completion_tokens"_L1});
    if (!model.maxOutput)
        model.maxOutput = count(json[u"top_provider"][u"max_completion_tokens"]);
    const Json &parameters = json[u"supported_parameters"];
    const Json &abilities = json[u"capabilities"];
    model.tools = names(parameters, "tools"_L1);
    if (!model.tools)
        model.tools =
            abilities.isArray() ? names(abilities, "tools"_L1) : flag(abilities[u"function_calling"]);
    model.reasoning = names(parameters, "reasoning"_L1);
    model.images = names(json[u"architecture"][u"input_modalities"], "image"_L1);
    if (!model.images)
        model.images = flag(abilities[u"vision"]);
    return model;
}

} // namespace

Result<ModelPage, QString> parseModelPage(const QString &protocol, const QString &provider,
                                          const QByteArray &json)
{
    const Result<Json, JsonError> parsed = parseJson(json);
    if (!parsed)
        return fail(u"it is no JSON"_s);
    const Json &list = parsed->isArray() ? *parsed : (*parsed)[u"data"];
    if (!list.isArray())
        return fail(u"it is no list of models"_s);
    const bool isAnthropic = protocol == "anthropic-messages"_L1;
    ModelPage page;
    for (const Json &entry : list.elements()) {
        const QString id = entry[u"id"].toString();
        const bool cannotChat = entry[u"capabilities"][u"completion_chat"].isBool()
            && !entry[u"capabilities"][u"completion_chat"].toBool();
        if (!isUsableId(id) || cannotChat || entry[u"lifecycle"].toString() == "retired"_L1
            || (provider == "openai"_L1 && isOtherKind(id)))
            continue;
        if (page.models.size() >= MostListedModels) {
            page.isCut = true;
            break;
        }
        ListedModel model = isAnthropic ? anthropicModel(entry) : openAiModel(entry);
        model.id = id;
        model.name = model.name.left(LongestId);
        if (model.name.isEmpty())
            model.name = id;
        page.models.append(model);
    }
    if (isAnthropic && (*parsed)[u"has_more"].toBool() && isUsableId((*parsed)[u"last_id"].toString()))
        page.next = (*parsed)[u"last_id"].toString();
    return page;
}

Result<ListedModel, QString> parseOllamaModel(const QString &id, const QByteArray &json)
{
    const Result<Json, JsonError> parsed = parseJson(json);
    if (!parsed || !parsed->isObject())
        return fail(u"it is no account of a model"_s);
    ListedModel model;
    model.id = id;
    model.name = id;
    const Json &abilities = (*parsed)[u"capabilities"];
    model.tools = names(abilities, "tools"_L1);
    model.images = names(abilities, "vision"_L1);
    model.reasoning = names(abilities, "thinking"_L1);
    for (const Json::Member &member : (*parsed)[u"model_info"].members()) {
        if (member.key.endsWith(".context_length"_L1))
            model.context = count(member.value);
    }
    return model;
}

} // namespace Pilothouse
