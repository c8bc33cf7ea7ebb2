// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

namespace Pilothouse {

class ConversationListView;
class SidebarModel;
class ToolButton;

/// The sidebar where there is no room for it: New, Find, and the states of the conversations.
class SidebarRail : public QWidget {
    Q_OBJECT
public:
    explicit SidebarRail(SidebarModel *model, QWidget *parent = nullptr);

    [[nodiscard]] ConversationListView *list() const { return m_list; }
    void setCanMake(bool canMake);

Q_SIGNALS:
    void newRequested();
    void findRequested();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    ToolButton *m_new;
    ConversationListView *m_list;
};

} // namespace Pilothouse
