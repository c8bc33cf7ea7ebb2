// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

class QStackedWidget;

namespace Pilothouse {

class Button;
class ConversationListModel;
class ConversationListView;
class EmptyState;
class SearchField;
class SidebarModel;

/// The column of conversations: find, New, the list in groups.
class Sidebar : public QWidget {
    Q_OBJECT
public:
    /// `model` outlives this.
    explicit Sidebar(SidebarModel *model, QWidget *parent = nullptr);

    [[nodiscard]] ConversationListView *list() const { return m_list; }
    [[nodiscard]] SearchField *find() const { return m_find; }
    void setCanMake(bool canMake); ///< Whether New can be pressed.
    void focusFind();

Q_SIGNALS:
    void newRequested();

private:
    void updateEmpty();

    SidebarModel *m_model;
    SearchField *m_find;
    Button *m_new;
    QStackedWidget *m_stack;
    ConversationListView *m_list;
    EmptyState *m_empty;
};

} // namespace Pilothouse
