// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QToolButton>

namespace Pilothouse {

/// A button that is an icon: named for screen readers and in its tooltip, no frame until it is needed.
class ToolButton : public QToolButton {
    Q_OBJECT
public:
    ToolButton(const QString &iconName, const QString &name, QWidget *parent = nullptr);

    void setIconName(const QString &iconName);
    /// Says what it does; with `shortcut` the tooltip ends in it.
    void setName(const QString &name, const QString &shortcut = {});
    void setSmall(bool small); ///< 24 instead of 28.
    void setIconRole(Role role);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_icon;
    Role m_role = Role::Text2;
    bool m_small = false;
};

} // namespace Pilothouse
