// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sidebar/copytitle.h"

#include "text/inerttext.h"

#include <QRegularExpression>

namespace Pilothouse {

using namespace Qt::StringLiterals;

QString copyTitle(const QString &title, qsizetype longest,
                  const std::function<bool(const QString &)> &isTaken)
{
    static const QRegularExpression ending(u" \\(copy(?: [0-9]{1,6})?\\)$"_s);
    QString name = title;
    name.remove(ending);
    for (int number = 1;; ++number) {
        const QString suffix = number == 1 ? u" (copy)"_s : u" (copy %1)"_s.arg(number);
        const QString copy = inertLine(name, longest - suffix.size()) + suffix;
        if (!isTaken(copy))
            return copy;
    }
}

} // namespace Pilothouse
