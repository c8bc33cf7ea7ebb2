// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/filesservice.h"

namespace Pilothouse {

FilesService::~FilesService() = default;

} // namespace Pilothouse
