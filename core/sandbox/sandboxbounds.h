// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QtGlobal>

namespace Pilothouse {

/// Bytes of the answer to an HTTP command; the service's own cap is 8 MiB of escaped output.
inline constexpr qint64 LargestExecAnswer = 10 * 1024 * 1024;
/// Bytes per second of the slowest line that an upload is waited for.
inline constexpr qint64 UploadBytesPerSecond = 128 * 1024;

} // namespace Pilothouse
