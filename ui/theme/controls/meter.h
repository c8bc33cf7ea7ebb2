// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

namespace Pilothouse {

/// How full something is, 4 pixels high. Its number always stands beside it, so it says nothing by colour
/// alone.
class Meter : public QWidget {
    Q_OBJECT
public:
    explicit Meter(const QString &name, QWidget *parent = nullptr);

    void setPart(double part); ///< 0 to 1; more counts as full.
    [[nodiscard]] double part() const { return m_part; }
    [[nodiscard]] static bool isNearLimit(double part);
    /// "31 %", "84 %, near limit", "full".
    [[nodiscard]] static QString words(double part);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    double m_part = 0;
};

} // namespace Pilothouse
