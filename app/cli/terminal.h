// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QtGlobal>

#include <memory>

namespace Pilothouse::Cli {

/// While it lives a terminal at standard input shows nothing of what is typed. Elsewhere it does nothing.
class HiddenInput {
public:
    HiddenInput();
    ~HiddenInput();
    Q_DISABLE_COPY_MOVE(HiddenInput)
    [[nodiscard]] static bool isTerminal();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace Pilothouse::Cli
