// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "store/rows.h"

#include <QStringView>

namespace Pilothouse {

/// Adds a piece to the text of a row that is still written, in any cut of the pieces with the same result. Of
/// the addresses of pictures in it only the begin is kept (DataAddress::Kept): megabytes that nobody reads
/// would be stored, searched and copied. The text is bounded by TranscriptProjector::MaxText; data.cut tells
/// that more was written.
void appendStreamedText(TranscriptRow &row, QStringView text);

} // namespace Pilothouse
