// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/icons.h"
#include "theme/stylepaint.h"

#include <QPushButton>

#include <optional>

namespace Pilothouse {

/// A button of a surface. At most one of a surface is Primary; Danger confirms what destroys something.
/// Repaints itself when the theme changes.
class Button : public QPushButton {
    Q_OBJECT
public:
    using Kind = ButtonLook::Kind;

    explicit Button(const QString &text, Kind kind = Kind::Secondary, QWidget *parent = nullptr);

    void setKind(Kind kind);
    void setSmall(bool small); ///< 24 instead of 28 pixels high, for dense rows.
    void setIconName(const QString &name, int size = 16); ///< Before the text.
    void setIconRole(std::optional<Role> role); ///< Of what can be pressed; nothing: that of the text.
    void setKeyCap(const QString &key); ///< After the text: "A", "Ctrl+Enter". Also said in the tooltip.
    void setChevron(bool chevron); ///< A mark for "opens a menu" after the text.
    void setMayShrink(bool mayShrink); ///< The text is cut where there is less room.
    void setTextStyle(TextStyle style);
    void setTextRole(Role role);
    /// Whether Enter presses it while it has the focus, as Space does. On unless what it does must never
    /// happen by a key that was meant for a field.
    void setEnterPresses(bool presses) { m_enterPresses = presses; }
    /// What was pressed is being done: looks disabled and takes no press, but keeps the focus. A click by a
    /// program still comes: ask isBusy().
    void setBusy(bool busy);
    [[nodiscard]] bool isBusy() const { return m_busy; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] bool isPressedBy(const QKeyEvent *event) const; ///< By Enter.
    [[nodiscard]] int contentWidth() const;
    [[nodiscard]] int keyCapWidth() const;

    Kind m_kind;
    TextStyle m_style = TextStyle::Body;
    Role m_ink = Role::Text;
    QString m_icon;
    int m_iconSize = 16;
    std::optional<Role> m_iconRole;
    QString m_keyCap;
    bool m_chevron = false;
    bool m_small = false;
    bool m_mayShrink = false;
    bool m_busy = false;
    bool m_enterPresses = true;
};

} // namespace Pilothouse
