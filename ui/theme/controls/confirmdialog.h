// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QDialog>

class QCheckBox;

namespace Pilothouse {

class Label;

/// A question before something is destroyed. Cancel has the focus; it deletes itself when closed. Use open().
class ConfirmDialog : public QDialog {
    Q_OBJECT
public:
    struct Question {
        QString title;
        QString text;
        QString option; ///< Empty: no check box. Else it is on at first.
        QString optionOn; ///< What follows if it is on.
        QString optionOff;
        QString confirm; ///< Of the button.
    };
    ConfirmDialog(const Question &question, QWidget *parent);

Q_SIGNALS:
    void confirmed(bool option);

private:
    QCheckBox *m_option = nullptr;
};

} // namespace Pilothouse
