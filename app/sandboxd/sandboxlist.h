// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "apifailure.h"
#include "sandbox.h"
#include "util/result.h"

#include <QByteArray>
#include <QList>

namespace Pilothouse {

struct SandboxPage {
    QList<SandboxPtr> rows;
    qsizetype total = 0; ///< Matches without paging.
};

/// Applies the query of GET /sandboxes (metadata.KEY, status, q, sort, order, limit, offset) to `all`, newest
/// first.
[[nodiscard]] Result<SandboxPage, ApiFailure> selectSandboxes(const QList<SandboxPtr> &all,
                                                              const QByteArray &query);

} // namespace Pilothouse
