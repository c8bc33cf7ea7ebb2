// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "approval/approvaltext.h"
#include "approval/pendingcalls.h"
#include "engine/engine.h"

#include <QTimer>
#include <QWidget>

class QGridLayout;
class QLineEdit;

namespace Pilothouse {

class Button;
class CommandField;
class Label;
class WrapLayout;

/// What a card can say about the place where a call would run.
struct ApprovalContext {
    bool isMachinePaused = false;
    QString canReach; ///< Hosts, or that there are none; empty: not known yet, and the card says so.
};

/// What a person began in a card, so that another card of the same call goes on with it.
struct ApprovalDraft {
    enum class Kind { None = 1, Edit, Deny };
    Kind kind = Kind::None;
    QString text; ///< The edited command, or the reason.
};

/// One call that waits for a person: the whole of what would run, and the answers. The same card stands in
/// the transcript and above the composer. No answer is a default: Enter alone never allows. With the focus on
/// the card, which only keys give it (a word typed after a click must not run anything), A allows, E edits, D
/// denies; while a field is used only its own keys and keys with a modifier
/// act.
class ApprovalCard : public QWidget {
    Q_OBJECT
public:
    explicit ApprovalCard(const PendingCall &call, QWidget *parent = nullptr);

    [[nodiscard]] const PendingCall &call() const { return m_call; }
    void setPosition(int number, int count); ///< "2 of 3"
    void setContext(const ApprovalContext &context);
    /// Pixels that are there for the card: what would run scrolls within it, so that buttons and fields are
    /// seen. One of several takes half of it until it is edited or denied. 0: no bound.
    void setRoom(int height);
    /// The answer was not taken: it can be given again.
    void answerFailed();
    [[nodiscard]] ApprovalDraft draft() const;
    void setDraft(const ApprovalDraft &draft);
    [[nodiscard]] bool isAnswered() const { return m_mode == Mode::Sent; }
    [[nodiscard]] bool isUsedByMouse() const { return m_isByMouse; } ///< Letters are not for it.
    void takeFocus(bool byMouse); ///< As after an answer that was given elsewhere by the same means.
    [[nodiscard]] bool hasFocusWithin() const; ///< Of its window.
    /// Takes the focus from the other card of its call, in the field and at the place where it is there.
    void goOnFrom(const ApprovalCard &other);

Q_SIGNALS:
    void answered(const QString &conversation, const QString &callId, const Pilothouse::Answer &answer);
    void draftChanged();
    void attended(); ///< The person went to it: it has the focus, or is edited or denied.

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    bool event(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    enum class Mode { Ask = 1, Edit, Deny, Sent };
    class Machine;
    void makeHead();
    void makeFacts();
    void makeButtons();
    void setMode(Mode mode);
    void updateHead();
    void updateFacts();
    void updateDiff();
    void fit();
    void updateAge();
    void allow();
    void runEdited();
    void deny();
    void send(const Answer &answer);
    void noteFocus(Qt::FocusReason reason);
    [[nodiscard]] bool canEdit() const;

    PendingCall m_call;
    ApprovalText m_text;
    QString m_shownText;
    ApprovalContext m_context;
    Mode m_mode = Mode::Ask;
    bool m_isByMouse = false; ///< The focus came by a click: letters are meant for the message.
    bool m_isFollowing = false; ///< Another card of the call leads: this one takes no focus.
    int m_number = 1;
    int m_count = 1;
    int m_room = 0;
    bool m_isTight = false; ///< No room for what is known beside what would run.
    Label *m_head;
    Label *m_position;
    QWidget *m_machine;
    Label *m_machineWords;
    Label *m_age;
    Label *m_proposedLabel;
    CommandField *m_shown; ///< What the model proposed.
    Label *m_editLabel;
    CommandField *m_edited;
    QWidget *m_facts;
    QGridLayout *m_factsGrid;
    Label *m_because;
    Label *m_reach;
    Label *m_told;
    Label *m_note;
    QLineEdit *m_reason;
    WrapLayout *m_buttons;
    Button *m_allow;
    Button *m_edit;
    Button *m_deny;
    Button *m_runEdited;
    Button *m_denyNow;
    Button *m_back;
    QTimer m_tick;
};

} // namespace Pilothouse
