// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/theme.h"

#include "platform/systemappearance.h"
#include "theme/focusring.h"
#include "theme/monofont.h"
#include "theme/style.h"
#include "theme/tokens.h"

#include <QApplication>
#include <QPointer>

#include <algorithm>
#include <cmath>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr double Readable = 4.5; // WCAG 2 AA for text.
constexpr double HighlyReadable = 15;
constexpr double WellReadable = 7; // WCAG 2 AAA for text.
constexpr double DefaultPoints = 10; // The text size the design grid was drawn for.

QPointer<Theme> s_theme;

double channel(double value)
{
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &color)
{
    return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF())
        + 0.0722 * channel(color.blueF());
}

QColor mixed(const QColor &from, const QColor &to, double part)
{
    const auto mix = [part](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * part)); };
    return {mix(from.red(), to.red()), mix(from.green(), to.green()), mix(from.blue(), to.blue())};
}

// The 6 x 6 x 6 cube and the 24 greys of 256-colour terminals.
QColor indexedColor(int index)
{
    if (index >= 232) {
        const int grey = 8 + (index - 232) * 10;
        return {grey, grey, grey};
    }
    const auto level = [](int value) { return value == 0 ? 0 : 55 + value * 40; };
    const int cell = index - 16;
    return {level(cell / 36), level(cell / 6 % 6), level(cell % 6)};
}

bool isTable(int color) { return color >= 0 && color < 16; }

// Anything but the default and the table; invalid for those.
QColor freeColor(int color)
{
    if (color >= 16 && color < 256)
        return indexedColor(color);
    if ((color >> 24) == 1)
        return QColor::fromRgb(static_cast<QRgb>(color & 0xffffff));
    return {};
}

bool isOffscreen()
{
    return QGuiApplication::platformName() == "offscreen"_L1
        || QGuiApplication::platformName() == "minimal"_L1;
}

// How much larger than the default the person's text is. Windows and macOS have other defaults; a Linux
// without a desktop's settings has none, and Qt's stand-in is nobody's choice.
double scaleOf(const QFont &font)
{
    double standard = DefaultPoints;
#if defined(Q_OS_WIN)
    standard = 9;
#elif defined(Q_OS_MACOS)
    standard = 13;
#else
    if (qEnvironmentVariableIsEmpty("XDG_CURRENT_DESKTOP"))
        return 1;
#endif
    const double points = font.pointSizeF() > 0 ? font.pointSizeF() : font.pixelSize() * 0.75;
    return std::clamp(points / standard, 0.75, 3.0);
}

} // namespace

Theme::Theme(QObject *parent)
    : QObject(parent)
    , m_tokens(std::make_unique<const ThemeTokens>(ThemeTokens::read()))
{
    makeColors();
    makeFonts(QFont(), true);
}

Theme::~Theme() = default;

Theme &Theme::instance()
{
    if (!s_theme)
        s_theme = new Theme(QCoreApplication::instance());
    return *s_theme;
}

void Theme::install(QApplication &app) { instance().follow(app); }

void Theme::follow(QApplication &app)
{
    m_systemPalette = QApplication::palette();
    QApplication::setStyle(new Style); // The application owns it.
    new FocusRing(this);
    if (!isOffscreen()) {
        makeFonts(QApplication::font(), false);
        const bool dark = luminance(m_systemPalette.color(QPalette::WindowText))
            > luminance(m_systemPalette.color(QPalette::Window));
        m_system = new SystemAppearance(dark, this);
        connect(m_system, &SystemAppearance::changed, this, &Theme::update);
    }
    QApplication::setFont(font(TextStyle::Body));
    QApplication::setPalette(palette());
    app.setWindowIcon(QIcon(u":/pilothouse/icons/app-icon.svg"_s));
    update();
}

void Theme::force(std::optional<Scheme> scheme)
{
    m_forced = scheme;
    update();
}

bool Theme::isDark() const { return luminance(color(Role::Text)) > luminance(color(Role::Canvas)); }

void Theme::update()
{
    Scheme scheme = Scheme::Light;
    if (m_forced)
        scheme = *m_forced;
    else if (m_system && m_system->wantsHighContrast())
        scheme = Scheme::HighContrast;
    else if (m_system && m_system->isDark())
        scheme = Scheme::Dark;
    const auto before = m_colors;
    m_scheme = scheme;
    makeColors();
    if (before == m_colors)
        return;
    if (qobject_cast<Style *>(QApplication::style()))
        QApplication::setPalette(palette());
    Q_EMIT changed();
}

void Theme::makeColors()
{
    if (m_scheme == Scheme::HighContrast) {
        makeHighContrastColors();
        return;
    }
    const std::size_t at = m_scheme == Scheme::Dark ? 1 : 0;
    for (std::size_t i = 0; i < m_colors.size(); ++i)
        m_colors[i] = m_tokens->colors[i][at];
}

// The system's two main colours and its highlight. Shapes and words tell what tints tell elsewhere.
void Theme::makeHighContrastColors()
{
    QColor text = m_systemPalette.color(QPalette::WindowText);
    QColor ground = m_systemPalette.color(QPalette::Base);
    if (contrast(text, ground) < HighlyReadable) { // An ordinary palette, and the person asks for more.
        const bool dark = m_system ? m_system->isDark() : luminance(text) > luminance(ground);
        text = dark ? Qt::white : Qt::black;
        ground = dark ? Qt::black : Qt::white;
    }
    QColor highlight = m_systemPalette.color(QPalette::Highlight);
    if (contrast(highlight, ground) < Readable)
        highlight = text;
    QColor onHighlight = m_systemPalette.color(QPalette::HighlightedText);
    if (contrast(onHighlight, highlight) < Readable)
        onHighlight = ground;
    const QColor quiet = mixed(text, ground, 0.45);
    for (int i = 1; i <= RoleCount; ++i) {
        QColor &color = m_colors[static_cast<std::size_t>(i) - 1];
        switch (static_cast<Role>(i)) {
        case Role::Window:
        case Role::Canvas:
        case Role::Sunken:
        case Role::Raised:
        case Role::Hover:
        case Role::Selected:
        case Role::SelectedInactive:
        case Role::User:
        case Role::AccentSoft:
        case Role::WaitingSoft:
        case Role::FailedSoft:
        case Role::FinishedSoft:
        case Role::FrozenSoft:
        case Role::InterruptedSoft:
        case Role::DiffAdd:
        case Role::DiffAddWord:
        case Role::DiffDel:
        case Role::DiffDelWord:
        case Role::Find:
        case Role::FindCurrent:
        case Role::OnAccent:
        case Role::MeterTrack:
            color = ground;
            break;
        case Role::Disabled:
            color = quiet;
            break;
        case Role::SelectionBack:
            color = highlight;
            break;
        case Role::SelectionText:
            color = onHighlight;
            break;
        case Role::Accent:
        case Role::AccentSolid:
        case Role::AccentSolidHover:
        case Role::Focus:
        case Role::Hair:
        case Role::Line:
        case Role::Control:
        case Role::Button:
        case Role::Text:
        case Role::Text2:
        case Role::Text3:
        case Role::Waiting:
        case Role::WaitingSolid:
        case Role::WaitingLine:
        case Role::Failed:
        case Role::FailedSolid:
        case Role::FailedLine:
        case Role::Finished:
        case Role::Frozen:
        case Role::FrozenLine:
        case Role::Interrupted:
        case Role::InterruptedLine:
        case Role::SynKeyword:
        case Role::SynString:
        case Role::SynNumber:
        case Role::SynComment:
        case Role::SynFunc:
        case Role::MeterFill:
        case Role::Scroll:
        case Role::Tool:
            color = text;
            break;
        }
    }
}

void Theme::makeFonts(const QFont &system, bool fixedFamilies)
{
    m_scale = fixedFamilies ? 1 : scaleOf(system);
    QFont ui = system;
    QFont mono;
    if (fixedFamilies) {
        ui.setFamily(u"DejaVu Sans"_s);
        mono.setFamily(u"DejaVu Sans Mono"_s);
    } else {
        mono = monoFont();
    }
    mono.setStyleHint(QFont::Monospace);
    mono.setFixedPitch(true);
    for (int i = 1; i <= TextStyleCount; ++i) {
        const auto style = static_cast<TextStyle>(i);
        const bool isMono = style == TextStyle::Mono || style == TextStyle::MonoCard
            || style == TextStyle::ToolName || style == TextStyle::LineNumber;
        const ThemeTokens::Type &type = m_tokens->types[static_cast<std::size_t>(i) - 1];
        QFont font = isMono ? mono : ui;
        font.setPixelSize(px(type.px));
        font.setWeight(static_cast<QFont::Weight>(type.weight));
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
        font.setFeature("tnum", 1);
#endif
        m_fonts[static_cast<std::size_t>(i) - 1] = font;
    }
}

int Theme::lineHeight(TextStyle style) const
{
    return px(m_tokens->types[static_cast<std::size_t>(style) - 1].line);
}

int Theme::px(int designPixels) const { return static_cast<int>(std::lround(designPixels * m_scale)); }

QColor Theme::placeholderColor() const
{
    if (m_scheme != Scheme::HighContrast)
        return color(Role::Text3);
    // Readable, and not the same as text: a person must not take it for what a field holds.
    constexpr int Parts = 20;
    for (int part = Parts / 2; part > 0; --part) {
        const QColor ink = mixed(color(Role::Text), color(Role::Canvas), static_cast<double>(part) / Parts);
        if (contrast(ink, color(Role::Canvas)) >= WellReadable)
            return ink;
    }
    return color(Role::Text);
}

QPalette Theme::palette() const
{
    QPalette p;
    const auto set = [&](QPalette::ColorRole to, Role role) { p.setColor(to, color(role)); };
    set(QPalette::Window, Role::Window);
    set(QPalette::WindowText, Role::Text);
    set(QPalette::Base, Role::Canvas);
    set(QPalette::AlternateBase, Role::Sunken);
    set(QPalette::Text, Role::Text);
    p.setColor(QPalette::PlaceholderText, placeholderColor());
    set(QPalette::Button, Role::Raised);
    set(QPalette::ButtonText, Role::Text);
    set(QPalette::BrightText, Role::OnAccent);
    set(QPalette::ToolTipBase, Role::Raised);
    set(QPalette::ToolTipText, Role::Text);
    set(QPalette::Highlight, Role::Selected);
    set(QPalette::HighlightedText, Role::Text);
    set(QPalette::Link, Role::Accent);
    set(QPalette::LinkVisited, Role::Interrupted);
    set(QPalette::Light, Role::Raised);
    set(QPalette::Midlight, Role::Hover);
    set(QPalette::Mid, Role::Line);
    set(QPalette::Dark, Role::Control);
    set(QPalette::Shadow, Role::Control);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, color(Role::Disabled));
    p.setColor(QPalette::Inactive, QPalette::Highlight, color(Role::SelectedInactive));
    if (m_scheme == Scheme::HighContrast) {
        set(QPalette::Highlight, Role::SelectionBack);
        set(QPalette::HighlightedText, Role::SelectionText);
    }
    return p;
}

Theme::AnsiColors Theme::ansi(int foreground, int background, bool dim, bool reverse) const
{
    const std::size_t at = isDark() ? 1 : 0;
    AnsiColors colors;
    if (m_scheme == Scheme::HighContrast) {
        colors.foreground = color(Role::Text);
        if (background >= 0 || reverse) {
            colors.foreground = color(Role::Sunken);
            colors.background = color(Role::Text);
        }
        return colors;
    }
    QColor textColor = freeColor(foreground);
    if (isTable(foreground))
        textColor = m_tokens->ansi[static_cast<std::size_t>(foreground)].text[at];
    const bool defaultText = !textColor.isValid();
    if (defaultText)
        textColor = color(Role::Text);
    QColor back = freeColor(background);
    QColor best; // What is surely readable on `back`.
    if (isTable(background)) {
        back = m_tokens->ansi[static_cast<std::size_t>(background)].back[at];
        best = m_tokens->ansi[static_cast<std::size_t>(background)].textOnBack[at];
    }
    if (dim)
        textColor = color(Role::Text3);
    if (reverse) {
        // The text's colour becomes the ground.
        std::swap(textColor, back);
        if (!textColor.isValid())
            textColor = color(Role::Sunken);
        best = QColor();
    } else if (back.isValid() && defaultText && !dim && best.isValid()) {
        textColor = best;
    }
    const QColor ground = back.isValid() ? back : color(Role::Sunken);
    if (!best.isValid()) {
        best = contrast(color(Role::Text), ground) >= contrast(color(Role::Sunken), ground)
            ? color(Role::Text)
            : color(Role::Sunken);
        if (contrast(best, ground) < Readable)
            best = contrast(Qt::white, ground) > contrast(Qt::black, ground) ? Qt::white : Qt::black;
    }
    constexpr int Steps = 16;
    for (int step = 1; step <= Steps && contrast(textColor, ground) < Readable; ++step)
        textColor = mixed(textColor, best, static_cast<double>(step) / Steps);
    colors.foreground = textColor;
    colors.background = back;
    return colors;
}

double Theme::contrast(const QColor &a, const QColor &b)
{
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

} // namespace Pilothouse
