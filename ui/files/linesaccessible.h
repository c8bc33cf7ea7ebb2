// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace Pilothouse {

/// Makes every LinesView tell its lines to assistive technology: each line that is seen is a child with its
/// number and its text. Once per process; later calls do nothing.
void installLinesAccessible();

} // namespace Pilothouse
