// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/engine.h"

namespace Pilothouse {

class EngineCore;

/// Checks keys, store, sandbox service, providers and orphaned sandboxes; replies in the engine thread.
void runDoctor(EngineCore *core, std::function<void(const QList<DoctorLine> &)> reply);

} // namespace Pilothouse
