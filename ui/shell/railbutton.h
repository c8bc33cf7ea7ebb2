// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QAbstractButton>

namespace Pilothouse {

/// An icon over a short word, for narrow strips.
class RailButton : public QAbstractButton {
    Q_OBJECT
public:
    RailButton(const QString &icon, const QString &text, QWidget *parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_icon;
};

} // namespace Pilothouse
