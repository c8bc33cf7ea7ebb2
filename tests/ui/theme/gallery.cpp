// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/button.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/emptystate.h"
#include "theme/controls/errorblock.h"
#include "theme/controls/meter.h"
#include "theme/controls/searchfield.h"
#include "theme/controls/segmented.h"
#include "theme/controls/tag.h"
#include "theme/controls/toolbutton.h"
#include "theme/icons.h"
#include "theme/statelook.h"
#include "theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QGridLayout>
#include <QMenu>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QScrollArea>
#include <QTabBar>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

// Shows every icon and control of the theme, or paints it into FILE: gallery light|dark|contrast [FILE].
namespace {

QWidget *controls()
{
    auto *page = new QWidget;
    auto *grid = new QVBoxLayout(page);
    auto *row = new QHBoxLayout;
    auto *primary = new Button(u"Run"_s, Button::Kind::Primary);
    auto *capped = new Button(u"Allow once"_s);
    capped->setKeyCap(u"A"_s);
    auto *disabled = new Button(u"Disabled"_s);
    disabled->setEnabled(false);
    auto *stop = new Button(u"Stop"_s);
    stop->setIconName(u"stop"_s);
    auto *model = new Button(u"claude-sonnet-5-5"_s, Button::Kind::Plain);
    model->setChevron(true);
    auto *danger = new Button(u"Delete"_s, Button::Kind::Danger);
    for (QWidget *widget :
         std::initializer_list<QWidget *>{primary, capped, disabled, stop, model, danger,
                                          new ToolButton(u"settings"_s, u"Settings"_s), new Tag(u"edited"_s)})
        row->addWidget(widget);
    row->addStretch();
    grid->addLayout(row);
    row = new QHBoxLayout;
    row->addWidget(new SearchField(u"Find"_s, u"Ctrl+P"_s));
    row->addWidget(new Segmented(u"View"_s, {u"Output"_s, u"Arguments"_s, u"Model received"_s}));
    auto *combo = new QComboBox;
    combo->addItems({u"Pause the machine"_s, u"Keep it running"_s});
    row->addWidget(combo);
    auto *check = new QCheckBox(u"Checked"_s);
    check->setChecked(true);
    row->addWidget(check);
    row->addWidget(new QCheckBox(u"Not"_s));
    auto *radio = new QRadioButton(u"Radio"_s);
    radio->setChecked(true);
    row->addWidget(radio);
    for (const double part : {0.31, 0.84, 1.0}) {
        auto *meter = new Meter(u"Context"_s);
        meter->setPart(part);
        row->addWidget(meter);
    }
    grid->addLayout(row);
    auto *tabs = new QTabBar;
    tabs->addTab(u"Call"_s);
    tabs->addTab(u"Files"_s);
    grid->addWidget(tabs);
    auto *error = new ErrorBlock;
    error->setError({ErrorKind::Sandbox, u"Network to Superserve is gone since 14:22"_s,
                     u"Everything shown is stored. The call on the machine goes on."_s,
                     u"Trying again in 8 s."_s});
    error->setAction(u"Try now"_s);
    grid->addWidget(error);
    auto *edit = new QPlainTextEdit(u"A field of several lines\n\n\n\n\n\n\n\n\nwith a scroll bar"_s);
    edit->setFixedHeight(70);
    grid->addWidget(edit);
    grid->addWidget(new EmptyState(u"No files changed yet"_s, u"Files the agent writes are marked here."_s));
    auto *menu = new QMenu(page);
    menu->addAction(icon(u"pencil"_s), u"Rename"_s)->setShortcut(Qt::Key_F2);
    QAction *on = menu->addAction(u"Shown"_s);
    on->setCheckable(true);
    on->setChecked(true);
    menu->addSeparator();
    menu->addMenu(u"More"_s)->addAction(u"x"_s);
    menu->addAction(icon(u"trash-2"_s), u"Delete…"_s)->setEnabled(false);
    menu->setActiveAction(menu->actions().constFirst());
    menu->ensurePolished();
    menu->resize(menu->sizeHint());
    auto *picture = new QLabel;
    picture->setPixmap(menu->grab());
    grid->addWidget(picture);
    auto *icons = new QGridLayout;
    int at = 0;
    for (const QString &file : QDir(u":/pilothouse/icons"_s).entryList()) {
        auto *cell = new QLabel;
        cell->setPixmap(
            iconPixmap(file.chopped(4), 16, Role::Text2, cell->devicePixelRatioF(), Role::Window));
        icons->addWidget(cell, at / 12, at % 12 * 2);
        icons->addWidget(new Label(file.chopped(4), TextStyle::Meta, Role::Text3), at / 12, at % 12 * 2 + 1);
        ++at;
    }
    grid->addLayout(icons);
    grid->addStretch();
    return page;
}

} // namespace

int main(int argc, char *argv[])
{
    QApplication app(argc, argv);
    const QStringList arguments = QApplication::arguments();
    Theme::install(app);
    const QString scheme = arguments.value(1);
    Theme::instance().force(scheme == "dark"_L1           ? Scheme::Dark
                                : scheme == "contrast"_L1 ? Scheme::HighContrast
                                                          : Scheme::Light);
    QWidget *page = controls();
    page->resize(1300, 860);
    if (arguments.size() > 2) {
        const bool saved = page->grab().save(arguments[2]);
        delete page;
        return saved ? 0 : 1;
    }
    page->setAttribute(Qt::WA_DeleteOnClose);
    page->show();
    return QApplication::exec();
}
