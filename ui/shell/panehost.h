// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

class QWidget;

namespace Pilothouse {

/// Where panes are put at the right of the window.
class PaneHost {
public:
    PaneHost() = default;
    virtual ~PaneHost() = default;
    Q_DISABLE_COPY_MOVE(PaneHost)

    /// Adds a tab at the end; `icon` stands for it where there is only room for icons. Takes ownership.
    virtual void addPane(const QString &name, const QString &icon, const QString &title, QWidget *pane) = 0;
    virtual void showPane(const QString &name) = 0; ///< Brings it to the front, and the column into view.
    virtual void setPaneCount(const QString &name, int count) = 0; ///< A small number at its tab; 0: none.
};

} // namespace Pilothouse
