// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "util/error.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

QString errorKindName(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::Internal:
        return u"internal"_s;
    case ErrorKind::Usage:
        return u"usage"_s;
    case ErrorKind::Storage:
        return u"storage"_s;
    case ErrorKind::NotOwner:
        return u"not-owner"_s;
    case ErrorKind::Busy:
        return u"busy"_s;
    case ErrorKind::NotFound:
        return u"not-found"_s;
    case ErrorKind::KeyMissing:
        return u"key-missing"_s;
    case ErrorKind::Model:
        return u"model"_s;
    case ErrorKind::Sandbox:
        return u"sandbox"_s;
    case ErrorKind::SandboxUnavailable:
        return u"sandbox-unavailable"_s;
    case ErrorKind::SandboxGone:
        return u"sandbox-gone"_s;
    case ErrorKind::SandboxLost:
        return u"sandbox-lost"_s;
    case ErrorKind::Limit:
        return u"limit"_s;
    case ErrorKind::Denied:
        return u"denied"_s;
    case ErrorKind::Interrupted:
        return u"interrupted"_s;
    }
    return u"internal"_s;
}

QString Error::toText() const
{
    QString text;
    for (const QString &part : {message, kept, todo}) {
        const QString sentence = part.trimmed();
        if (sentence.isEmpty())
            continue;
        if (!text.isEmpty())
            text += u' ';
        text += sentence;
        const QStringView closed = sentence.endsWith(u')') ? QStringView(sentence).chopped(1) : sentence;
        if (closed.isEmpty() || !QStringView(u".!?…").contains(closed.back()))
            text += u'.'; // A service's words rarely end like a sentence.
    }
    return text;
}

} // namespace Pilothouse
