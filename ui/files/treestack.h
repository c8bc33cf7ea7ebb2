// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "files/filessession.h"

#include <QWidget>

class QStackedWidget;

namespace Pilothouse {

class Button;
class EmptyState;
class ErrorBlock;
class FileTreeView;
class Label;

/// The tree, or the words that stand in its place, and above it what is to be known of a tree that is not
/// true any more.
class TreeStack : public QWidget {
    Q_OBJECT
public:
    explicit TreeStack(FileTreeView *tree, QWidget *parent = nullptr); ///< Takes the tree.

    void showState(FilesSession *session); ///< Null: there is none.
    [[nodiscard]] const QString &stateText() const { return m_state; } ///< Headline instead of the tree.
    [[nodiscard]] bool showsTree() const;
    [[nodiscard]] QWidget *shown() const; ///< Takes the keyboard from controls that go.

Q_SIGNALS:
    void wakeWanted();
    void refreshWanted();
    void wholeMachineWanted();

private:
    void act();

    FileTreeView *m_tree;
    FilesSession::Machine m_machine = FilesSession::Machine::None;
    QStackedWidget *m_stack;
    QWidget *m_emptyPage;
    EmptyState *m_empty;
    Button *m_emptyAction;
    QWidget *m_problemPage;
    ErrorBlock *m_problem;
    QWidget *m_banner;
    Label *m_bannerText;
    Button *m_wake;
    QString m_state;
};

} // namespace Pilothouse
