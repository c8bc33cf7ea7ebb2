// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>
#include <QStringList>

#include <functional>

class QWidget;

namespace Pilothouse {

/// What the Files pane asks a person, as functions so that tests can answer. None waits; an empty answer, or
/// none, is a change of mind.
struct FileDialogs {
    std::function<void(QWidget *parent, std::function<void(const QStringList &)>)> openFiles;
    /// A folder of this computer: to be uploaded, or to download into.
    std::function<void(QWidget *parent, const QString &title, std::function<void(const QString &)>)>
        openFolder;
    std::function<void(QWidget *parent, const QString &suggestedName, std::function<void(const QString &)>)>
        saveFile;
    /// Runs `yes` if the person presses `action`.
    std::function<void(QWidget *parent, const QString &question, const QString &more, const QString &action,
                       std::function<void()> yes)>
        confirm;
    std::function<void(QWidget *parent, const QString &title, const QString &label,
                       std::function<void(const QString &)>)>
        askName;

    [[nodiscard]] static FileDialogs real();
};

} // namespace Pilothouse
