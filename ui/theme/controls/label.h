// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QLabel>

namespace Pilothouse {

/// Plain text in a style and a colour of the theme; follows both. Wraps where setWordWrap is on.
class Label : public QLabel {
    Q_OBJECT
public:
    explicit Label(const QString &text = {}, TextStyle style = TextStyle::Body, Role color = Role::Text,
                   QWidget *parent = nullptr);

    void setLook(TextStyle style, Role color);

protected:
    void changeEvent(QEvent *event) override;

private:
    void apply();

    TextStyle m_style;
    Role m_color;
};

} // namespace Pilothouse
