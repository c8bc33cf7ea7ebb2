// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QWidget>

namespace Pilothouse {

/// A line of one pixel between boxes.
class HairLine : public QWidget {
    Q_OBJECT
public:
    explicit HairLine(Qt::Orientation orientation = Qt::Horizontal, Role role = Role::Hair,
                      QWidget *parent = nullptr);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Role m_role;
};

} // namespace Pilothouse
