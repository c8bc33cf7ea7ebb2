// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace Pilothouse::Tests {

/// Makes Qt pass accessibility events on as if a screen reader ran; the offscreen platform never does by
/// itself. After the QApplication is there.
void switchAccessibilityOn();

} // namespace Pilothouse::Tests
