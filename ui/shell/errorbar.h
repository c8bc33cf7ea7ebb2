// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

namespace Pilothouse {

class ErrorBlock;
struct Error;

/// A problem that concerns the window: what happened, what was kept, what to do. Stays until it is dismissed,
/// replaced, or the person has gone on to something else; a log that cannot be written stays told.
class ErrorBar : public QWidget {
    Q_OBJECT
public:
    explicit ErrorBar(QWidget *parent = nullptr);

    void showError(const Error &error);
    /// One button that does what the error advises; empty: none.
    void setAction(const QString &text);
    [[nodiscard]] QString text() const;
    void dismiss();
    void letGo(); ///< dismiss(), unless it is still so whatever the person does.

Q_SIGNALS:
    void dismissed(bool hadFocus); ///< Also by the program.
    void actionRequested();

private:
    ErrorBlock *m_block;
    bool m_stays = false;
};

} // namespace Pilothouse
