// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include <cstdlib>
#include <functional>
#include <unistd.h>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 MaxIdleSeconds = 7 * 24 * 3600;
constexpr qint64 MaxTestMs = 60000;

QByteArray absolutePath(const QByteArray &path)
{
    if (path.isEmpty() || path.startsWith('/'))
        return path;
    char *const folder = ::getcwd(nullptr, 0);
    if (!folder)
        return {}; // It was removed; an empty value is refused.
    const QByteArray result = QByteArray(folder) + '/' + path;
    std::free(folder);
    return result;
}

bool toNumber(const QByteArray &text, qint64 high, qint64 &number)
{
    bool ok = false;
    number = text.toLongLong(&ok);
    return ok && number >= 0 && number <= high;
}

/// Stores the value of one option; false if it is malformed.
bool setValue(ServiceOptions &options, const QByteArray &name, const QByteArray &value)
{
    qint64 number = 0;
    if (name == "--listen") {
        options.listen = value;
    } else if (name == "--data-dir") {
        options.dataFolder = absolutePath(value);
        while (options.dataFolder.size() > 1 && options.dataFolder.endsWith('/'))
            options.dataFolder.chop(1);
    } else if (name == "--key-file") {
        options.keyFile = absolutePath(value);
    } else if (name == "--endpoint-file") {
        options.endpointFile = absolutePath(value);
    } else if (name == "--host-suffix") {
        options.hostSuffixes.append(value.toLower());
    } else if (name == "--idle-exit-seconds") {
        options.isIdleExitGiven = true;
        if (!toNumber(value, MaxIdleSeconds, number))
            return false;
        options.idleExit = std::chrono::seconds(number);
    } else if (name == "--test-keepalive-ms") {
        if (!toNumber(value, MaxTestMs, number) || number == 0)
            return false;
        options.keepAlive = std::chrono::milliseconds(number);
    } else if (name == "--test-transition-ms") {
        if (!toNumber(value, MaxTestMs, number))
            return false;
        options.transitionDelay = std::chrono::milliseconds(number);
    }
    const bool isLost = (name == "--data-dir" && options.dataFolder.isEmpty())
        || (name == "--key-file" && options.keyFile.isEmpty())
        || (name == "--endpoint-file" && options.endpointFile.isEmpty());
    return !value.isEmpty() && !isLost;
}

const QList<QByteArray> ValueOptions = {
    "--listen",      "--data-dir",          "--key-file",          "--endpoint-file",
    "--host-suffix", "--idle-exit-seconds", "--test-keepalive-ms", "--test-transition-ms"};

} // namespace

Result<ServiceOptions, QString> parseOptions(const QList<QByteArray> &arguments)
{
    ServiceOptions options;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        const qsizetype equals = arguments[i].indexOf('=');
        const QByteArray name = equals < 0 ? arguments[i] : arguments[i].first(equals);
        if (name == "--help" || name == "-h") {
            options.help = true;
        } else if (name == "--version") {
            options.version = true;
        } else if (name == "--detach") {
            options.detach = true;
        } else if (ValueOptions.contains(name)) {
            if (equals < 0 && i + 1 == arguments.size())
                return fail(u"The option %1 needs a value."_s.arg(QString::fromUtf8(name)));
            const QByteArray value = equals < 0 ? arguments[++i] : arguments[i].sliced(equals + 1);
            if (!setValue(options, name, value))
                return fail(u"The value of %1 cannot be used."_s.arg(QString::fromUtf8(name)));
        } else {
            return fail(
                u"The option %1 is not known; --help lists all."_s.arg(QString::fromUtf8(name.left(80))));
        }
    }
    if (!options.help && !options.version && options.dataFolder.isEmpty())
        return fail(u"A data folder is needed: --data-dir FOLDER."_s);
    return options;
}

QByteArray helpText()
{
    return "Usage: pilothouse-sandboxd --data-dir FOLDER [options]\n"
           "Local sandboxes behind the Superserve API, each confined by bubblewrap, with a loopback network "
           "only.\n\n"
           "  --data-dir FOLDER         where sandboxes are kept; made if missing, used by one service at a "
           "time\n"
           "  --listen ADDRESS:PORT     loopback address; port 0 takes a free one (default 127.0.0.1:0)\n"
           "  --key-file FILE           file with the API key, mode 0600; else SUPERSERVE_API_KEY is read\n"
           "  --endpoint-file FILE      written when ready, removed at the end\n"
           "  --host-suffix NAME        also serve hosts named boxd-ID.NAME (default: localhost)\n"
           "  --idle-exit-seconds N     end N seconds after the last lease ended (default 60, 0: never)\n"
           "  --detach                  go to the background when ready\n"
           "  --version, --help\n\n"
           "Exit codes: 0 ended in order, 1 internal error, 2 usage or key, 3 port taken, 4 no usable "
           "bubblewrap,\n"
           "8 data folder not usable or owned by another service.\n";
}

} // namespace Pilothouse
