// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/rowlayout.h"

#include <QAbstractScrollArea>
#include <QPointer>
#include <QSet>
#include <QTimer>

#include <memory>
#include <vector>

class QToolButton;

namespace Pilothouse {

class TranscriptModel;

/// Paints a TranscriptModel. Only rows near the viewport are laid out; heights of the others are estimated
/// and put right when they come near, while what is being read stays where it is. Follows the end unless
/// scrolled away from it.
class TranscriptView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TranscriptView(QWidget *parent = nullptr);
    ~TranscriptView() override;

    void setModel(TranscriptModel *model); ///< Once; the model outlives the view or takes its rows along.
    [[nodiscard]] bool isFollowing() const { return m_follow; }
    void goToEnd();
    /// The row under the keyboard, by place; -1: none.
    [[nodiscard]] int currentPlace() const { return m_current; }
    void setCurrentPlace(int place);
    void copyCurrent();
    void toggleCurrent(); ///< Folds or unfolds the current row.
    /// Rows that are laid out right now, for tests: it must not grow with the transcript.
    [[nodiscard]] int layoutCount() const;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void changeEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    struct Entry {
        int height = 0;
        bool exact = false; ///< Measured at the present width with the present text.
        std::unique_ptr<RowLayout> layout; ///< Only near the viewport.
    };
    void onReset();
    void onInserted(int first, int last);
    void onChanged(int first, int last);
    void resetEntries();
    void arrange();
    int exactHeight(int place);
    void moveBy(int pixels);
    void jumpTo(qint64 position);
    [[nodiscard]] int placeAt(int y, int *top = nullptr) const;
    [[nodiscard]] int columnWidth() const;
    void evictFar(int firstVisible, int lastVisible);
    void tick();
    void toggle(int place);
    [[nodiscard]] bool isUnfolded(int place) const;

    QPointer<TranscriptModel> m_model;
    std::vector<Entry> m_entries;
    RowFonts m_fonts;
    QSet<qint64> m_unfolded; ///< Row numbers.
    QToolButton *m_latest;
    QTimer m_tick;
    int m_anchor = 0; ///< First row of the viewport.
    int m_anchorOffset = 0; ///< Pixels of it above the viewport.
    int m_last = -1; ///< Last row of the viewport.
    int m_current = -1;
    int m_position = 0; ///< Value of the scroll bar that stands for the anchor.
    bool m_follow = true;
    bool m_settingBar = false;
};

} // namespace Pilothouse
