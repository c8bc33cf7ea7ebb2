// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/messagecheck.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
// A message goes into every later request; more than this belongs into a file in the sandbox.
constexpr qsizetype LargestMessageBytes = 4 * 1024 * 1024;
} // namespace

std::optional<Error> messageProblem(const QString &text)
{
    const auto usage = [](const QString &message, const QString &todo) {
        return Error{ErrorKind::Usage, message, u"Nothing was sent."_s, todo};
    };
    if (text.trimmed().isEmpty())
        return usage(u"The message is empty."_s, u"Write what the agent should do."_s);
    const qsizetype nul = text.indexOf(QChar(u'\0'));
    if (nul >= 0)
        return usage(
            u"The message has a NUL character at position %1, which no provider takes."_s.arg(nul + 1),
            u"Remove it, or put binary data into a file and upload that."_s);
    const qsizetype bytes = text.toUtf8().size();
    if (bytes > LargestMessageBytes)
        return usage(u"The message is %1 MB; the largest that can be sent is 4 MB."_s.arg(
                         static_cast<double>(bytes) / 1e6, 0, 'f', 1),
                     u"Put the text into a file in the sandbox and say where it is."_s);
    return {};
}

std::optional<Error> scriptProblem(const QString &demoScript, const QString &provider, const QString &model)
{
    if (demoScript.isEmpty() || provider == "demo"_L1)
        return {};
    return Error{
        ErrorKind::Usage,
        u"This conversation is with %1/%2, which does not play the demo script that was given."_s.arg(
            provider, model),
        u"Nothing was sent."_s,
        u"Choose a demo model or start a new conversation for the script, or leave the script out."_s};
}

} // namespace Pilothouse
