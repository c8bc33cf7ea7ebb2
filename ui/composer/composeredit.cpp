// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "composer/composeredit.h"

#include <QAbstractTextDocumentLayout>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace Pilothouse {

namespace {
constexpr int FewestLines = 2;
constexpr int MostLines = 12;
} // namespace

ComposerEdit::ComposerEdit(QWidget *parent)
    : QPlainTextEdit(parent)
{
    setTabChangesFocus(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    verticalScrollBar()->setAccessibleName(tr("Scroll the message"));
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
            [this] { updateGeometry(); });
}

int ComposerEdit::heightFor(int lines) const
{
    const double height = lines * QFontMetricsF(font()).lineSpacing() + 2 * document()->documentMargin();
    return static_cast<int>(std::ceil(height)) + 2 * frameWidth();
}

QSize ComposerEdit::sizeHint() const
{
    // The document of a plain text edit counts its height in lines.
    const int lines = static_cast<int>(std::ceil(document()->size().height()));
    return {300, heightFor(std::clamp(lines, FewestLines, MostLines))};
}

QSize ComposerEdit::minimumSizeHint() const { return {120, heightFor(FewestLines)}; }

void ComposerEdit::keyPressEvent(QKeyEvent *event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!isEnter) {
        QPlainTextEdit::keyPressEvent(event);
        return;
    }
    if (m_composing) {
        event->accept(); // It ends the composition, nothing else.
        return;
    }
    const Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
    if (modifiers == Qt::NoModifier) {
        event->accept();
        if (!event->isAutoRepeat())
            Q_EMIT submitRequested();
        return;
    }
    if (modifiers == Qt::ShiftModifier) {
        // As its own line, not as the line separator that Shift+Enter makes by default.
        textCursor().insertBlock();
        ensureCursorVisible();
        event->accept();
        return;
    }
    event->ignore();
}

void ComposerEdit::inputMethodEvent(QInputMethodEvent *event)
{
    m_composing = !event->preeditString().isEmpty();
    QPlainTextEdit::inputMethodEvent(event);
}

void ComposerEdit::focusOutEvent(QFocusEvent *event)
{
    m_composing = false;
    QPlainTextEdit::focusOutEvent(event);
}

bool ComposerEdit::canInsertFromMimeData(const QMimeData *source) const { return source->hasText(); }

void ComposerEdit::insertFromMimeData(const QMimeData *source)
{
    const QString text = source->text();
    if (text.size() + document()->characterCount() > LongestPaste) {
        Q_EMIT pasteRefused(text.size());
        return;
    }
    insertPlainText(text);
    ensureCursorVisible();
}

} // namespace Pilothouse
