// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/filesservice.h"
#include "net/apierror.h"

namespace Pilothouse {

/// What a service's refusal means for somebody who looks at files.
[[nodiscard]] FileFault fileFaultOf(const ApiError &error);
[[nodiscard]] FileFault fileFaultOf(const Error &error); ///< No client: key missing, no service.
[[nodiscard]] FileFault cancelledFault();
/// Whether the fault of one file is that of all that would follow.
[[nodiscard]] bool endsEverything(FileFault::Kind kind);

} // namespace Pilothouse
