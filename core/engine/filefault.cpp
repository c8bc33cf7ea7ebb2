// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/filefault.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

FileFault fileFaultOf(const ApiError &error)
{
    const auto fault = [&error](FileFault::Kind kind, ErrorKind what, const QString &todo) {
        return FileFault{kind, Error{what, error.message, {}, todo}};
    };
    if (error.outcomeUnknown) {
        return {FileFault::Kind::OutcomeUnknown,
                Error{ErrorKind::Sandbox,
                      QString(u"Outcome unknown: "_s + error.message),
                      {},
                      u"Refresh and look before you repeat it."_s}};
    }
    if (error.code == "sandbox_not_active"_L1)
        return fault(FileFault::Kind::NotActive, ErrorKind::Sandbox,
                     u"Wake the machine to work with its files."_s);
    if (error.code == "exists"_L1)
        return fault(FileFault::Kind::Exists, ErrorKind::Sandbox, u"Choose another name."_s);
    switch (error.category) {
    case ApiError::Category::NotFound:
        if (error.code == "not_found"_L1 || error.code == "sandbox_not_found"_L1)
            return fault(FileFault::Kind::MachineGone, ErrorKind::SandboxGone, {});
        return {FileFault::Kind::Missing,
                Error{ErrorKind::NotFound,
                      u"It is no longer there."_s,
                      {},
                      u"Refresh to see what is there now."_s}};
    case ApiError::Category::Gone:
        return fault(FileFault::Kind::MachineGone, ErrorKind::SandboxLost, {});
    case ApiError::Category::InvalidRequest:
        return fault(FileFault::Kind::NotFolder, ErrorKind::Sandbox, {});
    case ApiError::Category::TooLarge:
        return fault(FileFault::Kind::TooLarge, ErrorKind::Sandbox, {});
    case ApiError::Category::Overloaded:
        if (error.status == 503) // The state behind it has just been looked at: it is in between.
            return fault(FileFault::Kind::NotActive, ErrorKind::Sandbox,
                         u"Try again when the machine is active."_s);
        break;
    case ApiError::Category::Cancelled:
        return cancelledFault();
    case ApiError::Category::ContextWindow:
    case ApiError::Category::Auth:
    case ApiError::Category::Billing:
    case ApiError::Category::Permission:
    case ApiError::Category::Conflict:
    case ApiError::Category::RateLimit:
    case ApiError::Category::Server:
    case ApiError::Category::Timeout:
    case ApiError::Category::Truncated:
    case ApiError::Category::Protocol:
    case ApiError::Category::Network:
    case ApiError::Category::Tls:
    case ApiError::Category::Redirect:
    case ApiError::Category::Local:
        break;
    }
    return fault(FileFault::Kind::Other, ErrorKind::Sandbox, {});
}

FileFault fileFaultOf(const Error &error) { return {FileFault::Kind::Other, error}; }

FileFault cancelledFault()
{
    return {FileFault::Kind::Cancelled, Error{ErrorKind::Interrupted, u"Cancelled."_s, {}, {}}};
}

bool endsEverything(FileFault::Kind kind)
{
    return kind == FileFault::Kind::NotActive || kind == FileFault::Kind::MachineGone;
}

} // namespace Pilothouse
