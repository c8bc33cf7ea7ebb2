// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "inspector/outputcopier.h"
#include "inspector/outputmodel.h"
#include "inspector/outputpainter.h"

#include <QAbstractScrollArea>
#include <QBasicTimer>
#include <QPointer>

#include <optional>

namespace Pilothouse {

/// Shows an OutputModel: rows of equal height, painted where they are seen and nowhere else, with line
/// numbers, a mark for what went to stderr, and the colours of the program. Follows the end until scrolled
/// away from it. What is being read never moves.
class OutputView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit OutputView(const QString &accessibleName, QWidget *parent = nullptr);

    void setModel(OutputModel *model); ///< Once.
    [[nodiscard]] OutputModel *model() const { return m_model; }
    void setWrap(bool wrap);
    [[nodiscard]] bool wrap() const { return m_wrap; }
    void setGutterShown(bool shown); ///< Line numbers and stream marks; on at first.
    void setIndent(int pixels); ///< Of the text where there is no gutter.
    void setFollowing(bool following);
    [[nodiscard]] bool isFollowing() const { return m_follow; }
    /// Lines of the present width, at most `most`; for boxes that grow with their text.
    [[nodiscard]] int linesNeeded(int most) const;
    [[nodiscard]] int heightOfLines(int lines) const;

    [[nodiscard]] bool hasSelection() const { return m_anchor != m_cursor; }
    void selectAll();
    void clearSelection();
    void copy(); ///< What is selected, else everything.

    // For tests and assistive technology.
    [[nodiscard]] OutputPlace top() const { return m_top; } ///< First line seen; column: where it begins.
    [[nodiscard]] OutputPlace placeAt(const QPoint &point) const;
    [[nodiscard]] QRect rowRect(qint64 row) const; ///< In the viewport; empty if it is not seen.
    [[nodiscard]] qint64 lastVisibleRow() const;
    [[nodiscard]] qint64 paintCount() const { return m_paints; }

Q_SIGNALS:
    void followingChanged(bool following);
    void copied(qsizetype characters, bool isCut); ///< The clipboard has it.

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void keyPressEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void timerEvent(QTimerEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void onReset();
    void onChanged(qint64 firstRow);
    void onTheme();
    [[nodiscard]] int gutterWidth() const;
    [[nodiscard]] int textLeft() const; ///< Of column 0 when nothing is scrolled sideways.
    [[nodiscard]] int columnsPerLine() const;
    [[nodiscard]] int visibleLines() const; ///< Whole ones.
    [[nodiscard]] std::vector<int> startsOf(qint64 row) const; ///< Of its lines, at the present width.
    [[nodiscard]] OutputPlace next(const OutputPlace &line) const;
    [[nodiscard]] OutputPlace previous(const OutputPlace &line) const;
    [[nodiscard]] OutputPlace endTop() const; ///< The first line when the last one is at the bottom.
    void setTop(const OutputPlace &top);
    void moveBy(int lines);
    void goToEnd();
    void updateBars();
    void updateFollow();
    void extendTo(const QPoint &point);
    void paintLine(QPainter *painter, const OutputPlace &line, int y);
    void paintSelection(QPainter *painter, const LineStore::Row &row, const OutputPlace &line, int from,
                        int to, const QPointF &at);
    [[nodiscard]] std::pair<OutputPlace, OutputPlace> selection() const;

    QPointer<OutputModel> m_model;
    OutputPainter m_painter;
    OutputPlace m_top;
    OutputPlace m_anchor;
    OutputPlace m_cursor;
    QBasicTimer m_autoScroll;
    int m_widest = 0; ///< Columns of the widest row seen, for scrolling sideways.
    int m_wheelRest = 0;
    int m_indent = 8;
    qint64 m_paints = 0;
    bool m_wrap = false;
    bool m_gutter = true;
    bool m_follow = true;
    bool m_settingBars = false;
};

} // namespace Pilothouse
