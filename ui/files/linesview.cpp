// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/linesview.h"

#include "files/linesaccessible.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int ScrollEveryMs = 50;
constexpr qsizetype MostCopied = 32 * 1024 * 1024; // Units; a clipboard is no file transfer.

bool isWordCharacter(QChar c) { return c.isLetterOrNumber() || c == u'_'; }

} // namespace

LinesView::LinesView(QWidget *parent)
    : QAbstractScrollArea(parent)
{
    installLinesAccessible();
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    verticalScrollBar()->setAccessibleName(tr("Scroll the file"));
    horizontalScrollBar()->setAccessibleName(tr("Scroll the file sideways"));
    viewport()->setCursor(Qt::IBeamCursor);
    connect(&Theme::instance(), &Theme::changed, this, &LinesView::applyTheme);
    applyTheme();
}

LinesView::~LinesView() = default;

void LinesView::applyTheme()
{
    const Theme &theme = Theme::instance();
    m_lineHeight = theme.lineHeight(TextStyle::Mono);
    m_columnWidth = QFontMetricsF(theme.font(TextStyle::Mono)).horizontalAdvance(u'0');
    updateBars();
    viewport()->update();
}

void LinesView::setDocument(std::shared_ptr<const PreviewDocument> document, const QString &accessibleName,
                            bool keepPlace)
{
    const int down = keepPlace ? verticalScrollBar()->value() : 0;
    const int side = keepPlace ? horizontalScrollBar()->value() : 0;
    m_document = std::move(document);
    m_anchor = m_end = {};
    setAccessibleName(accessibleName);
    updateBars();
    verticalScrollBar()->setValue(down);
    horizontalScrollBar()->setValue(side);
    viewport()->update();
}

void LinesView::updateBars()
{
    const qsizetype lines = m_document ? m_document->lineCount() : 0;
    const int page = std::max(1, viewport()->height() / m_lineHeight);
    // The bar counts lines: millions of them fit, and nothing overflows.
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(1);
    verticalScrollBar()->setRange(0, int(std::max<qsizetype>(0, lines - page)));
    const qreal wide =
        m_document ? qreal(std::min(m_document->widest(), PreviewDocument::LongestLine)) * m_columnWidth : 0;
    const int room = viewport()->width() - gutterWidth() - Metrics::SpaceM;
    horizontalScrollBar()->setPageStep(std::max(1, room));
    horizontalScrollBar()->setSingleStep(int(std::ceil(m_columnWidth)) * 4);
    horizontalScrollBar()->setRange(0, std::max(0, int(std::ceil(wide)) - room));
}

int LinesView::gutterWidth() const
{
    if (!m_document || m_document->lineCount() == 0)
        return Theme::instance().px(Metrics::OutputGutter);
    const Theme &theme = Theme::instance();
    const QFontMetricsF metrics(theme.font(TextStyle::LineNumber));
    const qreal widest = metrics.horizontalAdvance(m_document->gutter(m_document->lineCount() - 1));
    return std::max(theme.px(Metrics::OutputGutter), int(std::ceil(widest)) + theme.px(Metrics::SpaceXl));
}

qsizetype LinesView::firstVisibleLine() const { return verticalScrollBar()->value(); }

qsizetype LinesView::visibleLineCount() const { return viewport()->height() / m_lineHeight + 1; }

QRect LinesView::lineRect(qsizetype line) const
{
    return {0, static_cast<int>(line - firstVisibleLine()) * m_lineHeight, viewport()->width(), m_lineHeight};
}

void LinesView::layOut(QTextLayout *layout, qsizetype line) const
{
    const Theme &theme = Theme::instance();
    QTextOption option;
    option.setWrapMode(QTextOption::NoWrap);
    layout->setTextOption(option);
    layout->setFont(theme.font(TextStyle::Mono));
    layout->setText(m_document->line(line));
    QList<QTextLayout::FormatRange> formats;
    for (const PreviewDocument::Color &color : m_document->colors(line)) {
        QTextLayout::FormatRange range;
        range.start = int(color.at);
        range.length = int(color.length);
        range.format.setForeground(theme.color(color.role));
        formats.append(range);
    }
    layout->setFormats(formats);
    layout->beginLayout();
    QTextLine text = layout->createLine();
    text.setNumColumns(int(PreviewDocument::LongestLine) * 2);
    text.setPosition({0, 0});
    layout->endLayout();
}

void LinesView::paintEvent(QPaintEvent *event)
{
    const Theme &theme = Theme::instance();
    QPainter painter(viewport());
    painter.fillRect(event->rect(), theme.color(Role::Canvas));
    if (!m_document)
        return;
    const int gutter = gutterWidth();
    const qsizetype from = firstVisibleLine() + event->rect().top() / m_lineHeight;
    const qsizetype to =
        std::min(m_document->lineCount() - 1, firstVisibleLine() + event->rect().bottom() / m_lineHeight);
    const QFont numbers = theme.font(TextStyle::LineNumber);
    const QRect textRect(gutter, 0, viewport()->width() - gutter, viewport()->height());
    for (qsizetype line = from; line <= to; ++line) {
        const int top = int(line - firstVisibleLine()) * m_lineHeight;
        painter.setFont(numbers);
        painter.setPen(theme.color(Role::Text3));
        painter.drawText(QRect(0, top, gutter - theme.px(Metrics::SpaceM), m_lineHeight),
                         Qt::AlignRight | Qt::AlignVCenter, m_document->gutter(line));
        QTextLayout layout;
        layOut(&layout, line);
        QList<QTextLayout::FormatRange> selection;
        if (hasSelection() && line >= first().line && line <= last().line) {
            const qsizetype begin = line == first().line ? first().column : 0;
            const qsizetype end = line == last().line ? last().column : layout.text().size();
            QTextLayout::FormatRange range;
            range.start = int(begin);
            range.length = int(end - begin);
            range.format.setBackground(theme.color(Role::SelectionBack));
            range.format.setForeground(theme.color(Role::SelectionText));
            selection.append(range);
        }
        painter.save();
        painter.setClipRect(textRect);
        painter.setPen(theme.color(Role::Text));
        const qreal height = layout.lineAt(0).height();
        layout.draw(&painter,
                    {qreal(gutter - horizontalScrollBar()->value()), top + (m_lineHeight - height) / 2},
                    selection);
        painter.restore();
    }
    if (hasFocus())
        paintFocusRing(&painter, QRectF(viewport()->rect()), 0);
}

void LinesView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateBars();
}

void LinesView::scrollContentsBy(int, int) { viewport()->update(); }

LinesView::Place LinesView::placeAt(const QPoint &point) const
{
    if (!m_document || m_document->lineCount() == 0)
        return {};
    const qsizetype below = point.y() < 0 ? -1 : point.y() / m_lineHeight;
    const qsizetype line = std::clamp<qsizetype>(firstVisibleLine() + below, 0, m_document->lineCount() - 1);
    QTextLayout layout;
    layOut(&layout, line);
    const qreal x = point.x() - gutterWidth() + horizontalScrollBar()->value();
    return {line, layout.lineAt(0).xToCursor(x)};
}

bool LinesView::hasSelection() const { return m_document && m_anchor != m_end; }

QString LinesView::selectedText() const
{
    if (!hasSelection())
        return {};
    const Place from = first();
    const Place to = last();
    if (from.line == to.line)
        return m_document->line(from.line).mid(from.column, to.column - from.column);
    const bool wholeEnd = to.column >= m_document->line(to.line).size();
    if (from.column == 0 && wholeEnd)
        return m_document->text(from.line, to.line).left(MostCopied);
    // The first and the last line as they are shown, those between as they are.
    QString text = m_document->line(from.line).mid(from.column) + u'\n';
    if (to.line > from.line + 1)
        text += m_document->text(from.line + 1, to.line - 1) + u'\n';
    text += m_document->line(to.line).left(to.column);
    return text.left(MostCopied);
}

void LinesView::selectAll()
{
    if (!m_document || m_document->lineCount() == 0)
        return;
    const qsizetype lastLine = m_document->lineCount() - 1;
    m_anchor = {};
    m_end = {lastLine, m_document->line(lastLine).size()};
    viewport()->update();
}

void LinesView::copy() const
{
    if (hasSelection())
        QGuiApplication::clipboard()->setText(selectedText());
}

void LinesView::extendTo(const Place &place)
{
    m_end = place;
    viewport()->update();
}

void LinesView::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy))
        return copy();
    if (event->matches(QKeySequence::SelectAll))
        return selectAll();
    QScrollBar *const down = verticalScrollBar();
    QScrollBar *const side = horizontalScrollBar();
    switch (event->key()) {
    case Qt::Key_Up:
        return down->triggerAction(QAbstractSlider::SliderSingleStepSub);
    case Qt::Key_Down:
        return down->triggerAction(QAbstractSlider::SliderSingleStepAdd);
    case Qt::Key_Left:
        return side->triggerAction(QAbstractSlider::SliderSingleStepSub);
    case Qt::Key_Right:
        return side->triggerAction(QAbstractSlider::SliderSingleStepAdd);
    case Qt::Key_PageUp:
        return down->triggerAction(QAbstractSlider::SliderPageStepSub);
    case Qt::Key_PageDown:
        return down->triggerAction(QAbstractSlider::SliderPageStepAdd);
    case Qt::Key_Home:
        return down->triggerAction(QAbstractSlider::SliderToMinimum);
    case Qt::Key_End:
        return down->triggerAction(QAbstractSlider::SliderToMaximum);
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void LinesView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const Place place = placeAt(event->position().toPoint());
    if (!event->modifiers().testFlag(Qt::ShiftModifier))
        m_anchor = place;
    extendTo(place);
}

void LinesView::mouseMoveEvent(QMouseEvent *event)
{
    if (!event->buttons().testFlag(Qt::LeftButton))
        return;
    m_mouse = event->position().toPoint();
    const bool isOutside = m_mouse.y() < 0 || m_mouse.y() >= viewport()->height();
    if (isOutside && m_scrollTimer == 0)
        m_scrollTimer = startTimer(ScrollEveryMs);
    else if (!isOutside && m_scrollTimer != 0)
        killTimer(std::exchange(m_scrollTimer, 0));
    extendTo(placeAt(m_mouse));
}

void LinesView::mouseReleaseEvent(QMouseEvent *)
{
    if (m_scrollTimer != 0)
        killTimer(std::exchange(m_scrollTimer, 0));
}

void LinesView::timerEvent(QTimerEvent *event)
{
    if (event->timerId() != m_scrollTimer)
        return QAbstractScrollArea::timerEvent(event);
    const int beyond = m_mouse.y() < 0 ? m_mouse.y() : m_mouse.y() - viewport()->height();
    verticalScrollBar()->setValue(verticalScrollBar()->value() + beyond / m_lineHeight
                                  + (beyond < 0 ? -1 : 1));
    extendTo(placeAt(m_mouse));
}

void LinesView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_document || m_document->lineCount() == 0)
        return;
    const Place place = placeAt(event->position().toPoint());
    const QString text = m_document->line(place.line);
    qsizetype from = std::min(place.column, text.size());
    qsizetype to = from;
    while (from > 0 && isWordCharacter(text[from - 1]))
        --from;
    while (to < text.size() && isWordCharacter(text[to]))
        ++to;
    m_anchor = {place.line, from};
    extendTo({place.line, to});
}

void LinesView::contextMenuEvent(QContextMenuEvent *event)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction *copyAction = menu->addAction(tr("Copy"), this, &LinesView::copy);
    copyAction->setEnabled(hasSelection());
    menu->addAction(tr("Select all"), this, &LinesView::selectAll);
    menu->popup(event->globalPos());
}

void LinesView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void LinesView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace Pilothouse
