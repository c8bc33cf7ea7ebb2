// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "commandline.h"
#include "shell/mainwindow.h"
#include "shell/workspace.h"
#include "util/unixsignals.h"

#include <QObject>

namespace Pilothouse::Desktop {

/// Builds the objects of the desktop program and owns them in the order in which they must go: first the
/// window, then the workspace with the engine. The engine is opened after the first frame.
class Application : public QObject {
    Q_OBJECT
public:
    explicit Application(const CommandLine &commandLine);

    void show();
    [[nodiscard]] MainWindow *window() { return &m_window; }

private:
    void openEngine();
    void onSignal();

    CommandLine m_commandLine;
    UnixSignals m_signals;
    Workspace m_workspace;
    MainWindow m_window;
};

} // namespace Pilothouse::Desktop
