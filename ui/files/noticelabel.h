// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/controls/label.h"

namespace Pilothouse {

/// Words in at most two lines: broken between words, or inside of one that is longer than a line. What does
/// not fit into two ends in an ellipsis; the tooltip has it whole.
class NoticeLabel : public Label {
    Q_OBJECT
public:
    explicit NoticeLabel(const QString &accessibleName, QWidget *parent = nullptr);

    void setWords(const QString &text);
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] QStringList lines(int width) const;
};

} // namespace Pilothouse
