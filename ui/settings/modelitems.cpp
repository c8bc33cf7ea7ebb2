// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/modelitems.h"

#include "text/inerttext.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QStandardItemModel>

namespace Pilothouse {

namespace {
constexpr qsizetype LongestModelName = 200;
}

void addModelItem(QComboBox *box, const QString &words, const QString &value, bool isOfUse)
{
    const QString shown = inertLine(words, LongestModelName);
    box->addItem(isOfUse ? shown
                         : QCoreApplication::translate("ModelItems", "%1: cannot use tools").arg(shown),
                 value);
    // The model that a combo box makes for itself is one.
    auto *items = qobject_cast<QStandardItemModel *>(box->model());
    if (!isOfUse && items)
        items->item(box->count() - 1)->setEnabled(false);
}

bool isChosenEnabled(const QComboBox *box)
{
    return box->currentIndex() >= 0
        && box->model()->flags(box->model()->index(box->currentIndex(), 0)).testFlag(Qt::ItemIsEnabled);
}

void chooseFirstEnabled(QComboBox *box)
{
    for (int i = 0; i < box->count(); ++i) {
        box->setCurrentIndex(i);
        if (isChosenEnabled(box))
            return;
    }
    box->setCurrentIndex(box->count() > 0 ? 0 : -1);
}

} // namespace Pilothouse
