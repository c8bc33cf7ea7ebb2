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
    static const QRegularExpression begin(u"^Copy (?:[0-9]{1,6} )?of "_s);
    QString name = title;
    name.remove(begin);
    for (int number = 1;; ++number) {
        const QString copy =
            inertLine(QString((number == 1 ? u"Copy of "_s : u"Copy %1 of "_s.arg(number)) + name), longest);
        if (!isTaken(copy))
            return copy;
    }
}

} // namespace Pilothouse
