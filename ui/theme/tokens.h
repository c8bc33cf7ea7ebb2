// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QColor>
#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>

#include <array>

namespace Pilothouse {

/// The values of resources/theme/tokens.json.
struct ThemeTokens {
    using ByScheme = std::array<QColor, 2>; ///< Light, dark.
    struct Type {
        int px = 0;
        int line = 0;
        int weight = 0;
    };
    struct Ansi {
        ByScheme text;
        ByScheme back;
        ByScheme textOnBack;
    };
    /// A colour and what it must be readable on.
    struct Pair {
        Role role = Role::Text;
        double minimum = 0;
        QList<Role> on;
    };

    std::array<ByScheme, RoleCount> colors;
    std::array<Type, TextStyleCount> types;
    std::array<Ansi, 16> ansi;
    QList<Pair> pairs;

    /// Built in, so that a fault in it is a fault of the program.
    [[nodiscard]] static ThemeTokens read();
};

} // namespace Pilothouse
