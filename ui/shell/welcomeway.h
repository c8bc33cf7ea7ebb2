// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QList>
#include <QWidget>

class QBoxLayout;

namespace Pilothouse {

class Button;

/// One way in on the welcome page: what it is, what to know of it, a button.
class WelcomeWay : public QWidget {
    Q_OBJECT
public:
    struct Fact {
        QString icon;
        QString text;
    };
    WelcomeWay(const QString &icon, const QString &title, const QString &text, const QList<Fact> &facts,
               Button *button, bool first, QWidget *parent = nullptr);

    void setStacked(bool stacked); ///< Its parts below each other, where there is no room beside.
    [[nodiscard]] Button *button() const { return m_button; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_icon;
    Button *m_button;
    QBoxLayout *m_row = nullptr;
    bool m_first; ///< The one that is proposed.
};

} // namespace Pilothouse
