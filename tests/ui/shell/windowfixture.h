// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/engine.h"
#include "shell/mainwindow.h"
#include "shell/workspace.h"
#include "store/rows.h"
#include "support/sandboxdfixture.h"

#include <QAccessible>
#include <QHash>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>

class QMenu;
class QScreen;

namespace Pilothouse {
class ApprovalCard;
class ComposerEdit;
class TranscriptView;
} // namespace Pilothouse

namespace Pilothouse::Tests {

/// The whole window on a data folder of its own, with the scripted model and a real sandbox service that
/// stands in for Superserve. Controls are found by what a screen reader calls them.
class WindowFixture {
public:
    static constexpr int Patience = 30'000;

    WindowFixture();
    ~WindowFixture();
    Q_DISABLE_COPY_MOVE(WindowFixture)

    /// Only the sandbox service; start() does it otherwise. Its addresses are known from then on.
    [[nodiscard]] bool startService();
    /// `script` empty: the tour that is shipped. Fails the test and returns false if something is missing.
    [[nodiscard]] bool start(const QByteArray &script, const QSize &size = {1440, 900});
    void setScreen(QScreen *screen) { m_screen = screen; } ///< Of openWindow(); null: the first.
    void setSize(const QSize &size) { m_size = size; } ///< Of openWindow(); empty: as it was left.
    [[nodiscard]] bool openWindow(); ///< On the same data; start() did it once.
    void closeWindow(); ///< The window, the engine and all that stands on them go.

    [[nodiscard]] SandboxdFixture *sandboxd() { return &m_sandboxd; }
    [[nodiscard]] EngineOptions *options() { return &m_options; } ///< To change before start().
    /// Variables that the engine sees beside the key of the service.
    [[nodiscard]] QHash<QString, QString> *environment() { return &m_environment; }
    [[nodiscard]] Workspace *workspace() const { return m_workspace.get(); }
    [[nodiscard]] MainWindow *window() const { return m_window.get(); }
    [[nodiscard]] QString folder() const { return m_folder.path(); } ///< For files of the test.

    /// What is seen and has this name (and role, unless NoRole), in `in` or the window.
    [[nodiscard]] QWidget *find(const QString &name, QAccessible::Role role = QAccessible::NoRole,
                                const QWidget *in = nullptr) const;
    /// find() and a click; false if it is not there or disabled.
    [[nodiscard]] bool click(const QString &name, QAccessible::Role role = QAccessible::Button,
                             const QWidget *in = nullptr) const;
    /// A click on the action of an open menu; false if it is not there or disabled.
    [[nodiscard]] static bool choose(QMenu *menu, const QString &text);
    [[nodiscard]] static QMenu *openMenu(); ///< The innermost one.

    [[nodiscard]] ComposerEdit *edit() const;
    [[nodiscard]] TranscriptView *transcript() const;
    /// The card that is seen, in the transcript or above the composer.
    [[nodiscard]] ApprovalCard *card() const;
    [[nodiscard]] QString cardCommand() const;
    [[nodiscard]] QStringList rows() const; ///< As spoken.
    [[nodiscard]] QString text() const { return rows().join(u'\n'); }
    void say(const QString &text) const; ///< Typed into the composer, then Enter.
    [[nodiscard]] const ConversationSummary *summary(const QString &id) const;
    [[nodiscard]] bool isRunning() const { return m_workspace->isRunning(m_workspace->current()); }

    [[nodiscard]] static bool until(const std::function<bool()> &met)
    {
        return QTest::qWaitFor(met, Patience);
    }

private:
    SandboxdFixture m_sandboxd;
    bool m_hasService = false;
    QTemporaryDir m_folder;
    EngineOptions m_options;
    QHash<QString, QString> m_environment;
    QSize m_size;
    QScreen *m_screen = nullptr;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace Pilothouse::Tests
