// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/engine.h"
#include "approval/pendingcalls.h"

#include <QFrame>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace Pilothouse {

/// One call that waits for a person: the whole of what would run, and the answers. No answer is a default:
/// Enter alone never allows. With the focus on the card, A allows, E edits, D denies; while a field is used
/// only its own keys act.
class ApprovalCard : public QFrame {
    Q_OBJECT
public:
    explicit ApprovalCard(const PendingCall &call, QWidget *parent = nullptr);

    [[nodiscard]] const PendingCall &call() const { return m_call; }
    void setPosition(int number, int count); ///< "2 of 3"
    /// The answer was not taken: it can be given again.
    void answerFailed();

Q_SIGNALS:
    void answered(const QString &conversation, const QString &callId, const Pilothouse::Answer &answer);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    enum class Mode { Ask = 1, Edit, Deny, Sent };
    void setMode(Mode mode);
    void allow();
    void runEdited();
    void deny();
    void send(const Answer &answer);
    void fitText();

    PendingCall m_call;
    Mode m_mode = Mode::Ask;
    QString m_shown;
    QString m_editable;
    QLabel *m_head;
    QLabel *m_position;
    QPlainTextEdit *m_text;
    QLabel *m_note;
    QLineEdit *m_reason;
    QPushButton *m_allow;
    QPushButton *m_edit;
    QPushButton *m_deny;
    QPushButton *m_runEdited;
    QPushButton *m_denyNow;
    QPushButton *m_cancel;
};

} // namespace Pilothouse
