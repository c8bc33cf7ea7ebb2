// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace Pilothouse {

/// Makes every OutputView tell its rows to assistive technology: each row that is seen is a child with its
/// line number, its stream and its text. Once per process; later calls do nothing.
void installOutputAccessible();

} // namespace Pilothouse
