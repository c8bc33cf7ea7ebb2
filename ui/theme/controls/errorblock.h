// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"

#include <QWidget>

namespace Pilothouse {

class Button;
class Label;

/// An error in its place: what happened, what was kept, what to do, and at most one button that does it.
class ErrorBlock : public QWidget {
    Q_OBJECT
public:
    explicit ErrorBlock(QWidget *parent = nullptr);

    void setError(const Error &error);
    void setAction(const QString &text); ///< Empty: no button.
    void setDismissible(bool dismissible); ///< A button that takes it away; off at first.
    [[nodiscard]] QString text() const; ///< As shown.

Q_SIGNALS:
    void actionRequested();
    void dismissed();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Label *m_headline;
    Label *m_rest;
    Button *m_action;
    Button *m_dismiss;
};

} // namespace Pilothouse
