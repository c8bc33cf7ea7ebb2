// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/historyservice.h"
#include "engine/machinechange.h"

#include <QObject>

class QMenu;
class QWidget;

namespace Pilothouse {

class Workspace;
struct ConversationSummary;

/// What can be done to a conversation from menus, with the questions that are asked before.
class ConversationActions : public QObject {
    Q_OBJECT
public:
    /// Dialogs belong to `window`.
    ConversationActions(Workspace *workspace, QWidget *window);

    void fillMenu(QMenu *menu, const QString &id);
    /// What can be done to its machine, and what each costs and keeps. For no conversation: the kind of
    /// sandbox that the next one gets.
    void fillMachineMenu(QMenu *menu, const QString &id);

    void duplicate(const QString &id);
    void toggleArchived(const QString &id);
    void exportTo(const QString &id, HistoryService::ExportFormat format); ///< Asks for the file.
    void remove(const QString &id); ///< Asks, and says what happens to the machine.
    void changeMachine(const QString &id, MachineChange change); ///< Asks before what loses files.

    /// Asks, and says what it costs and keeps: the next turn makes a new machine.
    void releaseMachine(const QString &id);

    [[nodiscard]] static QString duplicateHint();

Q_SIGNALS:
    void renameRequested(const QString &id);

private:
    [[nodiscard]] const ConversationSummary *summary(const QString &id) const;
    void fillBackendMenu(QMenu *menu);

    Workspace *m_workspace;
    QWidget *m_window;
};

} // namespace Pilothouse
