// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvalcard.h"

#include "approval/approvaltext.h"
#include "text/inerttext.h"

#include <QAbstractTextDocumentLayout>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBlock>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostLines = 10; // Then the field scrolls; the whole is there.
constexpr qsizetype LongestEdit = 256 * 1024; // An editable line is laid out as a whole at every key.
constexpr int LongestReason = 2000;

QLabel *plainLabel(const QString &text = {})
{
    auto *label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

} // namespace

ApprovalCard::ApprovalCard(const PendingCall &call, QWidget *parent)
    : QFrame(parent)
    , m_call(call)
    , m_head(plainLabel())
    , m_position(plainLabel())
    , m_text(new QPlainTextEdit)
    , m_note(plainLabel())
    , m_reason(new QLineEdit)
    , m_allow(new QPushButton(tr("Allow once")))
    , m_edit(new QPushButton(tr("Edit and run…")))
    , m_deny(new QPushButton(tr("Deny…")))
    , m_runEdited(new QPushButton(tr("Run edited")))
    , m_denyNow(new QPushButton(tr("Deny")))
    , m_cancel(new QPushButton(tr("Back")))
{
    const ApprovalText text = approvalText(call.args);
    m_shown = text.further.isEmpty() ? text.shown : QString(text.shown + u"\n\n"_s + text.further);
    m_editable = text.editable;
    const QString tool = inertLine(call.toolName, 60);

    setFrameShape(QFrame::StyledPanel);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Waiting for you: %1").arg(tool));
    setAccessibleDescription(tr("A allows once, E edits, D denies"));

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(6);
    auto *headRow = new QHBoxLayout;
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    m_head->setFont(bold);
    m_head->setText(tr("Waiting for you: may %1 run this in the sandbox?").arg(tool));
    headRow->addWidget(m_head, 1);
    headRow->addWidget(m_position);
    m_position->setWordWrap(false);
    layout->addLayout(headRow);

    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPointSizeF(font().pointSizeF() > 0 ? font().pointSizeF() : mono.pointSizeF());
    m_text->setFont(mono);
    m_text->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    m_text->setTabChangesFocus(true);
    m_text->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_text->setAccessibleName(text.isCommand ? tr("Command") : tr("Arguments"));
    m_text->verticalScrollBar()->setAccessibleName(tr("Scroll what would run"));
    connect(m_text, &QPlainTextEdit::textChanged, this, &ApprovalCard::fitText);
    layout->addWidget(m_text);

    QStringList notes;
    if (!call.reason.isEmpty())
        notes.append(tr("Asked because %1.").arg(inertLine(call.reason, 300)));
    if (text.hasHidden)
        notes.append(tr(
            "Characters that do not show are written out as \\u{…}; an edited command runs as it is shown."));
    m_note->setText(notes.join(u' '));
    m_note->setVisible(!notes.isEmpty());
    layout->addWidget(m_note);

    m_reason->setPlaceholderText(tr("Why not? The agent is told this."));
    m_reason->setAccessibleName(tr("Reason for the agent"));
    m_reason->setMaxLength(LongestReason);
    layout->addWidget(m_reason);

    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    for (QPushButton *button : {m_allow, m_edit, m_deny, m_runEdited, m_denyNow, m_cancel}) {
        button->setAutoDefault(false);
        button->setAccessibleName(button->text().remove(u'…'));
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    layout->addLayout(buttons);
    m_allow->setToolTip(tr("A"));
    m_edit->setToolTip(tr("E"));
    m_deny->setToolTip(tr("D"));
    m_runEdited->setToolTip(tr("Ctrl+Enter"));
    if (m_editable.size() > LongestEdit) {
        m_edit->setEnabled(false);
        m_edit->setToolTip(tr("Too long to edit here"));
    }

    connect(m_allow, &QPushButton::clicked, this, &ApprovalCard::allow);
    connect(m_edit, &QPushButton::clicked, this, [this] { setMode(Mode::Edit); });
    connect(m_deny, &QPushButton::clicked, this, [this] { setMode(Mode::Deny); });
    connect(m_runEdited, &QPushButton::clicked, this, &ApprovalCard::runEdited);
    connect(m_denyNow, &QPushButton::clicked, this, &ApprovalCard::deny);
    connect(m_cancel, &QPushButton::clicked, this, [this] { setMode(Mode::Ask); });
    connect(m_reason, &QLineEdit::returnPressed, this, &ApprovalCard::deny);
    m_text->installEventFilter(this);
    setMode(Mode::Ask);
}

void ApprovalCard::setPosition(int number, int count)
{
    m_position->setVisible(count > 1);
    m_position->setText(tr("%1 of %2").arg(number).arg(count));
}

void ApprovalCard::setMode(Mode mode)
{
    const Mode before = m_mode;
    m_mode = mode;
    const bool isAsking = mode == Mode::Ask || mode == Mode::Sent;
    m_text->setReadOnly(mode != Mode::Edit);
    if (mode != Mode::Sent)
        m_text->setPlainText(mode == Mode::Edit ? m_editable : m_shown);
    for (QPushButton *button : {m_allow, m_edit, m_deny})
        button->setVisible(isAsking);
    m_allow->setEnabled(mode == Mode::Ask);
    m_edit->setEnabled(mode == Mode::Ask && m_editable.size() <= LongestEdit);
    m_deny->setEnabled(mode == Mode::Ask);
    m_runEdited->setVisible(mode == Mode::Edit);
    m_denyNow->setVisible(mode == Mode::Deny);
    m_reason->setVisible(mode == Mode::Deny);
    m_cancel->setVisible(mode == Mode::Edit || mode == Mode::Deny);
    if (mode == Mode::Edit) {
        m_text->setFocus();
        m_text->moveCursor(QTextCursor::End);
    } else if (mode == Mode::Deny) {
        m_reason->setFocus();
    } else if (mode == Mode::Ask && before != Mode::Ask) {
        setFocus();
    }
}

void ApprovalCard::fitText()
{
    // Only the first blocks are laid out for this; they are short enough (see approvaltext).
    const QFontMetricsF metrics(m_text->font());
    QAbstractTextDocumentLayout *layout = m_text->document()->documentLayout();
    double lines = 0;
    for (QTextBlock block = m_text->document()->begin(); block.isValid() && lines < MostLines;
         block = block.next())
        lines +=
            std::max(1.0, std::ceil(layout->blockBoundingRect(block).height() / metrics.lineSpacing() - 0.5));
    const double height = std::clamp<double>(lines, 1, MostLines) * metrics.lineSpacing()
        + 2 * m_text->document()->documentMargin();
    m_text->setFixedHeight(static_cast<int>(std::ceil(height)) + 2 * m_text->frameWidth() + 2);
}

void ApprovalCard::send(const Answer &answer)
{
    setMode(Mode::Sent);
    Q_EMIT answered(m_call.conversation, m_call.callId, answer);
}

void ApprovalCard::allow()
{
    Answer answer;
    answer.kind = Answer::Kind::Approve;
    answer.by = u"user"_s;
    send(answer);
}

void ApprovalCard::runEdited()
{
    if (m_mode != Mode::Edit)
        return;
    const auto args = editedArguments(m_call.args, m_text->toPlainText());
    if (!args) {
        m_note->setText(args.error());
        m_note->show();
        return;
    }
    Answer answer;
    answer.kind = Answer::Kind::Edit;
    answer.by = u"user"_s;
    answer.args = *args;
    send(answer);
}

void ApprovalCard::deny()
{
    if (m_mode != Mode::Deny)
        return;
    Answer answer;
    answer.kind = Answer::Kind::Deny;
    answer.by = u"user"_s;
    answer.reason = m_reason->text().trimmed();
    send(answer);
}

void ApprovalCard::answerFailed()
{
    if (m_mode == Mode::Sent)
        setMode(Mode::Ask);
}

bool ApprovalCard::eventFilter(QObject *watched, QEvent *event)
{
    // After its own handling of the new width, which wraps the command anew: it must be seen whole.
    if (watched == m_text && event->type() == QEvent::Resize)
        QMetaObject::invokeMethod(this, &ApprovalCard::fitText, Qt::QueuedConnection);
    if (watched == m_text && event->type() == QEvent::KeyPress && m_mode == Mode::Edit) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (isEnter && key->modifiers().testFlag(Qt::ControlModifier) && !key->isAutoRepeat()) {
            runEdited();
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void ApprovalCard::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && (m_mode == Mode::Edit || m_mode == Mode::Deny)) {
        setMode(Mode::Ask);
        return;
    }
    // Keys that a field did not use come up here as well; letters act only on the card itself.
    const bool isPlain = event->modifiers() == Qt::NoModifier && !event->isAutoRepeat();
    if (m_mode == Mode::Ask && hasFocus() && isPlain) {
        switch (event->key()) {
        case Qt::Key_A:
            allow();
            return;
        case Qt::Key_E:
            if (m_edit->isEnabled())
                setMode(Mode::Edit);
            return;
        case Qt::Key_D:
            setMode(Mode::Deny);
            return;
        default:
            break;
        }
    }
    QFrame::keyPressEvent(event);
}

} // namespace Pilothouse
