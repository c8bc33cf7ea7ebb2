// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "files/previewdocument.h"

#include <QAbstractScrollArea>

#include <memory>
#include <optional>

class QTextLayout;

namespace Pilothouse {

/// Paints a PreviewDocument: gutter and lines in the code font, only what is seen. Selects by mouse and keys,
/// copies. Long lines scroll sideways or wrap.
class LinesView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit LinesView(QWidget *parent = nullptr);
    ~LinesView() override;

    /// With `keepPlace` it scrolls to where it was: the same file, read anew.
    void setDocument(std::shared_ptr<const PreviewDocument> document, const QString &accessibleName,
                     bool keepPlace = false);
    [[nodiscard]] const PreviewDocument *document() const { return m_document.get(); }
    [[nodiscard]] bool hasSelection() const;
    [[nodiscard]] QString selectedText() const;
    void selectAll();
    void copy() const;

    [[nodiscard]] qsizetype firstVisibleLine() const;
    [[nodiscard]] qsizetype visibleLineCount() const;
    [[nodiscard]] QRect lineRect(qsizetype line) const; ///< In the viewport; may lie outside of it.

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void timerEvent(QTimerEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    struct Place {
        qsizetype line = 0;
        qsizetype column = 0; ///< In the shown text.
        bool operator==(const Place &) const = default;
        auto operator<=>(const Place &) const = default;
    };

    void applyTheme();
    void updateBars();
    [[nodiscard]] int gutterWidth() const;
    [[nodiscard]] Place placeAt(const QPoint &point) const;
    void layOut(QTextLayout *layout, qsizetype line) const;
    void extendTo(const Place &place);
    [[nodiscard]] Place first() const { return std::min(m_anchor, m_end); }
    [[nodiscard]] Place last() const { return std::max(m_anchor, m_end); }

    std::shared_ptr<const PreviewDocument> m_document;
    Place m_anchor;
    Place m_end;
    QPoint m_mouse;
    int m_scrollTimer = 0; ///< While a selection is drawn beyond the edge.
    int m_lineHeight = 16;
    qreal m_columnWidth = 8;
};

} // namespace Pilothouse
