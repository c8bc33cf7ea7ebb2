// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/json.h"

namespace Pilothouse::Tests {

/// What the vendor would object to in the body of a request, empty if nothing: members that must be there or
/// must not, roles, order and number of tool results, names, empty texts. Where imitators are stricter than
/// the vendor, their view counts.
[[nodiscard]] QString anthropicComplaint(const Json &request);
[[nodiscard]] QString responsesComplaint(const Json &request);
[[nodiscard]] QString chatComplaint(const Json &request);

} // namespace Pilothouse::Tests
