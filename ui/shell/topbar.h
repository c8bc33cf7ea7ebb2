// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

class QAction;
class QMenuBar;

namespace Pilothouse {

class ToolButton;

/// The strip at the top: mark, menus, and at the end what shows columns and settings.
class TopBar : public QWidget {
    Q_OBJECT
public:
    explicit TopBar(QWidget *parent = nullptr);

    [[nodiscard]] QMenuBar *menus() const { return m_menus; }
    /// The buttons follow these actions; the two column actions are checkable.
    void setActions(QAction *sidebar, QAction *panes, QAction *settings);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void bind(ToolButton *button, QAction *action, const QString &icon, const QString &checkedIcon);

    QMenuBar *m_menus;
    ToolButton *m_sidebar;
    ToolButton *m_panes;
    ToolButton *m_settings;
};

} // namespace Pilothouse
