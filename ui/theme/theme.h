// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>

#include <array>
#include <memory>
#include <optional>

class QApplication;

namespace Pilothouse {

class SystemAppearance;
struct ThemeTokens;

/// Colours, fonts and lengths of the program; there is no other place for them. One per process, GUI thread,
/// owned by the application object.
class Theme : public QObject {
    Q_OBJECT
public:
    /// Without install() before: light, with fixed font families, so that tests see the same everywhere.
    [[nodiscard]] static Theme &instance();
    /// Sets style, palette and font of the application and follows the system from now on.
    static void install(QApplication &app);
    ~Theme() override;

    [[nodiscard]] Scheme scheme() const { return m_scheme; }
    /// True if text is lighter than what it stands on, in every scheme.
    [[nodiscard]] bool isDark() const;
    void force(std::optional<Scheme> scheme); ///< Empty: follow the system.

    [[nodiscard]] QColor color(Role role) const { return m_colors[static_cast<std::size_t>(role) - 1]; }
    [[nodiscard]] QFont font(TextStyle style) const { return m_fonts[static_cast<std::size_t>(style) - 1]; }
    [[nodiscard]] int lineHeight(TextStyle style) const; ///< Whole pixels, scaled like the text.
    /// A length of the design grid, scaled like the text; unchanged at the default text size.
    [[nodiscard]] int px(int designPixels) const;
    [[nodiscard]] QPalette palette() const;
    [[nodiscard]] QColor placeholderColor() const; ///< Of the words in an empty field, in any scheme.

    struct AnsiColors {
        QColor foreground;
        QColor background; ///< Invalid: none.
    };
    /// Colours of terminal text that stands on Sunken: -1 is the default, 0 to 15 the table, 16 to 255 the
    /// cube and the greys, 0x1RRGGBB a true colour; anything else counts as the default. Always readable.
    [[nodiscard]] AnsiColors ansi(int foreground, int background, bool dim = false,
                                  bool reverse = false) const;

    /// WCAG 2 contrast ratio, 1 to 21.
    [[nodiscard]] static double contrast(const QColor &a, const QColor &b);

Q_SIGNALS:
    void changed(); ///< Scheme or fonts: lay out anew and repaint.

private:
    explicit Theme(QObject *parent);
    void follow(QApplication &app);
    void update();
    void makeColors();
    void makeHighContrastColors();
    void makeFonts(const QFont &system, bool fixedFamilies);

    std::unique_ptr<const ThemeTokens> m_tokens;
    SystemAppearance *m_system = nullptr;
    QPalette m_systemPalette;
    std::optional<Scheme> m_forced;
    Scheme m_scheme = Scheme::Light;
    double m_scale = 1;
    std::array<QColor, RoleCount> m_colors;
    std::array<QFont, TextStyleCount> m_fonts;
};

} // namespace Pilothouse
