// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/controls/elidedlabel.h"

namespace Pilothouse {

/// A short text with an icon before it.
class IconLabel : public ElidedLabel {
    Q_OBJECT
public:
    IconLabel(const QString &icon, const QString &accessibleName, TextStyle style = TextStyle::Meta,
              Role color = Role::Text2, QWidget *parent = nullptr);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_icon;
};

} // namespace Pilothouse
