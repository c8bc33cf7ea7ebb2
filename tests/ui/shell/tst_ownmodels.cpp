// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "composer/composeredit.h"
#include "settings/keyrow.h"
#include "settings/localmodels.h"
#include "settings/providerform.h"
#include "settings/providerrow.h"
#include "settings/providerscard.h"
#include "settings/settingspage.h"
#include "shell/conversationheader.h"
#include "shell/conversationpage.h"
#include "support/loopbackserver.h"
#include "support/testmain.h"
#include "theme/controls/button.h"
#include "theme/controls/confirmdialog.h"
#include "theme/controls/meter.h"
#include "windowfixture.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::LoopbackConnection;
using Tests::LoopbackRequest;
using Tests::LoopbackServer;
using Tests::WindowFixture;

namespace {

constexpr int Patience = WindowFixture::Patience;

QByteArray answer(int input, int output)
{
    return "data: "
           "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hello "
           "there.\"}}]}\n\n"
           "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
           "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":"
        + QByteArray::number(input) + ",\"completion_tokens\":" + QByteArray::number(output)
        + ",\"total_tokens\":" + QByteArray::number(input + output) + "}}\n\ndata: [DONE]\n\n";
}

} // namespace

/// A server of a person's own, from its address to an answer; and servers on this computer.
class TestOwnModels : public Tests::Test {
    Q_OBJECT
    std::unique_ptr<LoopbackServer> m_server;
    int m_input = 3000;
    int m_output = 1;

    static SettingsPage *settings(const WindowFixture &window)
    {
        return window.window()->findChild<SettingsPage *>();
    }
    static void openSettings(const WindowFixture &window, const QString &section)
    {
        QTest::keyClick(window.window(), Qt::Key_Comma, Qt::ControlModifier);
        settings(window)->showSection(section);
    }
    static QString text(const QWidget *widget)
    {
        QStringList words;
        for (const QLabel *label : widget->findChildren<QLabel *>()) {
            if (label->isVisible())
                words.append(label->text());
        }
        return words.join(u'\n');
    }
    static QMenu *modelsOf(const WindowFixture &window, const QString &service)
    {
        QMenu *menu = window.window()->page()->header()->modelMenu();
        QMetaObject::invokeMethod(menu, "aboutToShow");
        for (QAction *action : menu->actions()) {
            if (action->text() == service)
                return action->menu();
        }
        return nullptr;
    }

private Q_SLOTS:
    void init()
    {
        Test::init();
        m_server = std::make_unique<LoopbackServer>();
        m_server->setHandler([this](const LoopbackRequest &request, LoopbackConnection *connection) {
            if (request.method == "POST") {
                connection->respond(200, answer(m_input, m_output), {{"Content-Type", "text/event-stream"}});
                return;
            }
            connection->respond(200,
                                "{\"data\":[{\"id\":\"able\",\"supported_parameters\":[\"tools\"],"
                                "\"context_length\":4000},"
                                "{\"id\":\"unable\",\"supported_parameters\":[\"stop\"]}]}");
        });
    }
    void cleanup() { m_server.reset(); }

    void fromAnAddressToAnAnswer()
    {
        WindowFixture window;
        QVERIFY(window.start({}));
        openSettings(window, u"endpoints"_s);
        ProvidersCard *card = settings(window)->providersCard();
        QTest::mouseClick(card->addButton(), Qt::LeftButton);
        ProviderForm *form = card->form();
        QVERIFY(form->isVisible());
        QCOMPARE(QApplication::focusWidget(), form->nameField());
        QTest::keyClicks(form->nameField(), u"My Server"_s);
        QCOMPARE(form->idField()->text(), u"my-server"_s);
        QTest::keyClicks(form->addressField(), u"http://models.example.org/v1"_s);
        QTest::keyClick(form->addressField(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(text(form).contains(u"base URL"_s), Patience);
        QVERIFY(card->form()->isVisible()); // What was typed is still there.
        form->addressField()->selectAll();
        QTest::keyClicks(form->addressField(), m_server->url("/v1").toString());
        QTest::keyClicks(form->keyField(), u"sk-own-secret"_s);
        QTest::mouseClick(form->saveButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(card->row(u"my-server"_s), Patience);
        QVERIFY(!form->isVisible());
        QVERIFY(form->keyField()->text().isEmpty());

        ProviderRow *row = card->row(u"my-server"_s);
        QTRY_VERIFY_WITH_TIMEOUT(row->isVisible() && row->testButton()->isEnabled(), Patience);
        QTRY_COMPARE_WITH_TIMEOUT(row->info().keySource, ServiceInfo::KeySource::Session, Patience);
        QTest::mouseClick(row->testButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(row->verdict(), u"works"_s, Patience);
        QCOMPARE(m_server->requests().last().header("Authorization"), QByteArray("Bearer sk-own-secret"));
        QTRY_COMPARE_WITH_TIMEOUT(row->info().models.size(), 2, Patience);
        QVERIFY(settings(window)->keyRow(u"my-server"_s)); // Its key is told where all are.
        QVERIFY(!text(settings(window)).contains(u"sk-own-secret"_s));

        // An empty profile shows its welcome page, and no header, until there is a conversation.
        QTest::keyClick(window.window(), Qt::Key_N, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window.window()->page()->header()->isVisible(), Patience);
        QMenu *models = modelsOf(window, u"My Server"_s);
        QVERIFY(models);
        QCOMPARE(models->actions().size(), 2);
        QCOMPARE(models->actions()[1]->text(), u"unable: cannot use tools"_s);
        QVERIFY(!models->actions()[1]->isEnabled());
        models->actions()[0]->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(window.find(u"Model: able"_s, QAccessible::Button), Patience);

        window.say(u"Hello."_s);
        QTRY_VERIFY2_WITH_TIMEOUT(window.text().contains(u"Hello there."_s), qPrintable(window.text()),
                                  Patience);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isRunning(), Patience);
        ConversationHeader *header = window.window()->page()->header();
        QTRY_VERIFY2_WITH_TIMEOUT(text(header).contains(u"75 %, near limit"_s), qPrintable(text(header)),
                                  Patience);
        QVERIFY(text(header).contains(u"3k tokens"_s));
        auto *meter = header->findChild<Meter *>();
        QVERIFY(meter->isVisible());
        QCOMPARE(qRound(meter->part() * 100), 75);

        m_input = 1;
        m_output = 0;
        QTest::keyClick(window.window(), Qt::Key_N, Qt::ControlModifier);
        QVERIFY(!meter->isVisible()); // Nothing is known of it.
        modelsOf(window, u"My Server"_s)->actions()[0]->trigger();
        window.say(u"Once more."_s);
        QTRY_VERIFY2_WITH_TIMEOUT(text(header).contains(u"1 token"_s), qPrintable(text(header)), Patience);
        QVERIFY(!text(header).contains(u"1 tokens"_s));

        // Edited and removed.
        openSettings(window, u"endpoints"_s);
        QTest::mouseClick(row->editButton(), Qt::LeftButton);
        QVERIFY(form->idField()->isReadOnly());
        QCOMPARE(form->addressField()->text(), m_server->url("/v1").toString());
        form->nameField()->selectAll();
        QTest::keyClicks(form->nameField(), u"Renamed"_s);
        QTest::keyClick(form->nameField(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(row->info().name, u"Renamed"_s, Patience);
        QTest::mouseClick(row->removeButton(), Qt::LeftButton);
        auto *dialog = window.window()->findChild<ConfirmDialog *>();
        QVERIFY(dialog);
        QVERIFY(window.click(u"Remove"_s, QAccessible::Button, dialog));
        QTRY_VERIFY_WITH_TIMEOUT(!card->row(u"my-server"_s), Patience);
        QVERIFY(!settings(window)->keyRow(u"my-server"_s));
        QVERIFY(!modelsOf(window, u"Renamed"_s));
    }

    void theFormIsLeftByEscape()
    {
        WindowFixture window;
        QVERIFY(window.start({}));
        openSettings(window, u"endpoints"_s);
        ProvidersCard *card = settings(window)->providersCard();
        card->addButton()->setFocus();
        QTest::keyClick(card->addButton(), Qt::Key_Space);
        ProviderForm *form = card->form();
        QTest::keyClicks(form->keyField(), u"secret"_s);
        form->keyField()->setFocus();
        QTest::keyClick(form->keyField(), Qt::Key_Escape);
        QVERIFY(!form->isVisible());
        QVERIFY(form->keyField()->text().isEmpty());
        QVERIFY(settings(window)->isVisible());
        QCOMPARE(QApplication::focusWidget(), card->addButton());
    }

    void localServersAreLookedForWhenAsked()
    {
        WindowFixture window;
        window.options()->localModelUrls = {m_server->url("/v1").toString()};
        QVERIFY(window.start({}));
        openSettings(window, u"local"_s);
        LocalModels *local = settings(window)->localModels();
        QVERIFY(local->isVisible());
        QVERIFY(m_server->requests().isEmpty()); // Not before it is pressed.
        QTest::mouseClick(local->lookButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(local->message(), u"One server answered."_s, Patience);
        QCOMPARE(m_server->requests().size(), 1);
        QVERIFY(text(local).contains(u"1 of them cannot use tools"_s));
        auto *models = local->findChild<QComboBox *>();
        QCOMPARE(models->currentText(), u"able"_s);
        QCOMPARE(models->itemText(1), u"unable: cannot use tools"_s);
        QWidget *use = window.find(u"Model server: use for new conversations"_s, QAccessible::Button, local);
        QVERIFY(use);
        QTest::mouseClick(use, Qt::LeftButton);
        const QString name = u"local-%1/able"_s.arg(m_server->port());
        QTRY_COMPARE_WITH_TIMEOUT(local->message(), QString(u"New conversations use "_s + name + u'.'),
                                  Patience);
        QTRY_COMPARE_WITH_TIMEOUT(
            QString(window.workspace()->draft().provider + u'/' + window.workspace()->draft().model), name,
            Patience);
        QTest::keyClick(window.window(), Qt::Key_N, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window.window()->page()->header()->isVisible(), Patience);
        window.say(u"Hello."_s);
        QTRY_VERIFY2_WITH_TIMEOUT(window.text().contains(u"Hello there."_s), qPrintable(window.text()),
                                  Patience);

        m_server.reset(); // Connections that were kept open included.
        openSettings(window, u"local"_s);
        QTest::mouseClick(local->lookButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(local->message().startsWith(u"Nothing answered."_s), Patience);
    }

    // Said before the first message, also when it was chosen long ago.
    void aModelWithoutToolsIsToldBeforeTheFirstMessage()
    {
        WindowFixture window;
        QVERIFY(window.start({}));
        Engine *engine = window.workspace()->engine();
        engine->setProvider({u"mine"_s,
                             u"Mine"_s,
                             u"openai-chat"_s,
                             m_server->url("/v1").toString(),
                             {u"able"_s, u"unable"_s},
                             {u"unable"_s}},
                            true, window.window(), [](const Result<Done, Error> &) {});
        window.workspace()->readServices();
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace()->lacksTools(u"mine"_s, u"unable"_s), Patience);
        window.workspace()->setModel(u"mine"_s, u"unable"_s);
        QVERIFY2(text(window.window()->page()).contains(u"mine/unable cannot use tools"_s),
                 qPrintable(text(window.window()->page())));
        window.workspace()->setModel(u"mine"_s, u"able"_s);
        QVERIFY(!text(window.window()->page()).contains(u"cannot use tools"_s));
    }

    // Nobody pressed Test yet: choosing it asks its service.
    void aModelThatWasNeverListedIsAskedAboutWhenItIsChosen()
    {
        WindowFixture window;
        window.environment()->insert(u"OPENROUTER_BASE_URL"_s, m_server->url("/v1").toString());
        window.environment()->insert(u"OPENROUTER_API_KEY"_s, u"sk-or-0123456789"_s);
        QVERIFY(window.start({}));
        QSignalSpy problems(window.workspace(), &Workspace::problem);
        window.workspace()->setModel(u"openrouter"_s, u"able"_s);
        window.workspace()->setModel(u"openrouter"_s, u"unable"_s);
        QTRY_COMPARE_WITH_TIMEOUT(problems.size(), 1, Patience);
        const auto problem = problems.first().first().value<Error>();
        QVERIFY2(problem.message.contains(u"unable cannot use tools, says OpenRouter"_s),
                 qPrintable(problem.message));
        QVERIFY(text(window.window()).contains(problem.message));
        for (const LoopbackRequest &request : m_server->requests())
            QCOMPARE(request.method, QByteArray("GET")); // No message went out.
    }
};

QTEST_MAIN(TestOwnModels)
#include "tst_ownmodels.moc"
