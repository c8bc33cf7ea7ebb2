// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/worddiff.h"
#include "theme/roles.h"

#include <QPlainTextEdit>

namespace Pilothouse {

/// A command or arguments, whole and wrapped, in a box that grows to MostLines and scrolls then. Can mark
/// words as removed or added.
class CommandField : public QPlainTextEdit {
    Q_OBJECT
public:
    static constexpr int MostLines = 10;
    enum class Mark { Removed = 1, Added };

    explicit CommandField(QWidget *parent = nullptr);

    void setEditable(bool editable);
    void mark(const QList<WordDiff::Range> &ranges, Mark mark);

Q_SIGNALS:
    void submitRequested(); ///< Ctrl+Enter, while it can be edited.

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

    QList<WordDiff::Range> m_ranges;
    Mark m_mark = Mark::Removed;
    bool m_composing = false;
};

} // namespace Pilothouse
