// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/aboutdialog.h"

#include "theme/controls/button.h"
#include "theme/controls/label.h"
#include "theme/metrics.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QIcon>
#include <QSysInfo>

#include <array>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Library {
    const char *name;
    const char *licence;
};
constexpr std::array Libraries{
    Library{"QtKeychain", "BSD-3-Clause"},
    Library{"SQLite", "public domain"},
    Library{"valijson", "BSD-2-Clause"},
    Library{"libarchive", "BSD-2-Clause"},
    Library{"Boost.Beast, in the sandbox service", "BSL-1.0"},
};
constexpr int LargeMark = 48;

} // namespace

AboutDialog::AboutDialog(QWidget *parent)
    : QDialog(parent)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("About Pilothouse"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(Metrics::SpaceXl, Metrics::SpaceXl, Metrics::SpaceXl, Metrics::SpaceL);
    layout->setSpacing(Metrics::SpaceM);
    layout->setSizeConstraint(QLayout::SetFixedSize);
    auto *head = new QHBoxLayout;
    head->setSpacing(Metrics::SpaceL);
    auto *mark = new QLabel;
    mark->setPixmap(windowIcon().pixmap(QSize(LargeMark, LargeMark), devicePixelRatioF()));
    mark->setAccessibleName(tr("Pilothouse"));
    head->addWidget(mark, 0, Qt::AlignTop);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(new Label(tr("Pilothouse %1")
                                   .arg(QCoreApplication::applicationVersion().isEmpty()
                                            ? QStringLiteral(PILOTHOUSE_VERSION)
                                            : QCoreApplication::applicationVersion()),
                               TextStyle::PageTitle));
    words->addWidget(new Label(tr("Watch and steer agents that work in Superserve sandboxes."),
                               TextStyle::Body, Role::Text2));
    auto *system =
        new Label(u"Qt %1, %2, %3"_s.arg(QString::fromLatin1(qVersion()), QSysInfo::prettyProductName(),
                                         QSysInfo::currentCpuArchitecture()),
                  TextStyle::Small, Role::Text3);
    system->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->addWidget(system);
    head->addLayout(words, 1);
    layout->addLayout(head);
    layout->addWidget(new Label(tr("Licensed under Apache-2.0. Made with:"), TextStyle::Body));
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(Metrics::SpaceXl);
    grid->setVerticalSpacing(2);
    int row = 0;
    const auto add = [grid, &row](const QString &name, const QString &licence) {
        grid->addWidget(new Label(name, TextStyle::Small), row, 0);
        grid->addWidget(new Label(licence, TextStyle::Small, Role::Text2), row, 1);
        ++row;
    };
    add(u"Qt %1"_s.arg(QString::fromLatin1(qVersion())), u"LGPL-3.0"_s);
    for (const Library &library : Libraries)
        add(QString::fromLatin1(library.name), QString::fromLatin1(library.licence));
    grid->setColumnStretch(1, 1);
    layout->addLayout(grid);
    auto *close = new Button(tr("Close"));
    close->setAccessibleName(close->text());
    connect(close, &Button::clicked, this, &QDialog::accept);
    layout->addWidget(close, 0, Qt::AlignRight);
    close->setFocus();
}

} // namespace Pilothouse
