// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QScrollArea>

namespace Pilothouse {

/// One section of the settings, which scrolls. Keeps in view what has the keyboard, also when a notice above
/// it comes and pushes it down; whoever scrolls away from it is left there.
class SectionArea : public QScrollArea {
    Q_OBJECT
public:
    explicit SectionArea(QWidget *page, QWidget *parent = nullptr);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void focusMoved(QWidget *now);
    void showFocusedSoon();
    void showFocused();
    [[nodiscard]] QWidget *focused() const; ///< Null: the keyboard is elsewhere.

    bool m_isFollowing = false; ///< What has the keyboard is to stay in view.
    bool m_isDue = false; ///< showFocused() comes as soon as all is laid out.
    bool m_isScrolling = false; ///< By itself, not by the person.
};

} // namespace Pilothouse
