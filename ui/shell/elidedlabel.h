// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QLabel>

namespace Pilothouse {

/// One line of plain text that is cut with "…" where the room ends; the whole stands in the tooltip and in
/// the accessible description.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(const QString &accessibleName, QWidget *parent = nullptr);

    void setWords(const QString &text);
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace Pilothouse
