// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandbox/execeventparser.h"

#include "sandbox/sandboxwire.h"

#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;

std::optional<CommandOutcome> ExecEventParser::finishedOutcome(const Json &json, bool outputSeen)
{
    if (!json[u"finished"].toBool())
        return std::nullopt;
    CommandOutcome outcome;
    const Json &error = json[u"error"];
    if (error.isString() || error.isObject()) {
        const QString text =
            cleanErrorText(error.isString() ? error.toString() : error[u"message"].toString());
        const QString code = cleanErrorText(json[u"code"].toString()).left(64);
        const bool neverRan = !outputSeen && (code == "bad_request"_L1 || code == "exec_failed"_L1);
        outcome.known = neverRan ? CommandOutcome::Known::NotStarted : CommandOutcome::Known::Unknown;
        ApiError failure = SandboxWire::makeError(
            code == "bad_request"_L1 ? ApiError::Category::InvalidRequest : ApiError::Category::Server,
            text.isEmpty() ? u"The sandbox could not run the command."_s : text);
        failure.code = code;
        failure.partial = outputSeen;
        failure.outcomeUnknown = !neverRan;
        outcome.error = failure;
        return outcome;
    }
    const std::optional<qint64> exitCode = json[u"exit_code"].toInteger();
    if (!exitCode || *exitCode < std::numeric_limits<int>::min()
        || *exitCode > std::numeric_limits<int>::max()) {
        outcome.known = CommandOutcome::Known::Unknown;
        outcome.error = SandboxWire::makeError(
            ApiError::Category::Protocol, u"The sandbox said that the command has ended, but not how."_s);
        outcome.error->partial = outputSeen;
        outcome.error->outcomeUnknown = true;
        return outcome;
    }
    outcome.known = CommandOutcome::Known::Exited;
    outcome.exitCode = static_cast<int>(*exitCode);
    return outcome;
}

void ExecEventParser::line(QByteArrayView text, QList<ExecEvent> &out)
{
    if (!text.startsWith("data:"))
        return;
    const QByteArrayView data = text.sliced(5).trimmed();
    if (data.isEmpty() || data == "[DONE]")
        return;
    Result<Json, JsonError> json = parseJson(data);
    if (!json) // Output must not vanish because a byte of it is not UTF-8.
        json = parseJson(QString::fromUtf8(data).toUtf8());
    if (!json)
        return;
    if (std::optional<CommandOutcome> outcome = finishedOutcome(*json, m_outputSeen)) {
        ExecEvent event;
        event.kind = ExecEvent::Kind::Finished;
        event.outcome = *outcome;
        out.append(event);
        return;
    }
    for (const auto &[key, channel] :
         {std::pair(u"stdout"_s, OutputChannel::Stdout), std::pair(u"stderr"_s, OutputChannel::Stderr)}) {
        ExecEvent event;
        event.channel = channel;
        event.bytes = (*json)[key].toString().toUtf8();
        if (event.bytes.isEmpty())
            continue;
        m_outputSeen = true;
        out.append(event);
    }
}

QList<ExecEvent> ExecEventParser::feed(QByteArrayView bytes)
{
    QList<ExecEvent> out;
    while (!bytes.isEmpty() && !m_overflowed) {
        const qsizetype end = bytes.indexOf('\n');
        const QByteArrayView part = end < 0 ? bytes : bytes.first(end);
        if (m_line.size() + part.size() > LargestLine) {
            m_overflowed = true;
            m_line.clear();
            break;
        }
        m_line.append(part);
        if (end < 0)
            break;
        if (m_line.endsWith('\r'))
            m_line.chop(1);
        line(m_line, out);
        m_line.clear();
        bytes = bytes.sliced(end + 1);
    }
    return out;
}

} // namespace Pilothouse
