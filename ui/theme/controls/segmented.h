// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QStringList>
#include <QWidget>

class QAbstractButton;
class QButtonGroup;

namespace Pilothouse {

/// A few choices side by side, one of them chosen. Each is a radio button for the keyboard and for screen
/// readers.
class Segmented : public QWidget {
    Q_OBJECT
public:
    /// `name` says what is chosen here.
    Segmented(const QString &name, const QStringList &choices, QWidget *parent = nullptr);

    [[nodiscard]] int current() const;
    void setCurrent(int index); ///< Says nothing.
    [[nodiscard]] QAbstractButton *button(int index) const;

Q_SIGNALS:
    void chosen(int index); ///< By the person.

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QButtonGroup *m_group;
};

} // namespace Pilothouse
