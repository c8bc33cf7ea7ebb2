// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "application.h"

#include <utility>

namespace Pilothouse::Desktop {

Application::Application(const CommandLine &commandLine)
    : m_commandLine(commandLine)
    , m_workspace(commandLine.engine.dataDir)
    , m_window(&m_workspace)
{
    connect(&m_window, &MainWindow::firstPainted, this, &Application::openEngine);
    connect(&m_window, &MainWindow::retryRequested, this, &Application::openEngine);
    connect(&m_signals, &UnixSignals::interrupted, this, &Application::onSignal);
}

void Application::show() { m_window.show(); }

void Application::openEngine()
{
    if (m_workspace.canWork())
        return;
    auto engine = Engine::open(m_commandLine.engine);
    if (!engine) {
        m_workspace.setUnavailable(engine.error());
        return;
    }
    m_workspace.setEngine(std::move(*engine));
    if (std::exchange(m_commandLine.tour, false))
        m_workspace.startTour();
}

// The first signal closes the window as a person would, the second one leaves at once; so does a person's
// second close.
void Application::onSignal() { m_window.close(); }

} // namespace Pilothouse::Desktop
