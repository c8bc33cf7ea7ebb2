// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/commandfield.h"

#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Pilothouse {

namespace {
constexpr int Margin = Metrics::SpaceXs;
constexpr qsizetype MostMarks = 500; // Each is a layout format.
} // namespace

CommandField::CommandField(QWidget *parent)
    : QPlainTextEdit(parent)
{
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setTabChangesFocus(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(NoFrame);
    document()->setDocumentMargin(Margin);
    setViewportMargins(Margin, 2, Margin, 2);
    verticalScrollBar()->setAccessibleName(tr("Scroll what would run"));
    connect(this, &QPlainTextEdit::textChanged, this, &CommandField::fit);
    connect(&Theme::instance(), &Theme::changed, this, &CommandField::applyTheme);
    applyTheme();
    setEditable(false);
}

void CommandField::applyTheme()
{
    setFont(Theme::instance().font(TextStyle::Mono));
    QPalette colors = palette();
    for (const QPalette::ColorRole role : {QPalette::Base, QPalette::Window})
        colors.setColor(role, Theme::instance().color(Role::Raised));
    colors.setColor(QPalette::Text, Theme::instance().color(Role::Text));
    setPalette(colors);
    mark(QList<WordDiff::Range>(m_ranges), m_mark);
    fit();
}

void CommandField::setEditable(bool editable)
{
    setReadOnly(!editable);
    // Read-only text can still be selected and copied by keyboard.
    if (!editable)
        setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    update();
}

void CommandField::mark(const QList<WordDiff::Range> &ranges, Mark mark)
{
    m_ranges = ranges;
    m_mark = mark;
    QTextCharFormat format;
    const bool removed = mark == Mark::Removed;
    format.setBackground(Theme::instance().color(removed ? Role::DiffDelWord : Role::DiffAddWord));
    format.setFontStrikeOut(removed);
    format.setFontUnderline(!removed);
    QList<QTextEdit::ExtraSelection> selections;
    const qsizetype length = document()->characterCount() - 1;
    for (const WordDiff::Range &range : ranges.first(std::min(ranges.size(), MostMarks))) {
        if (range.start + range.length > length)
            break;
        QTextCursor cursor(document());
        cursor.setPosition(static_cast<int>(range.start));
        cursor.setPosition(static_cast<int>(range.start + range.length), QTextCursor::KeepAnchor);
        selections.append({cursor, format});
    }
    setExtraSelections(selections);
}

void CommandField::setRoom(int height)
{
    if (std::exchange(m_room, height) != height)
        fit();
}

int CommandField::leastHeight() const { return std::min(m_wanted, heightOf(LeastLines)); }

int CommandField::heightOf(double lines) const
{
    const QMargins around = viewportMargins();
    return static_cast<int>(
               std::ceil(lines * QFontMetricsF(font()).lineSpacing() + 2 * document()->documentMargin()))
        + around.top() + around.bottom() + 2;
}

void CommandField::fit()
{
    // Only the first blocks are laid out for this; they are short enough (see approvaltext).
    const qreal spacing = QFontMetricsF(font()).lineSpacing();
    const QAbstractTextDocumentLayout *layout = document()->documentLayout();
    double lines = 0;
    for (QTextBlock block = document()->begin(); block.isValid() && lines < MostLines; block = block.next())
        lines += std::max(1.0, std::ceil(layout->blockBoundingRect(block).height() / spacing - 0.5));
    const int wanted = heightOf(std::clamp<double>(lines, 1, MostLines));
    const bool isOther = std::exchange(m_wanted, wanted) != wanted;
    const int height = m_room > 0 ? std::min(wanted, std::max(m_room, leastHeight())) : wanted;
    // What is seen whole has no bar: it would take width from the words while their height is found.
    const bool isWhole = lines < MostLines && height == wanted;
    setVerticalScrollBarPolicy(isWhole ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    if (height != this->height() || minimumHeight() != height)
        setFixedHeight(height);
    if (isOther)
        Q_EMIT wantedHeightChanged();
}

void CommandField::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    // After its own handling of the new width, which wraps the command anew: it must be seen whole.
    QMetaObject::invokeMethod(this, &CommandField::fit, Qt::QueuedConnection);
}

bool CommandField::event(QEvent *event)
{
    if (event->type() == QEvent::Paint)
        paintFrame();
    return QPlainTextEdit::event(event);
}

// The area around the viewport; the viewport paints itself.
void CommandField::paintFrame()
{
    QPainter painter(this);
    const QRectF box(rect());
    paintBox(&painter, box, Role::Raised, isReadOnly() ? Role::WaitingLine : Role::Control,
             Metrics::RadiusControl);
    if (hasFocus())
        paintFocusRing(&painter, box, Metrics::RadiusControl);
}

void CommandField::keyPressEvent(QKeyEvent *event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isReadOnly()) {
        // It would swallow the keys of the card.
        if (event->key() == Qt::Key_Escape)
            event->ignore();
        else
            QPlainTextEdit::keyPressEvent(event);
        return;
    }
    if (event->modifiers() == Qt::AltModifier) {
        event->ignore(); // A key of the card; Qt would write its letter.
        return;
    }
    if (isEnter && event->modifiers().testFlag(Qt::ControlModifier)) {
        event->accept();
        if (!event->isAutoRepeat() && !m_composing)
            Q_EMIT submitRequested();
        return;
    }
    if (event->key() == Qt::Key_Escape && m_composing) {
        event->accept(); // It ends the composition, nothing else.
        return;
    }
    if (isEnter && event->modifiers().testFlag(Qt::ShiftModifier)) {
        textCursor().insertBlock(); // Not the line separator that Qt makes of it.
        event->accept();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

void CommandField::inputMethodEvent(QInputMethodEvent *event)
{
    m_composing = !event->preeditString().isEmpty();
    QPlainTextEdit::inputMethodEvent(event);
}

void CommandField::insertFromMimeData(const QMimeData *source) { insertPlainText(source->text()); }

} // namespace Pilothouse
