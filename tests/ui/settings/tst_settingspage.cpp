// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/endpointrow.h"
#include "settings/keyrow.h"
#include "settings/localmodels.h"
#include "settings/machineform.h"
#include "settings/providerscard.h"
#include "settings/settingspage.h"
#include "support/testmain.h"
#include "theme/controls/button.h"
#include "theme/controls/label.h"
#include "theme/theme.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <QtTest/qtestspontaneevent.h>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

class TestSettingsPage : public Tests::Test {
    Q_OBJECT
private:
    static inline const QStringList Sections{u"keys"_s, u"endpoints"_s,  u"local"_s,
                                             u"new"_s,  u"appearance"_s, u"data"_s};

    static QList<ServiceInfo> services()
    {
        ServiceInfo local;
        local.kind = ServiceInfo::Kind::Sandbox;
        local.id = u"local"_s;
        local.name = u"Local sandbox"_s;
        local.keySource = ServiceInfo::KeySource::NotNeeded;
        ServiceInfo model;
        model.id = u"anthropic"_s;
        model.name = u"Anthropic"_s;
        model.endpoint = u"https://api.anthropic.com/v1"_s;
        model.keyVariables = {u"ANTHROPIC_API_KEY"_s};
        model.models = {u"claude-sonnet-5-5"_s};
        return {local, model};
    }
    static ServiceInfo joined()
    {
        ServiceInfo info;
        info.id = u"cerebras"_s;
        info.name = u"Cerebras"_s;
        info.endpoint = u"https://api.cerebras.ai/v1"_s;
        info.keyVariables = {u"CEREBRAS_API_KEY"_s};
        info.isChosen = true;
        return info;
    }
    /// Something of everything, with names and addresses that are long.
    static void fill(SettingsPage &page)
    {
        page.setUsable(true);
        QList<ServiceInfo> all = services();
        all[1].keySource = ServiceInfo::KeySource::Session;
        all[1].keyHint = u"sk-ant-…x9Qa"_s;
        all[1].endpointCanBeSet = true;
        all[1].endpointChosen = true;
        all[1].endpointBuiltIn = u"https://api.anthropic.com/v1"_s;
        for (const QString &id : {u"google"_s, u"xai"_s, u"mistral"_s, u"deepseek"_s, u"groq"_s}) {
            ServiceInfo info = joined();
            info.id = id;
            info.name = id;
            info.endpoint = u"https://generativelanguage.example.org/v1beta/openai/compatible"_s;
            info.isChosen = false;
            all.append(info);
        }
        all[2].keyProblem = Error{ErrorKind::Internal, u"The keychain did not give the key."_s, {}, {}};
        ServiceInfo own = joined();
        own.id = u"own"_s;
        own.name = u"A server with a name that is rather long"_s;
        own.isChosen = false;
        own.isOwn = true;
        own.keySource = ServiceInfo::KeySource::NotNeeded;
        own.protocol = u"openai-chat"_s;
        all.append(own);
        page.setServices(all);
        all.append(joined());
        page.setServices(all); // Comes when the page is there.
        page.setTested(u"local"_s, ServiceTest{u"GET x"_s, u"answers, 12 ms"_s, 12});
        page.setTested(u"xai"_s,
                       fail(Error{ErrorKind::KeyMissing, u"The key was refused (401)."_s, u"Asked: GET x."_s,
                                  u"Make a new key."_s}));
        DataUsage usage;
        usage.logBytes = 22'000'000;
        usage.heaviest = {{u"a"_s, u"A long one "_s.repeated(12), 21'000'000},
                          {u"b"_s, QString(120, u'm'), 1'000'000}};
        page.setUsage(usage);
        page.setDataDir(u"/home/somebody/"_s + QString(120, u'd'));
        page.setDoctor({{DoctorLine::Verdict::Problem, u"sandbox"_s,
                         u"/home/somebody/.local/share/pilothouse/with/a/long/path/of/folders/in/it: no"_s}});
        FoundServer found;
        found.url = u"http://localhost:11434/v1"_s;
        found.name = u"A server that has a name"_s;
        found.models = {u"qwen3:a-name-that-is-rather-long-as-they-are"_s};
        page.localModels()->setFound({found});
        page.setStored({{}, u"local"_s, u"pause"_s, 12});
        page.machineForm()->networkBox()->setCurrentIndex(1);
        Q_EMIT page.machineForm()->networkBox()->activated(1);
        QTest::mouseClick(page.providersCard()->addButton(), Qt::LeftButton);
    }
    static QString textOf(const QWidget &page)
    {
        QStringList words;
        for (const QLabel *label : page.findChildren<QLabel *>())
            words.append(label->text());
        return words.join(u'\n');
    }

private Q_SLOTS:
    void initTestCase()
    {
        Test::initTestCase();
        Theme::install(*qApp);
    }

    void aKeyIsEnteredForTheSessionAndNeverShown()
    {
        SettingsPage page;
        page.setServices(services());
        page.setUsable(true);
        page.resize(1200, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        KeyRow *row = page.keyRow(u"anthropic"_s);
        QVERIFY(row);
        QVERIFY(!row->testButton()->isEnabled()); // There is nothing to test.
        QString variable;
        QByteArray key;
        std::optional<KeyRing::Place> place;
        connect(&page, &SettingsPage::keyEntered, &page,
                [&](const QString &id, const QString &name, const Secret &secret, KeyRing::Place where) {
                    QCOMPARE(id, u"anthropic"_s);
                    variable = name;
                    key = secret.reveal();
                    place = where;
                });
        QTest::mouseClick(row->enterButton(), Qt::LeftButton);
        QVERIFY(row->field()->isVisible());
        QCOMPARE(row->field()->echoMode(), QLineEdit::Password);
        QTest::keyClicks(row->field(), u"sk-test-0123456789"_s);
        QTest::keyClick(row->field(), Qt::Key_Return);
        QCOMPARE(variable, u"ANTHROPIC_API_KEY"_s);
        QCOMPARE(key, QByteArray("sk-test-0123456789"));
        QCOMPARE(place, KeyRing::Place::Session); // There is no keychain.
        QVERIFY(!row->field()->isVisible());
        QVERIFY(row->field()->text().isEmpty());
        QVERIFY(!textOf(page).contains(u"0123456789"_s));

        QList<ServiceInfo> known = services();
        known[1].keySource = ServiceInfo::KeySource::Session;
        known[1].keyFrom = u"ANTHROPIC_API_KEY"_s;
        known[1].keyHint = u"…6789"_s;
        page.setServices(known);
        QVERIFY(textOf(page).contains(u"…6789, for this session"_s));
        QSignalSpy tested(&page, &SettingsPage::testRequested);
        QTest::mouseClick(row->testButton(), Qt::LeftButton);
        QCOMPARE(tested.size(), 1);
        QCOMPARE(row->verdict(), u"asking"_s);
        page.setTested(
            u"anthropic"_s,
            fail(Error{ErrorKind::KeyMissing, u"Anthropic refused the key (401): invalid x-api-key"_s,
                       u"Asked: GET x."_s, u"Make a new key."_s}));
        QCOMPARE(row->verdict(), u"refused"_s);
        QVERIFY(textOf(page).contains(u"invalid x-api-key"_s));
        page.setTested(u"anthropic"_s, ServiceTest{u"GET x"_s, u"answers, 12 ms"_s, 12});
        QCOMPARE(row->verdict(), u"works"_s);
    }

    void theKeyboardStaysOnWhatWasPressed()
    {
        SettingsPage page;
        QList<ServiceInfo> known = services();
        known[1].keySource = ServiceInfo::KeySource::Session;
        known[1].keyFrom = u"ANTHROPIC_API_KEY"_s;
        known[1].keyHint = u"…6789"_s;
        page.setServices(known);
        page.setUsable(true);
        page.resize(1200, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QSignalSpy tested(&page, &SettingsPage::testRequested);
        for (const QString &id : {u"anthropic"_s, u"local"_s}) {
            Button *test = page.keyRow(id)->testButton();
            test->setFocus();
            tested.clear();
            for (const Result<ServiceTest, Error> &result :
                 {Result<ServiceTest, Error>(ServiceTest{u"GET x"_s, u"answers, 12 ms"_s, 12}),
                  Result<ServiceTest, Error>(fail(Error{ErrorKind::Model, u"No."_s, {}, {}}))}) {
                QTest::keyClick(test, Qt::Key_Space);
                QCOMPARE(QApplication::focusWidget(), test);
                QTest::keyClick(test, Qt::Key_Space); // Once is enough.
                QTest::mouseClick(test, Qt::LeftButton);
                QCOMPARE(tested.size(), 1);
                page.setTested(id, result);
                QCOMPARE(QApplication::focusWidget(), test);
                tested.clear();
            }
            QTest::mouseClick(test, Qt::LeftButton);
            QCOMPARE(tested.size(), 1);
        }
        Button *forget = nullptr;
        for (Button *button : page.keyRow(u"anthropic"_s)->findChildren<Button *>()) {
            if (button->text() == "Forget"_L1)
                forget = button;
        }
        QVERIFY(forget && forget->isVisible());
        forget->setFocus();
        QTest::keyClick(forget, Qt::Key_Space);
        page.setServices(services()); // It is forgotten, and the button goes.
        QVERIFY(!forget->isVisible());
        QCOMPARE(QApplication::focusWidget(), page.keyRow(u"anthropic"_s)->enterButton());

        page.showSection(u"data"_s);
        Button *check = nullptr;
        for (Button *button : page.findChildren<Button *>()) {
            if (button->text() == "Check now"_L1)
                check = button;
        }
        QVERIFY(check && check->isVisible());
        QSignalSpy checks(&page, &SettingsPage::doctorRequested);
        check->setFocus();
        QTest::keyClick(check, Qt::Key_Space);
        QTest::keyClick(check, Qt::Key_Space);
        QCOMPARE(checks.size(), 1);
        QCOMPARE(QApplication::focusWidget(), check);
        page.setDoctor({{DoctorLine::Verdict::Ok, u"store"_s, u"fine"_s}});
        QCOMPARE(QApplication::focusWidget(), check);
        QTest::keyClick(check, Qt::Key_Space);
        QCOMPARE(checks.size(), 2);
        page.setUsable(false); // Nobody will answer; it must not stay as it is for ever.
        page.setUsable(true);
        check->setFocus();
        QTest::keyClick(check, Qt::Key_Space);
        QCOMPARE(checks.size(), 3);
    }

    void anAddressIsEnteredAndRefusedInWords()
    {
        SettingsPage page;
        QList<ServiceInfo> known = services();
        known[1].endpointBuiltIn = known[1].endpoint;
        known[1].endpointCanBeSet = true;
        page.setServices(known);
        page.setUsable(true);
        page.showSection(u"endpoints"_s);
        page.resize(1200, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        EndpointRow *row = page.endpointRow(u"anthropic"_s);
        QVERIFY(row);
        QVERIFY(!page.endpointRow(u"local"_s)); // It has none.
        QCOMPARE(row->field()->text(), known[1].endpoint);
        QVERIFY(!row->useButton()->isEnabled()); // Nothing was typed.
        QVERIFY(!row->resetButton()->isVisible());
        QSignalSpy entered(&page, &SettingsPage::endpointEntered);
        QSignalSpy left(&page, &SettingsPage::left);
        row->field()->setFocus();
        row->field()->selectAll();
        QTest::keyClicks(row->field(), u"http://example.com"_s);
        QTest::keyClick(row->field(), Qt::Key_Return);
        QCOMPARE(entered.size(), 1);
        QCOMPARE(entered.last().at(1).toString(), u"http://example.com"_s);
        page.setEndpointProblem(u"anthropic"_s, Error{ErrorKind::Usage, u"Over plain http."_s, {}, {}});
        QVERIFY(textOf(page).contains(u"Over plain http."_s));
        page.setServices(known); // What is typed stays.
        QCOMPARE(row->field()->text(), u"http://example.com"_s);
        QTest::keyClick(row->field(), Qt::Key_Escape); // First the text, then the page.
        QCOMPARE(row->field()->text(), known[1].endpoint);
        QCOMPARE(left.size(), 0);
        row->field()->selectAll();
        QTest::keyClicks(row->field(), u"https://example.com/v1"_s);
        row->useButton()->setFocus();
        QTest::keyClick(row->useButton(), Qt::Key_Space);
        QCOMPARE(entered.size(), 2);
        known[1].endpoint = u"https://example.com/v1"_s;
        known[1].endpointChosen = true;
        known[1].keyWithheld = u"ANTHROPIC_API_KEY"_s;
        page.setServices(known);
        QCOMPARE(QApplication::focusWidget(), row->field()); // There is nothing to use now.
        QVERIFY(textOf(page).contains(u"Its own is https://api.anthropic.com/v1"_s));
        QVERIFY(textOf(page).contains(u"given for another address"_s));
        QVERIFY(textOf(page).contains(u"no key for this address"_s));
        row->resetButton()->setFocus();
        QTest::keyClick(row->resetButton(), Qt::Key_Space);
        QCOMPARE(entered.last().at(1).toString(), QString());
        known = services();
        known[1].endpointCanBeSet = true;
        page.setServices(known);
        QVERIFY(!row->resetButton()->isVisible());
        QCOMPARE(QApplication::focusWidget(), row->field());
        // What the environment sets is shown and cannot be changed.
        known = services();
        known[1].endpointSource = u"ANTHROPIC_BASE_URL"_s;
        page.setServices(known);
        QVERIFY(!row->field()->isVisible()); // Plain text is not taken for a field.
        QVERIFY(row->fixedAddress()->isVisible());
        QCOMPARE(row->fixedAddress()->text(), known[1].endpoint);
        QVERIFY(!row->useButton()->isVisible());
        QVERIFY(textOf(page).contains(u"Set by ANTHROPIC_BASE_URL"_s));
    }

    void columnsOfKeysStandUnderEachOther()
    {
        SettingsPage page;
        QList<ServiceInfo> known = services();
        known[1].keySource = ServiceInfo::KeySource::Session; // Shows one button more.
        known[1].keyHint = u"sk-ant-…x9Qa"_s;
        page.setServices(known);
        page.setUsable(true);
        for (const int width : {1024, 1440}) {
            page.resize(width, 700);
            page.show();
            QVERIFY(QTest::qWaitForWindowExposed(&page));
            for (const QString &column : {u"Key"_s, u"Last test"_s, u"Answer"_s}) {
                QSet<int> lefts;
                int count = 0;
                for (const QLabel *label : page.findChildren<QLabel *>()) {
                    if (label->accessibleName() != column)
                        continue;
                    lefts.insert(label->mapTo(&page, QPoint()).x());
                    ++count;
                }
                QCOMPARE(count, 4); // Two headings, two services.
                QCOMPARE(lefts.size(), 1);
            }
        }
    }

    void theSectionThatHoldsAWordIsFound()
    {
        SettingsPage page;
        page.setServices(services());
        page.resize(1200, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        auto *find = page.findChild<QLineEdit *>();
        QCOMPARE(find->accessibleName(), u"Find a setting"_s);
        find->setFocus();
        QTest::keyClicks(find, u"CONTRAST"_s);
        QCOMPARE(page.section(), u"appearance"_s);
        QTest::keyClick(find, Qt::Key_Escape); // First the word, then the page.
        QVERIFY(find->text().isEmpty());
        QTest::keyClicks(find, u"xyzzy"_s);
        QCOMPARE(page.section(), u"appearance"_s);
        QTest::keyClick(find, Qt::Key_Escape);
        QSignalSpy left(&page, &SettingsPage::left);
        QTest::keyClick(find, Qt::Key_Escape);
        QCOMPARE(left.size(), 1);
    }

    void hintsOfKeysGiveNothingAway()
    {
        QCOMPARE(keyHint("sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789x9Qa"), u"sk-ant-…x9Qa"_s);
        QCOMPARE(keyHint("short"), u"…"_s);
        QCOMPARE(keyHint(""), u"…"_s);
    }

    void choicesAreStoredTyped()
    {
        QTemporaryDir folder;
        AppSettings settings(folder.path());
        QCOMPARE(settings.appearance(), AppSettings::Appearance::System);
        settings.setAppearance(AppSettings::Appearance::HighContrast);
        settings.setModel(u"anthropic/claude-sonnet-5-5"_s);
        settings.setAfterTurn(u"keep"_s);
        settings.setMaxSteps(40);
        const AppSettings again(folder.path());
        QCOMPARE(again.appearance(), AppSettings::Appearance::HighContrast);
        QCOMPARE(again.model(), u"anthropic/claude-sonnet-5-5"_s);
        QCOMPARE(again.afterTurn(), u"keep"_s);
        QCOMPARE(again.maxSteps(), 40);
        settings.setAfterTurn(u"explode"_s); // As if edited by hand.
        settings.setModel(u"nothing"_s);
        QCOMPARE(again.afterTurn(), QString());
        QCOMPARE(again.model(), QString());
    }

    void whatIsChosenIsSaidOnceAndOnlyByThePerson()
    {
        SettingsPage page;
        page.setUsable(true);
        int said = 0;
        SettingsPage::Stored last;
        connect(&page, &SettingsPage::storedChosen, &page, [&](const SettingsPage::Stored &stored) {
            ++said;
            last = stored;
        });
        page.setServices(services());
        page.setStored({u"gone/model"_s, u"local"_s, u"pause"_s, 12});
        QCOMPARE(said, 0);
        auto *steps = page.findChild<QSpinBox *>();
        QCOMPARE(steps->value(), 12);
        steps->stepUp();
        QCOMPARE(said, 1);
        QCOMPARE(last.maxSteps, 13);
        QCOMPARE(last.model, u"gone/model"_s); // A choice that is not offered now stays.
    }

    void aWheelScrollsThePageAndChoosesNothing()
    {
        SettingsPage page;
        page.setUsable(true);
        page.setServices(services());
        page.setStored({{}, u"local"_s, u"pause"_s, 12});
        page.resize(1200, 400);
        page.show();
        page.showSection(u"new"_s);
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QSignalSpy chosen(&page, &SettingsPage::storedChosen);
        QSignalSpy wanted(&page, &SettingsPage::providerWanted);
        int boxes = 0;
        for (QWidget *box : page.findChildren<QWidget *>()) {
            if (!qobject_cast<QComboBox *>(box) && !qobject_cast<QSpinBox *>(box))
                continue;
            ++boxes;
            for (QWidget *up = box; up != &page; up = up->parentWidget()) {
                if (auto *pages = qobject_cast<QStackedWidget *>(up->parentWidget()))
                    pages->setCurrentWidget(up);
            }
            auto *area = qobject_cast<QScrollArea *>(page.findChild<QStackedWidget *>()->currentWidget());
            QVERIFY(area);
            QCoreApplication::sendPostedEvents(); // The page that is shown now gets its places.
            for (const bool focused : {false, true}) {
                if (focused)
                    box->setFocus();
                area->verticalScrollBar()->setValue(0);
                const QPointF middle = box->rect().center();
                QWheelEvent turned(middle, box->mapToGlobal(middle), {}, {0, -120}, Qt::NoButton,
                                   Qt::NoModifier, Qt::NoScrollPhase, false);
                QSpontaneKeyEvent::setSpontaneous(&turned); // Only a real one goes from a box to its page.
                qApp->notify(box, &turned);
                if (area->verticalScrollBar()->maximum() > 0)
                    QVERIFY2(area->verticalScrollBar()->value() > 0, qPrintable(box->accessibleName()));
            }
        }
        QVERIFY(boxes >= 6);
        QCOMPARE(chosen.size() + wanted.size(), 0);
        QCOMPARE(page.findChild<QSpinBox *>()->value(), 12);
    }

    // The registry knows more than a hundred providers; a key can be entered for each of them.
    void anotherProviderJoinsTheList()
    {
        SettingsPage page;
        page.setUsable(true);
        QList<ServiceInfo> listed = services();
        page.setServices(listed);
        page.resize(1200, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QComboBox *more = page.moreProviders();
        QVERIFY(more->count() > 50);
        QCOMPARE(more->findData(u"anthropic"_s), -1); // It is listed.
        const int at = more->findData(u"cerebras"_s);
        QVERIFY(at > 0);
        QSignalSpy wanted(&page, &SettingsPage::providerWanted);
        more->setFocus();
        QTest::keyClicks(more, more->itemText(at));
        QCOMPARE(more->currentIndex(), at);
        Q_EMIT more->activated(at); // As its list does.
        QCOMPARE(wanted.last().first().toString(), u"cerebras"_s);
        ServiceInfo added;
        added.id = u"cerebras"_s;
        added.name = more->itemText(at);
        added.keyVariables = {u"CEREBRAS_API_KEY"_s};
        listed.append(added);
        page.setServices(listed);
        QVERIFY(page.keyRow(u"cerebras"_s));
        QCOMPARE(QApplication::focusWidget(), page.keyRow(u"cerebras"_s)->enterButton());
        QCOMPARE(more->currentIndex(), 0);
        QCOMPARE(more->findData(u"cerebras"_s), -1);
    }

    // Each field is taken by itself when it is left; what is wrong is said beside it and not taken.
    void machinesAreChosenAndCheckedInWords()
    {
        SettingsPage page;
        page.setUsable(true);
        page.showSection(u"new"_s);
        page.resize(1200, 900);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        MachineForm *form = page.machineForm();
        QVERIFY(form->isVisible());
        QList<MachineChoices> said;
        connect(&page, &SettingsPage::machinesChosen, &page,
                [&said](const MachineChoices &choices) { said.append(choices); });
        page.setMachines({u"superserve/base"_s, 7200, {}, false, {}});
        QCOMPARE(said.size(), 0);
        QCOMPARE(form->timeoutField()->text(), u"2h"_s);

        form->timeoutField()->setFocus();
        form->timeoutField()->selectAll();
        QTest::keyClicks(form->timeoutField(), u"9 weeks"_s);
        QTest::keyClick(form->timeoutField(), Qt::Key_Tab);
        QCOMPARE(said.size(), 0);
        QVERIFY(textOf(page).contains(u"“9 weeks” is no length of time."_s));
        QTest::keyClicks(form->autoDeleteField(), u"never"_s);
        QTest::keyClick(form->autoDeleteField(), Qt::Key_Return);
        QCOMPARE(said.size(), 1); // What is right is taken nevertheless.
        QCOMPARE(said.last().autoDeleteSeconds, std::optional<qint64>(-1));
        QCOMPARE(said.last().timeoutSeconds, std::optional<qint64>(7200));
        form->timeoutField()->setFocus();
        QSignalSpy left(&page, &SettingsPage::left);
        QTest::keyClick(form->timeoutField(), Qt::Key_Escape); // First what was typed, then the page.
        QCOMPARE(left.size(), 0);
        QCOMPARE(form->timeoutField()->text(), u"2h"_s);

        QVERIFY(!form->hostsField()->isVisible());
        form->networkBox()->setFocus();
        QTest::keyClick(form->networkBox(), Qt::Key_Down);
        QCOMPARE(said.size(), 2);
        QVERIFY(said.last().isNetworkLimited);
        QVERIFY(said.last().allowed.isEmpty());
        QVERIFY(form->hostsField()->isVisible());
        QVERIFY(textOf(page).contains(u"machines reach nothing"_s));
        QCOMPARE(QApplication::focusWidget(), form->hostsField());
        QTest::keyClicks(form->hostsField(), u"https://pypi.org"_s);
        QTest::keyClick(form->hostsField(), Qt::Key_Tab);
        QCOMPARE(said.size(), 2);
        QVERIFY(textOf(page).contains(u"“https://pypi.org” is neither a domain nor an IPv4 address."_s));
        form->hostsField()->setFocus();
        form->hostsField()->selectAll();
        QTest::keyClicks(form->hostsField(), u"pypi.org, *.example.org"_s);
        QTest::keyClick(form->hostsField(), Qt::Key_Tab);
        QCOMPARE(said.size(), 3);
        QCOMPARE(said.last().allowed, (QStringList{u"pypi.org"_s, u"*.example.org"_s}));

        page.setUsable(false);
        QVERIFY(form->templateField()->isReadOnly());
        QVERIFY(!form->networkBox()->isEnabled());
    }

    void aProviderThatWasChosenLeavesTheListAgain()
    {
        SettingsPage page;
        page.setUsable(true);
        QList<ServiceInfo> listed = services();
        listed.append(joined());
        page.setServices(listed);
        page.resize(1200, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        KeyRow *row = page.keyRow(u"cerebras"_s);
        QVERIFY(row && row->unlistButton()->isVisible());
        QVERIFY(!page.keyRow(u"anthropic"_s)->unlistButton()->isVisible());
        QSignalSpy unwanted(&page, &SettingsPage::providerUnwanted);
        row->unlistButton()->setFocus();
        QTest::keyClick(row->unlistButton(), Qt::Key_Return);
        QCOMPARE(unwanted.size(), 1);
        QCOMPARE(unwanted.last().first().toString(), u"cerebras"_s);
        page.setServices(services());
        QVERIFY(!page.keyRow(u"cerebras"_s));
        QVERIFY(!page.endpointRow(u"cerebras"_s));
        QCOMPARE(QApplication::focusWidget(), page.moreProviders());
        QVERIFY(page.moreProviders()->findData(u"cerebras"_s) > 0);
        // With a key it stays: first the key is forgotten.
        listed.last().isChosen = false;
        listed.last().keySource = ServiceInfo::KeySource::Session;
        page.setServices(listed);
        QVERIFY(!page.keyRow(u"cerebras"_s)->unlistButton()->isVisible());
    }

    // Whatever is in it: nothing is cut off at the right, and nothing needs to be scrolled sideways.
    void everySectionFitsItsWindow()
    {
        SettingsPage page;
        fill(page);
        for (const int width : {1440, 1024, 760}) {
            page.resize(width, 560);
            page.show();
            QVERIFY(QTest::qWaitForWindowExposed(&page));
            for (const QString &name : Sections) {
                page.showSection(name);
                QCoreApplication::sendPostedEvents();
                auto *area = qobject_cast<QScrollArea *>(page.findChild<QStackedWidget *>()->currentWidget());
                QVERIFY2(area->horizontalScrollBar()->maximum() == 0, qPrintable(name));
                for (const QWidget *widget : area->widget()->findChildren<QWidget *>()) {
                    if (!widget->isVisible() || widget->window() != &page)
                        continue;
                    const QString what = u"%1 at %2: %3 %4"_s.arg(name).arg(width).arg(
                        QString::fromLatin1(widget->metaObject()->className()), widget->accessibleName());
                    const QWidget *parent = widget->parentWidget();
                    if (!qobject_cast<const QAbstractScrollArea *>(parent))
                        QVERIFY2(parent->rect().contains(widget->geometry()), qPrintable(what));
                    if (const auto *button = qobject_cast<const QPushButton *>(widget))
                        QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(what));
                    if (qobject_cast<const QLineEdit *>(widget) && widget->parentWidget()->layout())
                        QVERIFY2(widget->width() >= 160, qPrintable(what));
                    const auto *label = qobject_cast<const QLabel *>(widget);
                    const bool isCell = label && (label->accessibleName() == "Key"_L1);
                    if (isCell)
                        QVERIFY2(label->width() >= 50, qPrintable(what));
                }
            }
        }
    }

    void theFormKnowsAboutTheKeychain()
    {
        SettingsPage page;
        QList<ServiceInfo> known = services();
        known[1].canKeep = true;
        ServiceInfo demo; // Has no key, so that nothing is said about keeping it.
        demo.id = u"demo"_s;
        demo.name = u"Demo"_s;
        known.append(demo);
        page.setServices(known);
        QVERIFY(textOf(*page.providersCard()).contains(u"A key goes into the keychain"_s));
    }

    void theFieldForAKeyIsWideEnough()
    {
        SettingsPage page;
        fill(page);
        for (const int width : {760, 1024, 1440}) {
            page.resize(width, 700);
            page.show();
            QVERIFY(QTest::qWaitForWindowActive(&page));
            KeyRow *row = page.keyRow(u"anthropic"_s);
            QTest::mouseClick(row->enterButton(), Qt::LeftButton);
            QCoreApplication::sendPostedEvents();
            QVERIFY2(row->field()->width() >= 240, QByteArray::number(row->field()->width()).constData());
            QSignalSpy left(&page, &SettingsPage::left);
            QTest::keyClick(row->field(), Qt::Key_Escape); // First the field, then the page.
            QVERIFY(!row->field()->isVisible());
            QCOMPARE(QApplication::focusWidget(), row->enterButton());
            QCOMPARE(left.size(), 0);
        }
    }

    // Also through rows that joined later; where it stands is in view, whatever the page had to scroll.
    void tabGoesDownEveryPage()
    {
        SettingsPage page;
        fill(page);
        page.resize(760, 400);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        for (const QString &name : Sections) {
            page.showSection(name);
            QCoreApplication::sendPostedEvents();
            auto *area = qobject_cast<QScrollArea *>(page.findChild<QStackedWidget *>()->currentWidget());
            QSet<QWidget *> expected;
            for (QWidget *widget : area->widget()->findChildren<QWidget *>()) {
                if (widget->isVisible() && widget->isEnabled() && widget->focusPolicy() & Qt::TabFocus
                    && !widget->focusProxy())
                    expected.insert(widget);
            }
            page.focusSections();
            QPoint before(-1, -1);
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            while (area->widget()->isAncestorOf(QApplication::focusWidget())) {
                QWidget *at = QApplication::focusWidget();
                QVERIFY2(expected.remove(at), qPrintable(QString(name + u' ' + at->accessibleName())));
                const QRect place(at->mapTo(area->widget(), QPoint()), at->size());
                QVERIFY2(place.bottom() > before.y(), qPrintable(at->accessibleName()));
                before = QPoint(place.left(), place.top());
                QCoreApplication::processEvents();
                QVERIFY2(area->viewport()->rect().contains(
                             QRect(at->mapTo(area->viewport(), QPoint()), at->size())),
                         qPrintable(QString(name + u' ' + at->accessibleName())));
                QTest::keyClick(at, Qt::Key_Tab);
            }
            QVERIFY2(expected.isEmpty(), qPrintable(name));
        }
    }

    // A notice about the field that was left comes above the one that is used now.
    void aNoticeDoesNotPushAwayWhatIsUsed()
    {
        SettingsPage page;
        fill(page);
        page.resize(760, 360);
        page.show();
        page.showSection(u"new"_s);
        QVERIFY(QTest::qWaitForWindowActive(&page));
        auto *area = qobject_cast<QScrollArea *>(page.findChild<QStackedWidget *>()->currentWidget());
        MachineForm *form = page.machineForm();
        const auto isInView = [&](const QWidget *widget) {
            return area->viewport()->rect().contains(
                QRect(widget->mapTo(area->viewport(), QPoint()), widget->size()));
        };
        form->timeoutField()->setFocus();
        QTRY_VERIFY_WITH_TIMEOUT(isInView(form->timeoutField()), 5000);
        area->verticalScrollBar()->setValue(form->autoDeleteField()->mapTo(area->widget(), QPoint()).y()
                                            + form->autoDeleteField()->height()
                                            - area->viewport()->height()); // At the lower edge.
        QTest::keyClicks(form->timeoutField(), u"9 weeks"_s);
        QTest::keyClick(form->timeoutField(), Qt::Key_Tab);
        QVERIFY(textOf(page).contains(u"“9 weeks” is no length of time."_s));
        QCOMPARE(QApplication::focusWidget(), form->autoDeleteField());
        QCoreApplication::sendPostedEvents();
        QTRY_VERIFY_WITH_TIMEOUT(isInView(form->autoDeleteField()), 5000);
        // Who scrolls away is not pulled back by what changes.
        area->verticalScrollBar()->setValue(0);
        const int height = area->widget()->height();
        QTest::keyClick(form->timeoutField(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(area->widget()->height() < height, 5000);
        QCoreApplication::processEvents();
        QCOMPARE(area->verticalScrollBar()->value(), 0);
    }

    void escapeLeavesAndEveryControlHasAName()
    {
        SettingsPage page;
        page.setServices(services());
        page.setUsable(true);
        page.setDoctor({{DoctorLine::Verdict::Problem, u"store"_s, u"<b>bad</b>"_s}});
        DataUsage usage;
        usage.logBytes = 22'000'000;
        usage.heaviest = {{u"id"_s, u"A long one"_s, 21'000'000}};
        page.setUsage(usage);
        page.resize(1200, 800);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QSignalSpy left(&page, &SettingsPage::left);
        for (const QString &name :
             {u"keys"_s, u"endpoints"_s, u"local"_s, u"new"_s, u"appearance"_s, u"data"_s}) {
            page.showSection(name);
            QCOMPARE(page.section(), name);
            for (QWidget *widget : page.findChildren<QWidget *>()) {
                if (!widget->isVisible()
                    || (widget->focusPolicy() == Qt::NoFocus && !qobject_cast<QAbstractButton *>(widget)))
                    continue;
                if (widget->objectName().startsWith("qt_"_L1)
                    || widget->inherits("QComboBoxPrivateContainer"))
                    continue;
                QAccessibleInterface *accessible = QAccessible::queryAccessibleInterface(widget);
                QVERIFY2(accessible && !accessible->text(QAccessible::Name).isEmpty(),
                         widget->metaObject()->className());
            }
        }
        QVERIFY(textOf(page).contains(u"22 MB: log 22 MB"_s));
        page.focusSections();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QCOMPARE(left.size(), 1);
    }
};

QTEST_MAIN(TestSettingsPage)
#include "tst_settingspage.moc"
