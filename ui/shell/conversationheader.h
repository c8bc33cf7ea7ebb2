// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QWidget>

#include <optional>

class QLineEdit;
class QMenu;
class QStackedWidget;

namespace Pilothouse {

class Button;
class ConversationActions;
class ElidedLabel;
class Label;
class Meter;
class ToolButton;
class Workspace;
struct ConversationSummary;

/// The two lines over a conversation: title, menu, Stop; model, machine, what was done and spent. Stop is
/// always at the same place.
class ConversationHeader : public QWidget {
    Q_OBJECT
public:
    ConversationHeader(Workspace *workspace, ConversationActions *actions, QWidget *parent = nullptr);

    void refresh();
    void editTitle(); ///< Opens the field over the title.
    [[nodiscard]] Button *stopButton() const { return m_stop; }
    [[nodiscard]] QMenu *machineMenu() const { return m_machineMenu; }
    [[nodiscard]] QMenu *modelMenu() const { return m_modelMenu; }

Q_SIGNALS:
    void keysRequested(); ///< The person wants to enter a key.
    void focusLeft(); ///< Stop had the focus and cannot keep it.

protected:
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void endEdit(bool take);
    void fillMenu();
    void fillModelMenu();
    void refreshMachine(const ConversationSummary *summary);
    void refreshFigures(const ConversationSummary *summary);
    void refreshContext(const ConversationSummary *summary);
    void dropItems();
    void keepStateWords();
    void keepMachineWords();
    bool m_hasWords = false; ///< The state is told here.

    Workspace *m_workspace;
    ConversationActions *m_actions;
    QStackedWidget *m_titleStack;
    ElidedLabel *m_title;
    QLineEdit *m_titleEdit;
    ToolButton *m_more;
    Button *m_stop;
    Button *m_model;
    Button *m_machine;
    ElidedLabel *m_state;
    Label *m_steps;
    Meter *m_context;
    Label *m_contextWords;
    Label *m_tokens;
    Label *m_cost;
    QMenu *m_moreMenu;
    QMenu *m_modelMenu;
    QMenu *m_machineMenu;
    bool m_machineChanging = false;
    Role m_contextRole = Role::Text2;
    std::optional<double> m_part; ///< Of the context that is taken; empty: not known.
};

} // namespace Pilothouse
