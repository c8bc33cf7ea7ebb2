// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/scenario.h"
#include "util/error.h"
#include "util/result.h"

namespace Pilothouse {

/// Reader of scenario files; docs/demo-scenarios.md describes the form. Strict: unknown members, wrong types
/// and figures out of range are errors that name the file, the place (line and column, or the member's path)
/// and the remedy.
struct ScenarioFile {
    static constexpr qint64 LargestFile =
        8 * 1024 * 1024; ///< A script is written by hand; more is another file.

    [[nodiscard]] static Result<Scenario, Error> load(const QString &path);
    /// `fileName` is only for messages.
    [[nodiscard]] static Result<Scenario, Error> parse(const QByteArray &bytes, const QString &fileName);
};

} // namespace Pilothouse
