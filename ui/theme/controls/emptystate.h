// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

namespace Pilothouse {

class Label;

/// What stands where there is nothing: one line that says what is so, one that says what to do or when this
/// fills.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(const QString &headline = {}, const QString &text = {}, QWidget *parent = nullptr);

    void setTexts(const QString &headline, const QString &text);

private:
    Label *m_headline;
    Label *m_text;
};

} // namespace Pilothouse
