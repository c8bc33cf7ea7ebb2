// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/chatdialect.h"

#include "net/networkaccess.h"

#include <array>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr auto Max = "max_tokens"_L1;

// id, host, port, key, limit, stream_options, tool_choice, prompt_cache_key, reasoning returned, ids, tells
// of tools
constexpr std::array<ChatDialect, 11> Dialects{{
    {"generic"_L1, {}, 0, true, Max, true, true, false, true, CallIdForm::Chat},
    {"ollama"_L1, {}, 11434, false, Max, true, false, false, true, CallIdForm::Chat, true},
    {"llamacpp"_L1, {}, 8080, false, Max, true, true, false, true, CallIdForm::Chat},
    {"vllm"_L1, {}, 8000, false, Max, true, true, false, true, CallIdForm::Chat},
    {"lmstudio"_L1, {}, 1234, false, Max, true, false, false, true, CallIdForm::Chat},
    {"openrouter"_L1, "openrouter.ai"_L1, 0, true, Max, true, true, false, true, CallIdForm::Chat, true},
    {"deepseek"_L1, "api.deepseek.com"_L1, 0, true, Max, true, true, false, true, CallIdForm::Chat},
    {"mistral"_L1, "api.mistral.ai"_L1, 0, true, Max, false, true, false, true,
     CallIdForm::NineAlphanumerics},
    {"groq"_L1, "api.groq.com"_L1, 0, true, Max, true, true, false, false, CallIdForm::Chat},
    {"openai"_L1, "api.openai.com"_L1, 0, true, "max_completion_tokens"_L1, true, true, true, false,
     CallIdForm::Chat},
    {"local"_L1, {}, 0, false, Max, true, true, false, true, CallIdForm::Chat},
}};

const ChatDialect &named(QLatin1StringView id)
{
    for (const ChatDialect &dialect : Dialects) {
        if (dialect.id == id)
            return dialect;
    }
    return Dialects.front();
}

} // namespace

const ChatDialect &ChatDialect::find(const QString &id, const QUrl &base)
{
    const bool isLocal = NetworkAccess::isLoopback(base);
    for (const ChatDialect &dialect : Dialects) {
        if (dialect.id == id)
            return dialect;
    }
    for (const ChatDialect &dialect : Dialects) {
        if (!dialect.host.isEmpty() && base.host() == dialect.host)
            return dialect;
        if (isLocal && dialect.port != 0 && base.port() == dialect.port)
            return dialect;
    }
    return named(isLocal ? "local"_L1 : "generic"_L1);
}

} // namespace Pilothouse
