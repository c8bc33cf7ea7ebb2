// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "secrets/keychain.h"

#include <QHashFunctions>
#include <QUrl>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype LongestName = 300; // A host name has at most 253 characters.
}

bool KeyName::isValid() const
{
    return !kind.isEmpty() && !kind.contains(u'/') && !origin.isEmpty() && originOf(QUrl(origin)) == origin
        && toString().size() <= LongestName;
}

size_t qHash(const KeyName &name, size_t seed) { return qHashMulti(seed, name.kind, name.origin); }

QString originOf(const QUrl &url)
{
    const QString scheme = url.scheme();
    if (!url.isValid() || (scheme != "https"_L1 && scheme != "http"_L1) || url.host().isEmpty())
        return {};
    const int own = scheme == "https"_L1 ? 443 : 80;
    QUrl origin;
    origin.setScheme(scheme);
    origin.setHost(url.host());
    if (url.port(own) != own)
        origin.setPort(url.port());
    return origin.toString(QUrl::FullyEncoded);
}

Error keychainError(const KeychainFault &fault)
{
    Error out;
    out.kind = ErrorKind::KeyMissing;
    const QString detail = fault.detail.isEmpty() ? QString() : u" It said: "_s + fault.detail;
    const auto otherwise = u"or keep the key for this session only, or set the environment variable."_s;
    switch (fault.kind) {
    case KeychainFault::Kind::None:
        out.message = QString(u"No keychain answers on this computer."_s + detail);
        out.kept = u"Nothing was stored."_s;
        out.todo = QString(u"Start one (GNOME Keyring, KWallet or KeePassXC) and try again, "_s + otherwise);
        break;
    case KeychainFault::Kind::NotThere:
        out.message = u"The keychain has no such key."_s;
        out.kept = u"Nothing was changed."_s;
        out.todo = u"Enter the key in Settings, or set the environment variable."_s;
        break;
    case KeychainFault::Kind::Locked:
        out.message = QString(u"The keychain is locked."_s + detail);
        out.kept = u"What is in it stays there; nothing was read or stored."_s;
        out.todo = QString(u"Unlock it and try again, "_s + otherwise);
        break;
    case KeychainFault::Kind::Dismissed:
        out.message = u"The keychain's question was closed without an answer, or answered with no."_s;
        out.kept = u"Nothing was read or stored."_s;
        out.todo = QString(u"Try again and allow it, "_s + otherwise);
        break;
    case KeychainFault::Kind::NoResult:
        out.message = u"The keychain took the question and gave no result."_s;
        out.kept = u"It is not known whether it was done."_s;
        out.todo =
            QString(u"Look for a window in which it asks you something, then try again, "_s + otherwise);
        break;
    case KeychainFault::Kind::Failed:
        out.message = QString(u"The keychain refused."_s + detail);
        out.kept = u"Nothing was changed as far as it says."_s;
        out.todo = QString(u"Try again, "_s + otherwise);
        break;
    }
    return out;
}

} // namespace Pilothouse
