// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "posix.h"
#include "util/json.h"

namespace Pilothouse {

/// {"entries":[{"name","is_dir","size","modified_unix"}],"truncated":…} of an open folder. Links are not
/// followed. A name that is not UTF-8 is shown with replacement characters.
[[nodiscard]] Json listFolder(UniqueFd folder);

} // namespace Pilothouse
