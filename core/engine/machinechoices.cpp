// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/machinechoices.h"

#include "engine/conversationstate.h"
#include "text/inerttext.h"

#include <QRegularExpression>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 Minute = 60;
constexpr qint64 Hour = 60 * Minute;
constexpr qint64 Day = 24 * Hour;
constexpr qint64 LongestActive = 7 * Day; // What the service takes.
constexpr qint64 LongestPaused = 30 * Day;
constexpr qsizetype MostHosts = 256; // As many as the log keeps of a conversation.
constexpr qsizetype LongestDomain = 253;
constexpr qsizetype LongestLabel = 63;
constexpr qsizetype LongestTypedShown = 60; // Of what was typed, in an error.
const auto EveryAddress = u"0.0.0.0/0"_s;

Error choiceRefused(const QString &why, const QString &todo)
{
    return Error{ErrorKind::Usage, why, u"What was set before stays."_s, todo};
}

bool isNumber(QStringView text, int most)
{
    bool ok = false;
    const int value = text.toInt(&ok);
    return ok && text.size() <= 3 && text.front().isDigit() && value <= most;
}

bool isAddress(const QString &host)
{
    const qsizetype slash = host.indexOf(u'/');
    const QStringList parts = host.left(slash < 0 ? host.size() : slash).split(u'.');
    return parts.size() == 4 && (slash < 0 || isNumber(QStringView(host).mid(slash + 1), 32))
        && std::all_of(parts.begin(), parts.end(),
                       [](const QString &part) { return !part.isEmpty() && isNumber(part, 255); });
}

bool isDomain(const QString &host)
{
    static const QRegularExpression label(u"^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$"_s);
    const QString domain = host.startsWith("*."_L1) ? host.mid(2) : host;
    const QStringList labels = domain.split(u'.');
    // An address with a number too many or too large is no domain.
    const bool hasLetter = std::any_of(domain.begin(), domain.end(), [](QChar c) { return c.isLetter(); });
    return hasLetter && domain.size() <= LongestDomain
        && std::all_of(labels.begin(), labels.end(), [](const QString &part) {
               return part.size() <= LongestLabel && label.match(part).hasMatch();
           });
}

} // namespace

void MachineChoices::fill(ConversationSettings &settings) const
{
    if (settings.sandboxTemplate.isEmpty())
        settings.sandboxTemplate = fromTemplate;
    if (!settings.sandboxTimeoutSeconds)
        settings.sandboxTimeoutSeconds = timeoutSeconds;
    if (!settings.sandboxAutoDeleteSeconds)
        settings.sandboxAutoDeleteSeconds = autoDeleteSeconds;
    if (isNetworkLimited && settings.network == SandboxNetwork()) {
        settings.network.allowOut = allowed;
        settings.network.denyOut = {EveryAddress};
    }
}

Result<QString, Error> checkedTemplate(const QString &text)
{
    static const QRegularExpression form(
        u"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}(/[A-Za-z0-9][A-Za-z0-9._-]{0,62})?$"_s);
    const QString name = text.trimmed();
    if (name.isEmpty() || form.match(name).hasMatch())
        return name;
    return fail(choiceRefused(u"“%1” is no name of a template."_s.arg(inertLine(name, LongestTypedShown)),
                              u"Write it as the service shows it, like superserve/base, or its id."_s));
}

Result<std::optional<qint64>, Error> checkedTimeLimit(TimeLimit which, const QString &text)
{
    static const QRegularExpression form(u"^([0-9]{1,8}) ?(s|m|min|h|d)$"_s);
    const QString wanted = text.trimmed().toLower();
    if (wanted.isEmpty())
        return std::optional<qint64>();
    if (wanted == "never"_L1)
        return std::optional<qint64>(ConversationSettings::NoLimit);
    const QRegularExpressionMatch match = form.match(wanted);
    if (!match.hasMatch()) {
        return fail(choiceRefused(u"“%1” is no length of time."_s.arg(inertLine(wanted, LongestTypedShown)),
                                  u"Write a number and its unit, like 90s, 30m, 2h or 7d, or never."_s));
    }
    const QChar unit = match.captured(2).front();
    const qint64 seconds = match.captured(1).toLongLong()
        * (unit == u's'       ? 1
               : unit == u'm' ? Minute
               : unit == u'h' ? Hour
                              : Day);
    if (which == TimeLimit::Active && (seconds < 1 || seconds > LongestActive)) {
        return fail(choiceRefused(u"A machine can run from one second to seven days before it is paused."_s,
                                  u"Write a time between, or never."_s));
    }
    if (which == TimeLimit::Paused && seconds > LongestPaused) {
        return fail(choiceRefused(u"A paused machine is kept for 30 days at most before it is deleted."_s,
                                  u"Write a shorter time, or never."_s));
    }
    return std::optional<qint64>(seconds);
}

QString timeLimitText(const std::optional<qint64> &seconds)
{
    if (!seconds)
        return {};
    if (*seconds < 0)
        return u"never"_s;
    if (*seconds == 0)
        return u"0s"_s;
    for (const auto &[unit, name] : {std::pair(Day, u'd'), std::pair(Hour, u'h'), std::pair(Minute, u'm')}) {
        if (*seconds % unit == 0)
            return QString(QString::number(*seconds / unit) + QChar(name));
    }
    return QString(QString::number(*seconds) + u's');
}

Result<QStringList, Error> checkedHosts(const QString &text)
{
    static const QRegularExpression between(u"[\\s,;]+"_s);
    QStringList hosts;
    const QStringList typed = text.toLower().split(between, Qt::SkipEmptyParts);
    for (const QString &host : typed) {
        if (!isAddress(host) && !isDomain(host)) {
            return fail(choiceRefused(
                u"“%1” is neither a domain nor an IPv4 address."_s.arg(inertLine(host, LongestTypedShown)),
                u"Write hosts without https:// and without paths, like pypi.org, *.example.org or "
                "10.0.0.0/8."_s));
        }
        if (!hosts.contains(host))
            hosts.append(host);
    }
    if (hosts.size() > MostHosts) {
        return fail(choiceRefused(u"These are more than %1 hosts."_s.arg(MostHosts),
                                  u"Take some together, like *.example.org."_s));
    }
    return hosts;
}

} // namespace Pilothouse
