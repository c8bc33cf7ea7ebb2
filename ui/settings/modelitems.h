// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

class QComboBox;

namespace Pilothouse {

/// A model among others to choose from; one that cannot use tools says so and cannot be chosen.
void addModelItem(QComboBox *box, const QString &words, const QString &value, bool isOfUse);
void chooseFirstEnabled(QComboBox *box);
[[nodiscard]] bool isChosenEnabled(const QComboBox *box);

} // namespace Pilothouse
