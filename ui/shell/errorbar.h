// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

namespace Pilothouse {

class ErrorBlock;
struct Error;

/// A problem that concerns the window: what happened, what was kept, what to do. Stays until it is dismissed
/// or replaced.
class ErrorBar : public QWidget {
    Q_OBJECT
public:
    explicit ErrorBar(QWidget *parent = nullptr);

    void showError(const Error &error);
    /// One button that does what the error advises; empty: none.
    void setAction(const QString &text);
    [[nodiscard]] QString text() const;
    void dismiss();

Q_SIGNALS:
    void actionRequested();

private:
    ErrorBlock *m_block;
};

} // namespace Pilothouse
