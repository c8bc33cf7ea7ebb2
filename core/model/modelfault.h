// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/streamreader.h"
#include "net/apierror.h"

#include <QString>

namespace Pilothouse {

/// A provider's account of what went wrong, before it is sorted into a category.
struct ModelFault {
    QString detailCode; ///< The more specific word, where a protocol has one; decides first.
    QString code;
    QString message;
    QString requestId;
};

/// What the JSON of an error says, in the forms of all protocols: `error` as an object or a text, or the
/// members of the object itself (or of the first of an array). `details.error_code` is more specific than a
/// text in `code`, this more than `type`; a number in `code` is a status.
[[nodiscard]] ModelFault faultFromJson(const Json &json);

/// The error for a fault. A known code decides (so a 429 that says the month's money is used up is Billing),
/// except that status 402 is always Billing; then the status; inside a 200 stream a fault without a code is
/// Server, one with an unknown code InvalidRequest. An InvalidRequest whose message speaks of the context's
/// size becomes ContextWindow. x-should-retry overrides `retryable`, and retry-after-ms and retry-after fill
/// `retryAfterMs`.
[[nodiscard]] ApiError errorFromFault(const ModelFault &fault, const AnswerHead &head, bool partial);

/// Text of a body that is not what was expected, for people: the title of an HTML page, else its first line;
/// bounded.
[[nodiscard]] QString summaryOfBody(const QByteArray &body);

} // namespace Pilothouse
