// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "shell/panehost.h"

#include <QList>
#include <QWidget>

class QStackedWidget;
class QTabBar;

namespace Pilothouse {

/// The column of panes at the right: tabs, one pane below them.
class PaneColumn : public QWidget, public PaneHost {
    Q_OBJECT
public:
    struct Pane {
        QString name;
        QString icon;
        QString title;
        int count = 0;
    };

    explicit PaneColumn(QWidget *parent = nullptr);

    void addPane(const QString &name, const QString &icon, const QString &title, QWidget *pane) override;
    void showPane(const QString &name) override;
    void setPaneCount(const QString &name, int count) override;
    [[nodiscard]] const QList<Pane> &panes() const { return m_panes; }
    [[nodiscard]] QString currentPane() const;
    [[nodiscard]] QTabBar *tabs() const { return m_tabs; }
    void focusPane();

Q_SIGNALS:
    void panesChanged(); ///< Which there are, their counts, or which is in front.
    void viewRequested(); ///< showPane(): the column is to be seen.

private:
    QTabBar *m_tabs;
    QStackedWidget *m_stack;
    QList<Pane> m_panes;
};

/// The same panes as a narrow strip of icons.
class PaneRail : public QWidget {
    Q_OBJECT
public:
    explicit PaneRail(PaneColumn *column, QWidget *parent = nullptr);

    void focusButton(); ///< Of the pane that was shown last.

Q_SIGNALS:
    void paneRequested(const QString &name);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void rebuild();

    PaneColumn *m_column;
};

} // namespace Pilothouse
