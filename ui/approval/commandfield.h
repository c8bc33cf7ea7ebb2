// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/worddiff.h"
#include "theme/roles.h"

#include <QPlainTextEdit>

namespace Pilothouse {

/// A command or arguments, whole and wrapped, in a box that grows to MostLines, or to the room it is given,
/// and scrolls then. Can mark words as removed or added.
class CommandField : public QPlainTextEdit {
    Q_OBJECT
public:
    static constexpr int MostLines = 10;
    static constexpr int LeastLines = 2; ///< However little room there is.
    enum class Mark { Removed = 1, Added };

    explicit CommandField(QWidget *parent = nullptr);

    void setEditable(bool editable);
    void setRoom(int height); ///< Pixels that it may take, but for LeastLines; 0: as many as it wants.
    [[nodiscard]] int wantedHeight() const { return m_wanted; } ///< Without such a bound.
    [[nodiscard]] int leastHeight() const;
    void mark(const QList<WordDiff::Range> &ranges, Mark mark);

Q_SIGNALS:
    void submitRequested(); ///< Ctrl+Enter, while it can be edited.
    void wantedHeightChanged();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void inputMethodEvent(QInputMethodEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool event(QEvent *event) override;
    void insertFromMimeData(const QMimeData *source) override;

private:
    void applyTheme();
    void fit();
    void paintFrame();
    [[nodiscard]] int heightOf(double lines) const;

    QList<WordDiff::Range> m_ranges;
    Mark m_mark = Mark::Removed;
    bool m_composing = false;
    int m_room = 0;
    int m_wanted = 0;
};

} // namespace Pilothouse
