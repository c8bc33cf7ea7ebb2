// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/controls/label.h"

namespace Pilothouse {

/// One line of plain text that is cut with "…" where the room ends; the whole stands in the tooltip and in
/// the accessible description.
class ElidedLabel : public Label {
    Q_OBJECT
public:
    explicit ElidedLabel(const QString &accessibleName, TextStyle style = TextStyle::Body,
                         Role color = Role::Text, QWidget *parent = nullptr);

    void setWords(const QString &text);
    void setElideMode(Qt::TextElideMode mode); ///< Paths: in the middle, so that the file name stays.
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Qt::TextElideMode m_mode = Qt::ElideRight;
};

} // namespace Pilothouse
