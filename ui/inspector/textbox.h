// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

namespace Pilothouse {

class OutputModel;
class OutputView;

/// A sunken box with a text in the code font, all of it, wrapped; grows with it to a bound and scrolls then.
class TextBox : public QWidget {
    Q_OBJECT
public:
    TextBox(const QString &accessibleName, int mostLines, QWidget *parent = nullptr);

    void setText(const QByteArray &utf8); ///< Escape sequences give colours.
    [[nodiscard]] OutputView *view() const { return m_view; }
    void copy();
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void fit();

    OutputModel *m_model;
    OutputView *m_view;
    QByteArray m_text;
    int m_mostLines;
    int m_lines = 1;
};

} // namespace Pilothouse
