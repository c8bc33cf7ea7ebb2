// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QObject>

#include <memory>

namespace Pilothouse {

/// How the person's desktop wants windows to look. Asks the desktop without waiting for the answer and
/// listens for changes; until it answers, the palette the program was started with decides. GUI thread.
class SystemAppearance : public QObject {
    Q_OBJECT
public:
    /// `darkPalette`: what the palette says that the system gave before the program set its own.
    explicit SystemAppearance(bool darkPalette, QObject *parent = nullptr);
    ~SystemAppearance() override;

    [[nodiscard]] bool isDark() const { return m_dark; }
    [[nodiscard]] bool wantsHighContrast() const { return m_highContrast; }

Q_SIGNALS:
    void changed();

private:
    class Portal;
    void setDark(bool dark);
    void setHighContrast(bool highContrast);

    std::unique_ptr<Portal> m_portal;
    bool m_dark;
    bool m_highContrast = false;
};

} // namespace Pilothouse
