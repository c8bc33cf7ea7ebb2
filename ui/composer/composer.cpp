// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "composer/composer.h"

#include "composer/composeredit.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

namespace Pilothouse {

Composer::Composer(QWidget *parent)
    : QWidget(parent)
    , m_edit(new ComposerEdit)
    , m_send(new QPushButton)
    , m_hint(new QLabel)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_edit);
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    m_hint->setTextFormat(Qt::PlainText);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    m_hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_hint, 1);
    row->addWidget(m_send);
    layout->addLayout(row);
    m_edit->setAccessibleName(tr("Message"));
    m_hint->setText(tr("Enter sends, Shift+Enter breaks the line"));
    connect(m_edit, &ComposerEdit::submitRequested, this, &Composer::submit);
    connect(m_send, &QPushButton::clicked, this, &Composer::submit);
    connect(m_edit, &QPlainTextEdit::textChanged, this, &Composer::updateButton);
    connect(m_edit, &ComposerEdit::pasteRefused, this, [this](qsizetype length) {
        Error error;
        error.kind = ErrorKind::Usage;
        error.message = tr("What you pasted has %1 characters, which is too long for a message.")
                            .arg(QLocale().toString(length));
        error.kept = tr("The clipboard still has it.");
        error.todo = tr("Put it into a file in the sandbox and say where it is.");
        Q_EMIT problem(error);
    });
    setFocusProxy(m_edit);
    updateButton();
}

void Composer::setConversation(const QString &id)
{
    if (id == m_conversation)
        return;
    const QString draft = m_edit->toPlainText();
    if (draft.isEmpty())
        m_drafts.remove(m_conversation);
    else
        m_drafts[m_conversation] = draft;
    m_conversation = id;
    m_edit->setPlainText(m_drafts.take(id));
    m_edit->moveCursor(QTextCursor::End);
}

void Composer::adoptConversation(const QString &id) { m_conversation = id; }

void Composer::setRunning(bool running)
{
    m_running = running;
    updateButton();
}

void Composer::setDisabledReason(const QString &reason)
{
    m_disabledReason = reason;
    m_edit->setReadOnly(!reason.isEmpty());
    m_hint->setText(reason.isEmpty() ? tr("Enter sends, Shift+Enter breaks the line") : reason);
    updateButton();
}

void Composer::restore(const QString &conversation, const QString &text)
{
    if (conversation != m_conversation) {
        QString &draft = m_drafts[conversation];
        draft = draft.isEmpty() ? text : QString(text + QLatin1Char('\n') + draft);
        return;
    }
    QTextCursor cursor(m_edit->document());
    cursor.insertText(m_edit->document()->isEmpty() ? text : QString(text + QLatin1Char('\n')));
}

void Composer::submit()
{
    const QString text = m_edit->toPlainText();
    if (!m_disabledReason.isEmpty() || text.trimmed().isEmpty())
        return;
    m_edit->clear();
    Q_EMIT submitted(text);
}

void Composer::updateButton()
{
    m_send->setText(m_running ? tr("Steer") : tr("Send"));
    m_send->setAccessibleName(m_running ? tr("Steer: send after the current step") : tr("Send"));
    m_send->setToolTip(m_running ? tr("The agent gets it after the step that runs now") : QString());
    m_send->setEnabled(m_disabledReason.isEmpty() && !m_edit->document()->isEmpty());
    const QString placeholder = !m_disabledReason.isEmpty() ? QString()
        : m_running                                         ? tr("Steer this turn")
                                                            : tr("What should the agent do?");
    if (placeholder != m_edit->placeholderText()) {
        m_edit->setPlaceholderText(placeholder);
        m_edit->viewport()->update(); // Qt 6.4 leaves the old words standing.
    }
}

} // namespace Pilothouse
