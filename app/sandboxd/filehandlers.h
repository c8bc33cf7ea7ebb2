// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "httptypes.h"
#include "sandbox.h"

#include <QByteArray>

namespace Pilothouse {

// Calls of /files on an active sandbox. `path` has passed isSafePath().

/// GET: the bytes of a file, whole or a range.
void readSandboxFile(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const QByteArray &path);
/// GET with format=json.
void listSandboxFolder(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const QByteArray &path);
/// POST: makes or overwrites a file. What was written is removed if the upload fails.
void writeSandboxFile(const HttpExchangePtr &exchange, const SandboxPtr &sandbox, const QByteArray &path);

} // namespace Pilothouse
