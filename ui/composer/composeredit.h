// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QPlainTextEdit>

namespace Pilothouse {

/// The text field of the composer: Enter asks to send, Shift+Enter breaks the line, and neither while an
/// input method is composing. Grows with its text to a bound. What is pasted or dropped is taken as plain
/// text; files are not text and are left to others.
class ComposerEdit : public QPlainTextEdit {
    Q_OBJECT
public:
    /// Longer text freezes a text field and belongs into a file.
    static constexpr qsizetype LongestPaste = 256 * 1024;

    explicit ComposerEdit(QWidget *parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool isComposing() const { return m_composing; }
    void setTakesFiles(bool takesFiles) { m_takesFiles = takesFiles; }

Q_SIGNALS:
    void submitRequested();
    void pasteRefused(qsizetype length); ///< The clipboard keeps it.
    void filesPasted(const QStringList &fileNames);
    void focusChanged();

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void inputMethodEvent(QInputMethodEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void insertFromMimeData(const QMimeData *source) override;
    [[nodiscard]] bool canInsertFromMimeData(const QMimeData *source) const override;

private:
    void applyTheme();
    [[nodiscard]] int heightFor(int lines) const;

    bool m_composing = false; ///< The input method holds text that is not committed.
    bool m_takesFiles = false;
};

/// Names of the local files that `source` holds; empty if there is anything else in it.
[[nodiscard]] QStringList localFiles(const QMimeData *source);

} // namespace Pilothouse
