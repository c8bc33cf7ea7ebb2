// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "windowfixture.h"

#include "approval/approvalcard.h"
#include "composer/composer.h"
#include "composer/composeredit.h"
#include "shell/conversationpage.h"
#include "sidebar/conversationlistmodel.h"
#include "support/signals.h"
#include "theme/theme.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"
#include "util/json.h"

#include <QApplication>
#include <QFile>
#include <QMenu>
#include <QSignalSpy>

#include <csignal>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

WindowFixture::WindowFixture()
{
    Theme::install(*qApp);
    m_options.program = u"test"_s;
    m_options.dataDir = m_folder.filePath(u"data"_s);
    m_options.askAsScripted = true;
    m_options.asksForProxyLogin = true;
}

WindowFixture::~WindowFixture()
{
    closeWindow();
    // A local sandbox service goes on for a while by itself, on a data folder that is about to go.
    QFile endpoint(m_options.dataDir + u"/sandboxd/endpoint.json"_s);
    if (endpoint.open(QIODevice::ReadOnly))
        (void)sendSignal(parseJson(endpoint.readAll()).value_or(Json())[u"pid"].toInteger(0), SIGKILL);
}

bool WindowFixture::startService()
{
    m_hasService = m_sandboxd.start();
    if (!m_hasService)
        qCritical("no sandbox service: %s", m_sandboxd.errorText().constData());
    return m_hasService;
}

bool WindowFixture::start(const QByteArray &script, const QSize &size)
{
    m_size = size;
    if (!m_hasService && !startService())
        return false;
    if (!script.isEmpty()) {
        m_options.model = u"demo/window"_s;
        m_options.demoScript = m_folder.filePath(u"script.json"_s);
        QFile file(m_options.demoScript);
        if (!file.open(QIODevice::WriteOnly) || file.write(script) != script.size())
            return false;
    }
    m_options.sandboxdProgram = SandboxdFixture::programPath();
    if (m_options.superserveUrl.isEmpty())
        m_options.superserveUrl = m_sandboxd.base().toString();
    if (m_options.superserveDataUrl.isEmpty())
        m_options.superserveDataUrl = m_sandboxd.data().toString();
    m_environment.insert(u"SUPERSERVE_API_KEY"_s, QString::fromLatin1(m_sandboxd.key()));
    m_options.environment = [this](const QString &name) { return m_environment.value(name); };
    return openWindow();
}

bool WindowFixture::openWindow()
{
    m_workspace = std::make_unique<Workspace>(m_options.dataDir);
    m_window = std::make_unique<MainWindow>(m_workspace.get());
    QSignalSpy painted(m_window.get(), &MainWindow::firstPainted);
    if (m_screen)
        m_window->setScreen(m_screen);
    if (!m_size.isEmpty())
        m_window->resize(m_size);
    m_window->show();
    if (!QTest::qWaitForWindowActive(m_window.get()) || !until([&painted] { return !painted.isEmpty(); }))
        return false;
    auto engine = Engine::open(m_options);
    if (!engine) {
        qCritical("no engine: %s", qPrintable(engine.error().toText()));
        return false;
    }
    m_workspace->setEngine(std::move(*engine));
    return until([this] { return !m_workspace->defaults().provider.isEmpty(); })
        && until([this] { return !m_workspace->services().isEmpty(); });
}

void WindowFixture::closeWindow()
{
    m_window.reset();
    m_workspace.reset();
}

QWidget *WindowFixture::find(const QString &name, QAccessible::Role role, const QWidget *in) const
{
    const QWidget *root = in ? in : m_window.get();
    for (QWidget *widget : root->findChildren<QWidget *>()) {
        if (!widget->isVisible() || (widget->isWindow() && !in))
            continue;
        const QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(widget);
        if (interface && interface->text(QAccessible::Name) == name
            && (role == QAccessible::NoRole || interface->role() == role))
            return widget;
    }
    return nullptr;
}

bool WindowFixture::click(const QString &name, QAccessible::Role role, const QWidget *in) const
{
    QWidget *widget = find(name, role, in);
    if (!widget || !widget->isEnabled())
        return false;
    QTest::mouseClick(widget, Qt::LeftButton);
    return true;
}

QMenu *WindowFixture::openMenu() { return qobject_cast<QMenu *>(QApplication::activePopupWidget()); }

bool WindowFixture::choose(QMenu *menu, const QString &text)
{
    if (!menu)
        return false;
    for (QAction *action : menu->actions()) {
        if (QString(action->text()).remove(u'&').section(u'\t', 0, 0) != text || !action->isEnabled())
            continue;
        QTest::mouseMove(menu, menu->actionGeometry(action).center());
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        return true;
    }
    return false;
}

ComposerEdit *WindowFixture::edit() const { return m_window->page()->composer()->edit(); }

TranscriptView *WindowFixture::transcript() const { return m_window->page()->transcript(); }

ApprovalCard *WindowFixture::card() const
{
    for (ApprovalCard *card : m_window->findChildren<ApprovalCard *>()) {
        if (card->isVisible())
            return card;
    }
    return nullptr;
}

QString WindowFixture::cardCommand() const
{
    const ApprovalCard *shown = card();
    return shown ? shown->call().args[u"command"].toString() : QString();
}

QStringList WindowFixture::rows() const
{
    QStringList out;
    const TranscriptModel *model = m_workspace->transcript();
    for (int i = 0; i < model->rowCount(); ++i)
        out.append(model->index(i).data(Qt::DisplayRole).toString());
    return out;
}

void WindowFixture::say(const QString &text) const
{
    edit()->setFocus();
    QTest::keyClicks(edit(), text);
    QTest::keyClick(edit(), Qt::Key_Return);
}

const ConversationSummary *WindowFixture::summary(const QString &id) const
{
    return m_workspace->conversations()->summary(id);
}

} // namespace Pilothouse::Tests
