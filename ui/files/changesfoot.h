// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "files/filechanges.h"

#include <QWidget>

namespace Pilothouse {

class Button;
class Label;

/// The foot of the tree: how many files changed, by letter, and since when.
class ChangesFoot : public QWidget {
    Q_OBJECT
public:
    explicit ChangesFoot(QWidget *parent = nullptr);

    void show(const FileChanges::Counts &counts, FileChanges::Scope scope, int turn);
    [[nodiscard]] QString text() const; ///< As shown.

Q_SIGNALS:
    void scopeChosen(Pilothouse::FileChanges::Scope scope);

private:
    void showMenu();

    Label *m_none;
    Label *m_letters[3];
    Button *m_scopeButton;
    FileChanges::Scope m_scope = FileChanges::Scope::Conversation;
};

} // namespace Pilothouse
