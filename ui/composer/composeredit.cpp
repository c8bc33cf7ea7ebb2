// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "composer/composeredit.h"

#include "theme/metrics.h"
#include "theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QScrollBar>
#include <QUrl>

#include <algorithm>
#include <cmath>

namespace Pilothouse {

namespace {

constexpr int FewestLines = 1;
constexpr int MostLines = Metrics::ComposerMaxLines;

bool isEnter(const QKeyEvent *event)
{
    return event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
}

} // namespace

QStringList localFiles(const QMimeData *source)
{
    QStringList out;
    const QList<QUrl> urls = source->urls();
    for (const QUrl &url : urls) {
        if (!url.isLocalFile())
            return {};
        out.append(url.toLocalFile());
    }
    return out;
}

ComposerEdit::ComposerEdit(QWidget *parent)
    : QPlainTextEdit(parent)
{
    setTabChangesFocus(true);
    setFrameShape(NoFrame);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    verticalScrollBar()->setAccessibleName(tr("Scroll the message"));
    document()->setDocumentMargin(0);
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
            [this](const QSizeF &size) {
                setVerticalScrollBarPolicy(size.height() > MostLines ? Qt::ScrollBarAsNeeded
                                                                     : Qt::ScrollBarAlwaysOff);
                updateGeometry();
            });
    connect(&Theme::instance(), &Theme::changed, this, &ComposerEdit::applyTheme);
    applyTheme();
}

void ComposerEdit::applyTheme()
{
    const Theme &theme = Theme::instance();
    setFont(theme.font(TextStyle::Body));
    QPalette colors = palette();
    colors.setColor(QPalette::Base, theme.color(Role::Raised));
    colors.setColor(QPalette::Text, theme.color(Role::Text));
    colors.setColor(QPalette::PlaceholderText,
                    theme.scheme() == Scheme::HighContrast ? theme.placeholderColor()
                                                           : theme.color(Role::Text2));
    setPalette(colors);
    updateGeometry();
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

bool ComposerEdit::event(QEvent *event)
{
    // While text is composed its keys are no shortcuts of the window: Escape drops a candidate, not the run.
    if (event->type() == QEvent::ShortcutOverride && m_composing) {
        event->accept();
        return true;
    }
    return QPlainTextEdit::event(event);
}

void ComposerEdit::keyPressEvent(QKeyEvent *event)
{
    if (m_composing && (isEnter(event) || event->key() == Qt::Key_Escape)) {
        event->accept(); // It ends the composition, nothing else.
        return;
    }
    if (!isEnter(event)) {
        QPlainTextEdit::keyPressEvent(event);
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

void ComposerEdit::focusInEvent(QFocusEvent *event)
{
    QPlainTextEdit::focusInEvent(event);
    Q_EMIT focusChanged();
}

void ComposerEdit::focusOutEvent(QFocusEvent *event)
{
    m_composing = false;
    QPlainTextEdit::focusOutEvent(event);
    Q_EMIT focusChanged();
}

bool ComposerEdit::canInsertFromMimeData(const QMimeData *source) const
{
    if (m_takesFiles && !localFiles(source).isEmpty())
        return false; // A drop goes on to the composer.
    return source->hasText();
}

void ComposerEdit::insertFromMimeData(const QMimeData *source)
{
    if (const QStringList files = localFiles(source); m_takesFiles && !files.isEmpty()) {
        Q_EMIT filesPasted(files);
        return;
    }
    const QString text = source->text();
    if (text.size() + document()->characterCount() > LongestPaste) {
        Q_EMIT pasteRefused(text.size());
        return;
    }
    insertPlainText(text);
    ensureCursorVisible();
}

} // namespace Pilothouse
