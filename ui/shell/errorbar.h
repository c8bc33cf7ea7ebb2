// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace Pilothouse {

/// An error inside the window: what happened, what was kept, what to do. Stays until it is dismissed or
/// replaced.
class ErrorBar : public QFrame {
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
    QLabel *m_headline;
    QLabel *m_rest;
    QPushButton *m_action;
    QPushButton *m_dismiss;
};

} // namespace Pilothouse
