// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QLineEdit>

namespace Pilothouse {

/// A field to find something: magnifier, placeholder, and while it is empty the key that leads here.
class SearchField : public QLineEdit {
    Q_OBJECT
public:
    SearchField(const QString &name, const QString &keyCap, QWidget *parent = nullptr);

    void setIconName(const QString &name); ///< Instead of the magnifier.

Q_SIGNALS:
    void left(); ///< Esc in an empty field; in a full one it empties it.
    void downPressed(); ///< To the results.

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void updateMargins();

    QString m_icon;
    QString m_keyCap;
};

} // namespace Pilothouse
