// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filedialogs.h"

#include "theme/controls/confirmdialog.h"

#include <QFileDialog>
#include <QInputDialog>

#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QFileDialog *fileDialog(QWidget *parent, const QString &title)
{
    auto *dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    return dialog;
}

} // namespace

FileDialogs FileDialogs::real()
{
    FileDialogs dialogs;
    dialogs.openFiles = [](QWidget *parent, std::function<void(const QStringList &)> then) {
        QFileDialog *dialog = fileDialog(parent, QFileDialog::tr("Upload files"));
        dialog->setFileMode(QFileDialog::ExistingFiles);
        QObject::connect(dialog, &QFileDialog::filesSelected, parent, then);
        dialog->open();
    };
    dialogs.openFolder = [](QWidget *parent, const QString &title,
                            std::function<void(const QString &)> then) {
        QFileDialog *dialog = fileDialog(parent, title);
        dialog->setFileMode(QFileDialog::Directory);
        dialog->setOption(QFileDialog::ShowDirsOnly);
        QObject::connect(dialog, &QFileDialog::fileSelected, parent, then);
        dialog->open();
    };
    dialogs.saveFile = [](QWidget *parent, const QString &suggestedName,
                          std::function<void(const QString &)> then) {
        QFileDialog *dialog = fileDialog(parent, QFileDialog::tr("Download"));
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setFileMode(QFileDialog::AnyFile);
        dialog->selectFile(suggestedName);
        QObject::connect(dialog, &QFileDialog::fileSelected, parent, then);
        dialog->open();
    };
    dialogs.confirm = [](QWidget *parent, const QString &question, const QString &more, const QString &action,
                         std::function<void()> yes) {
        ConfirmDialog::Question asked;
        asked.title = question;
        asked.text = more;
        asked.confirm = action;
        auto *dialog = new ConfirmDialog(asked, parent);
        QObject::connect(dialog, &ConfirmDialog::confirmed, parent, [yes = std::move(yes)] { yes(); });
        dialog->open();
    };
    dialogs.askName = [](QWidget *parent, const QString &title, const QString &label,
                         std::function<void(const QString &)> then) {
        auto *dialog = new QInputDialog(parent);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setWindowTitle(title);
        dialog->setLabelText(label);
        QObject::connect(dialog, &QInputDialog::textValueSelected, parent, then);
        dialog->open();
    };
    return dialogs;
}

} // namespace Pilothouse
