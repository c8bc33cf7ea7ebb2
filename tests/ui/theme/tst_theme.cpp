// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "theme/controls/button.h"
#include "theme/controls/segmented.h"
#include "theme/controls/toolbutton.h"
#include "theme/focus.h"
#include "theme/icons.h"
#include "theme/monofont.h"
#include "theme/paint.h"
#include "theme/statelook.h"
#include "theme/theme.h"
#include "theme/tokens.h"
#include "theme/units.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestTheme : public Tests::Test {
    Q_OBJECT
private:
    static constexpr std::array Schemes{Scheme::Light, Scheme::Dark, Scheme::HighContrast};

private Q_SLOTS:
    void initTestCase()
    {
        Test::initTestCase();
        Theme::install(*qApp);
    }
    void cleanup() { Theme::instance().force({}); }

    void everyTextPairIsReadable()
    {
        const ThemeTokens tokens = ThemeTokens::read();
        QVERIFY(tokens.pairs.size() > 20);
        int checked = 0;
        for (const ThemeTokens::Pair &pair : tokens.pairs) {
            for (const Role on : pair.on) {
                for (const std::size_t at : {0, 1}) {
                    const double ratio =
                        Theme::contrast(tokens.colors[static_cast<std::size_t>(pair.role) - 1][at],
                                        tokens.colors[static_cast<std::size_t>(on) - 1][at]);
                    QVERIFY2(ratio >= pair.minimum,
                             qPrintable(u"role %1 on %2 in scheme %3: %4"_s.arg(int(pair.role))
                                            .arg(int(on))
                                            .arg(at)
                                            .arg(ratio)));
                    ++checked;
                }
            }
        }
        QVERIFY(checked > 200);
    }

    void highContrastKeepsEveryPair()
    {
        Theme &theme = Theme::instance();
        theme.force(Scheme::HighContrast);
        for (const ThemeTokens::Pair &pair : ThemeTokens::read().pairs) {
            if (pair.role == Role::Disabled)
                continue;
            for (const Role on : pair.on) {
                const double ratio = Theme::contrast(theme.color(pair.role), theme.color(on));
                QVERIFY2(ratio >= (pair.role == Role::SelectionText ? 4.5 : 15) || on == Role::AccentSolid,
                         qPrintable(u"role %1 on %2: %3"_s.arg(int(pair.role)).arg(int(on)).arg(ratio)));
            }
        }
        QVERIFY(Theme::contrast(theme.color(Role::OnAccent), theme.color(Role::AccentSolid)) >= 7);
        QCOMPARE(theme.color(Role::FailedSoft), theme.color(Role::Canvas)); // Tints are dropped.
    }

    void terminalColorsAreReadableWhateverTheProgramSets()
    {
        Theme &theme = Theme::instance();
        for (const Scheme scheme : Schemes) {
            theme.force(scheme);
            QList<int> colors{-1, 0x1000000, 0x1ffffff, 0x1808080, 0x1ff0000, 99999, -7};
            for (int i = 0; i < 256; i += i < 16 ? 1 : 5)
                colors.append(i);
            for (const int fore : colors) {
                for (const int back : colors) {
                    for (int flags = 0; flags < 4; ++flags) {
                        const auto pair = theme.ansi(fore, back, flags & 1, flags & 2);
                        QVERIFY(pair.foreground.isValid());
                        const QColor ground =
                            pair.background.isValid() ? pair.background : theme.color(Role::Sunken);
                        const double ratio = Theme::contrast(pair.foreground, ground);
                        QVERIFY2(
                            ratio >= 4.45,
                            qPrintable(u"%1 on %2 (%3): %4"_s.arg(fore).arg(back).arg(flags).arg(ratio)));
                    }
                }
            }
        }
        theme.force(Scheme::Light);
        QCOMPARE(theme.ansi(1, -1).foreground, QColor(u"#AE1F1A"_s));
        QVERIFY(!theme.ansi(1, -1).background.isValid());
        QCOMPARE(theme.ansi(-1, 0).foreground, QColor(Qt::white));
        QCOMPARE(theme.ansi(1, -1, true).foreground, theme.color(Role::Text3));
    }

    void aForcedSchemeChangesPaletteAndSaysSo()
    {
        Theme &theme = Theme::instance();
        QSignalSpy changed(&theme, &Theme::changed);
        QCOMPARE(theme.scheme(), Scheme::Light);
        theme.force(Scheme::Dark);
        QCOMPARE(changed.size(), 1);
        QVERIFY(theme.isDark());
        QCOMPARE(QApplication::palette().color(QPalette::Base), theme.color(Role::Canvas));
        QCOMPARE(QApplication::palette().color(QPalette::Disabled, QPalette::Text),
                 theme.color(Role::Disabled));
        QCOMPARE(QApplication::palette().color(QPalette::Inactive, QPalette::Highlight),
                 theme.color(Role::SelectedInactive));
        theme.force(Scheme::Dark);
        QCOMPARE(changed.size(), 1); // No changes, so nobody repaints.
        theme.force({});
        QCOMPARE(changed.size(), 2);
    }

    void fontsAreFixedInTests()
    {
        const Theme &theme = Theme::instance();
        QCOMPARE(theme.font(TextStyle::Body).family(), u"DejaVu Sans"_s);
        QCOMPARE(theme.font(TextStyle::Mono).family(), u"DejaVu Sans Mono"_s);
        QCOMPARE(theme.font(TextStyle::Body).pixelSize(), 13);
        QCOMPARE(theme.lineHeight(TextStyle::Body), 20);
        QCOMPARE(theme.px(36), 36);
        QVERIFY(theme.font(TextStyle::Title).weight() > theme.font(TextStyle::Body).weight());
    }

    // A command that is approved must look as it will run: no character is left out, none becomes part of
    // another.
    void commandsShowEveryCharacterAsItIs()
    {
        // Private, newer than Qt's tables, unassigned.
        for (const char32_t character : {U'\U000F1234', U'\uE0A0', U'\U0001FAE8', U'\u0378'}) {
            for (const TextStyle style : {TextStyle::Body, TextStyle::Mono, TextStyle::MonoCard}) {
                QImage image(60, 40, QImage::Format_RGB32);
                image.fill(Qt::white);
                const QImage blank = image;
                QPainter painter(&image);
                painter.setFont(Theme::instance().font(style));
                painter.drawText(image.rect(), Qt::AlignCenter, QString::fromUcs4(&character, 1));
                painter.end();
                QVERIFY2(image != blank, QByteArray::number(static_cast<uint>(character), 16).constData());
            }
        }
        QVERIFY(!formsLigatures(monoFont()));
        QVERIFY(!formsLigatures(Theme::instance().font(TextStyle::Mono)));
        QVERIFY(formsLigatures(QFont(u"DejaVu Sans"_s))); // "fi": it is seen where there is one.
    }

    void everyIconPaintsSomethingInItsColor()
    {
        const QStringList files = QDir(u":/pilothouse/icons"_s).entryList();
        QVERIFY(files.size() > 60);
        for (const QString &file : files) {
            const QString name = file.chopped(4);
            for (const int size : {12, 16, 20}) {
                const QImage image = iconPixmap(name, size, Role::Text, 2).toImage();
                QCOMPARE(image.size(), QSize(size * 2, size * 2));
                int inked = 0;
                for (int y = 0; y < image.height(); ++y) {
                    for (int x = 0; x < image.width(); ++x)
                        inked += qAlpha(image.pixel(x, y)) > 128;
                }
                QVERIFY2(inked > size / 2, qPrintable(name));
                QVERIFY2(inked < image.width() * image.height() || name == "app-icon"_L1, qPrintable(name));
            }
        }
        QCOMPARE(iconPixmap(u"x"_s, 16, Role::Text, 1).cacheKey(),
                 iconPixmap(u"x"_s, 16, Role::Text, 1).cacheKey());
        QVERIFY(iconPixmap(u"x"_s, 16, Role::Failed, 1).cacheKey()
                != iconPixmap(u"x"_s, 16, Role::Text, 1).cacheKey());
    }

    void statesDifferInWordAndShape()
    {
        QSet<QString> words;
        QSet<QString> glyphs;
        const QStringList states{u"idle"_s,        u"connecting"_s, u"thinking"_s, u"calling"_s,
                                 u"waiting"_s,     u"retrying"_s,   u"stopping"_s, u"frozen"_s,
                                 u"interrupted"_s, u"failed"_s,     u"finished"_s};
        for (const QString &state : states) {
            const StateLook look = conversationLook(state);
            words.insert(look.word);
            glyphs.insert(look.glyph);
            QVERIFY(!iconPixmap(look.glyph, 16, look.color, 1).isNull());
        }
        QCOMPARE(words.size(), states.size());
        QCOMPARE(glyphs.size(), states.size());
        QCOMPARE(conversationLook(u"waiting"_s, u"step-limit"_s).word, u"Limit"_s);
        QCOMPARE(conversationLook(u"waiting"_s, u"bash: ls"_s).word, u"Approval"_s);
        QCOMPARE(conversationLook(u"<b>new"_s).word, u"<b>new"_s);
        QCOMPARE(callLook(u"done"_s, 0).word, QString());
        QCOMPARE(callLook(u"done"_s, 1).word, u"exit 1"_s);
        QCOMPARE(callLook(u"unknown"_s, {}).glyph, u"interrupted"_s);
        QCOMPARE(machineLook({}).word, u"no machine"_s);
        QCOMPARE(machineLook(u"paused"_s).glyph, u"machine-paused"_s);
    }

    void numbersHaveUnits()
    {
        QCOMPARE(durationText(0), u"0.0 s"_s);
        QCOMPARE(durationText(24'100), u"24.1 s"_s);
        QCOMPARE(durationText(59'990), u"1m 0s"_s);
        QCOMPARE(durationText(72'000), u"1m 12s"_s);
        QCOMPARE(durationText(-5), u"0.0 s"_s);
        QCOMPARE(elapsedText(48'900), u"48s"_s);
        QCOMPARE(elapsedText(3'780'000), u"1h 3m"_s);
        QCOMPARE(ageText(9'999), u"now"_s);
        QCOMPARE(ageText(48'000), u"40s"_s);
        QCOMPARE(ageText(720'000), u"12m"_s);
        QCOMPARE(ageText(90'000'000), u"1d"_s);
        QCOMPARE(tokensText(640), u"640"_s);
        QCOMPARE(tokensText(9'200), u"9.2k"_s);
        QCOMPARE(tokensText(186'400), u"186k"_s);
        QCOMPARE(tokensText(999'900), u"1M"_s);
        QCOMPARE(tokensText(1'240'000), u"1.2M"_s);
        QCOMPARE(costText(740'000'000), u"$0.74"_s);
        QCOMPARE(costText(21'000'000), u"$0.021"_s);
        QCOMPARE(costText(0), u"$0.00"_s);
        QCOMPARE(costText(1), u"<$0.001"_s);
        QCOMPARE(costText(1'900'000'000), u"$1.90"_s);
        QCOMPARE(bytesText(812), u"812 B"_s);
        QCOMPARE(bytesText(19'200), u"19 KB"_s);
        QCOMPARE(bytesText(2'100'000), u"2.1 MB"_s);
    }

    /// Where there are no tints, what is chosen has a frame, and a segment a check, too.
    void whatIsChosenHasAShapeOfItsOwnInHighContrast()
    {
        Theme &theme = Theme::instance();
        theme.force(Scheme::HighContrast);
        const QColor text = theme.color(Role::Text);
        // The middle of each side, just inside: all of it text colour means a frame.
        const auto isFramed = [&](const QImage &image, const QRect &rect) {
            int sides = 0;
            for (const QPoint &at :
                 {QPoint(rect.center().x(), rect.top() + 1), QPoint(rect.center().x(), rect.bottom() - 1),
                  QPoint(rect.right() - 1, rect.center().y())})
                sides += image.pixelColor(at) == text ? 1 : 0;
            return sides == 3;
        };
        for (const bool active : {true, false}) {
            QImage row(200, 24, QImage::Format_RGB32);
            for (const bool chosen : {true, false}) {
                row.fill(theme.color(Role::Window));
                QPainter painter(&row);
                paintRow(&painter, row.rect(), chosen, active, !chosen);
                painter.end();
                QCOMPARE(isFramed(row, row.rect()), chosen);
            }
        }
        Segmented segmented(u"View"_s, {u"Output"_s, u"Arguments"_s, u"Model received"_s});
        segmented.resize(segmented.sizeHint());
        for (int chosen = 0; chosen < 3; ++chosen) {
            segmented.setCurrent(chosen);
            const QImage image = segmented.grab().toImage();
            for (int i = 0; i < 3; ++i)
                QCOMPARE(isFramed(image, segmented.button(i)->geometry()), i == chosen);
        }
        ToolButton tool(u"settings"_s, u"Settings"_s);
        Button plain(u"Plain"_s, Button::Kind::Plain);
        Button secondary(u"Other"_s, Button::Kind::Secondary);
        for (QAbstractButton *button : std::initializer_list<QAbstractButton *>{&tool, &plain, &secondary}) {
            button->setCheckable(true);
            button->resize(button->sizeHint());
            for (const bool checked : {true, false}) {
                button->setChecked(checked);
                QCOMPARE(isFramed(button->grab().toImage(), button->rect()), checked);
            }
        }
        theme.force(Scheme::Light); // There the tint tells.
        QCOMPARE(isFramed(segmented.grab().toImage(), segmented.button(2)->geometry()), false);
    }

    void aBusyButtonKeepsTheKeyboardAndTakesNoPress()
    {
        QWidget window;
        window.resize(300, 120);
        Button button(u"Test"_s, Button::Kind::Secondary, &window);
        QPushButton other(u"Other"_s, &window);
        other.move(100, 0);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        button.setFocus();
        QSignalSpy clicked(&button, &QAbstractButton::clicked);
        const QImage before = button.grab().toImage();
        button.setBusy(true);
        QVERIFY(button.hasFocus() && button.isEnabled());
        QVERIFY(button.grab().toImage() != before); // It looks as if it could not be pressed.
        for (const Qt::Key key : {Qt::Key_Space, Qt::Key_Return, Qt::Key_Enter, Qt::Key_Select})
            QTest::keyClick(&button, key);
        QTest::mouseClick(&button, Qt::LeftButton);
        QTest::mouseDClick(&button, Qt::LeftButton);
        QCOMPARE(clicked.size(), 0);
        QTest::keyClick(&button, Qt::Key_Tab); // But it can be left.
        QVERIFY(other.hasFocus());
        button.setBusy(false);
        QTest::mouseClick(&button, Qt::LeftButton);
        QCOMPARE(clicked.size(), 1);
    }

    void aButtonTellsItsRingOnlyForTheKeyboard()
    {
        QWidget window;
        window.resize(300, 120);
        Button first(u"First"_s, Button::Kind::Secondary, &window);
        Button second(u"Second"_s, Button::Kind::Primary, &window);
        first.move(40, 40);
        second.move(160, 40);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::mouseClick(&second, Qt::LeftButton);
        second.setFocus(Qt::MouseFocusReason);
        const QImage before = window.grab().toImage();
        first.setFocus(Qt::TabFocusReason);
        const QImage ringed = window.grab().toImage();
        const QColor focus = Theme::instance().color(Role::Focus);
        const QPoint aboveFirst(first.geometry().center().x(), first.y() - 2);
        QVERIFY(before.pixelColor(aboveFirst) != focus);
        QCOMPARE(ringed.pixelColor(aboveFirst), focus);
        QCOMPARE(first.height(), 28);
        QVERIFY(!first.autoDefault());
    }

    void enterPressesTheButtonThatHasTheKeyboard()
    {
        QWidget window;
        window.resize(300, 120);
        Button button(u"Save"_s, Button::Kind::Primary, &window);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        button.setFocus();
        QSignalSpy clicked(&button, &QAbstractButton::clicked);
        QTest::keyClick(&button, Qt::Key_Return);
        QTest::keyClick(&button, Qt::Key_Enter, Qt::KeypadModifier);
        QCOMPARE(clicked.size(), 2);
        QTest::keyClick(&button, Qt::Key_Return, Qt::ControlModifier); // A shortcut of something else.
        QKeyEvent held(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier, QString(), true);
        QApplication::sendEvent(&button, &held);
        QTest::keyRelease(&button, Qt::Key_Return);
        QCOMPARE(clicked.size(), 2);
        QVERIFY(held.isAccepted()); // Nor does what is behind it see one that is held.
        button.setEnterPresses(false);
        QTest::keyClick(&button, Qt::Key_Return);
        QCOMPARE(clicked.size(), 2);
        QTest::keyClick(&button, Qt::Key_Space);
        QCOMPARE(clicked.size(), 3);
    }

    // Tab gives the focus before the page scrolls to what has it.
    void theRingIsSeenOnWhatThePageScrollsTo()
    {
        QWidget window;
        QScrollArea area(&window);
        area.setWidgetResizable(true);
        auto *page = new QWidget;
        auto *column = new QVBoxLayout(page);
        QList<QWidget *> stops;
        for (int i = 0; i < 12; ++i) {
            stops.append(new Button(u"Press"_s));
            stops.append(new QComboBox);
            static_cast<QComboBox *>(stops.last())->addItem(u"Choose"_s);
        }
        for (QWidget *stop : stops)
            column->addWidget(stop);
        area.setWidget(page);
        area.setFocusPolicy(Qt::NoFocus);
        area.resize(300, 160);
        window.resize(300, 160);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const QColor focus = Theme::instance().color(Role::Focus);
        const auto isRinged = [&](const QWidget *widget) {
            const QPoint above =
                widget->mapTo(area.viewport(), QPoint(widget->width() / 2, -2)); // Outside of it.
            return area.viewport()->grab().toImage().pixelColor(above) == focus;
        };
        stops.first()->clearFocus();
        stops.first()->setFocus(Qt::TabFocusReason);
        for (int i = 0; i < stops.size(); ++i) {
            QCOMPARE(QApplication::focusWidget(), stops[i]);
            QVERIFY2(isRinged(stops[i]), QByteArray::number(i).constData());
            QTest::keyClick(stops[i], Qt::Key_Tab);
        }
        QVERIFY(area.verticalScrollBar()->maximum() > 0);
    }

    void theRingComesBackWithTheWindow()
    {
        QWidget window;
        window.resize(300, 120);
        Button button(u"Press"_s, Button::Kind::Secondary, &window);
        button.move(40, 40);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const QColor focus = Theme::instance().color(Role::Focus);
        const auto isRinged = [&] {
            return window.grab().toImage().pixelColor(button.geometry().center().x(), button.y() - 2)
                == focus;
        };
        for (const bool byKey : {true, false}) {
            button.clearFocus();
            button.setFocus(byKey ? Qt::TabFocusReason : Qt::MouseFocusReason);
            QCOMPARE(isRinged(), byKey);
            QFocusEvent out(QEvent::FocusOut, Qt::ActiveWindowFocusReason);
            QApplication::sendEvent(&button, &out);
            QVERIFY(!isRinged());
            QFocusEvent in(QEvent::FocusIn, Qt::ActiveWindowFocusReason);
            QApplication::sendEvent(&button, &in);
            QCOMPARE(isRinged(), byKey);
        }
    }

    void tabFollowsThePlacesAndNotTheTimes()
    {
        QWidget window;
        auto *column = new QVBoxLayout(&window);
        auto *first = new Button(u"First"_s);
        auto *last = new Button(u"Last"_s);
        column->addWidget(first);
        auto *rows = new QVBoxLayout;
        column->addLayout(rows);
        column->addWidget(last);
        auto *box = new QWidget;
        auto *inBox = new QVBoxLayout(box);
        auto *joined = new QLineEdit;
        inBox->addWidget(joined);
        rows->addWidget(box);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QCOMPARE(orderFocus(first, &window), last);
        first->setFocus(Qt::TabFocusReason);
        QTest::keyClick(first, Qt::Key_Tab);
        QCOMPARE(QApplication::focusWidget(), joined);
        QTest::keyClick(joined, Qt::Key_Tab);
        QCOMPARE(QApplication::focusWidget(), last);
        QTest::keyClick(last, Qt::Key_Backtab);
        QCOMPARE(QApplication::focusWidget(), joined);
    }

    // Where tints are dropped, words about what could stand in a field are not taken for what stands there.
    void anEmptyFieldDoesNotLookFilledInHighContrast()
    {
        Theme &theme = Theme::instance();
        QWidget window;
        window.resize(300, 120);
        QLineEdit field(&window);
        field.setGeometry(20, 40, 200, 28);
        field.setPlaceholderText(u"pypi.org"_s);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        field.clearFocus(); // The ring covers the outline.
        const auto solid = [&](QLineEdit *of) { // Pixels of the upper edge that are outline.
            const QImage image = of->grab().toImage();
            int count = 0;
            for (int x = 10; x < image.width() - 10; ++x)
                count += Theme::contrast(image.pixelColor(x, 0), theme.color(Role::Canvas)) > 3 ? 1 : 0;
            return count;
        };
        theme.force(Scheme::HighContrast);
        QCoreApplication::processEvents(); // Its palette comes.
        const QColor words = field.palette().color(QPalette::PlaceholderText);
        QVERIFY(words != theme.color(Role::Text));
        QVERIFY(Theme::contrast(words, theme.color(Role::Canvas)) >= 7);
        QVERIFY(solid(&field) < 140);
        QTest::keyClicks(&field, u"x"_s);
        QCOMPARE(solid(&field), 180);
        theme.force(Scheme::Light);
        field.clear();
        QCOMPARE(solid(&field), 180); // There the ink of the words tells.
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
