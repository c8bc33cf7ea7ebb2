// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "application.h"
#include "commandline.h"
#include "store/logreader.h"
#include "support/testmain.h"

#include <QAccessible>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QTextEdit>

using namespace Pilothouse;
using namespace Pilothouse::Desktop;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 30'000;

/// Everything that a person could read in the window.
QString words(QWidget *window)
{
    QStringList all;
    for (QWidget *widget : window->findChildren<QWidget *>()) {
        if (!widget->isVisible())
            continue;
        if (const auto *label = qobject_cast<QLabel *>(widget))
            all.append(label->text());
        if (QAccessibleInterface *accessible = QAccessible::queryAccessibleInterface(widget)) {
            all.append(accessible->text(QAccessible::Name));
            all.append(accessible->text(QAccessible::Value));
        }
    }
    return all.join(u'\n');
}

} // namespace

/// The objects of the window program, put together as main() does.
class TestApplication : public Tests::Test {
    Q_OBJECT

private Q_SLOTS:
    void options()
    {
        QTemporaryDir folder;
        const CommandLine line = parseCommandLine(
            {u"pilothouse"_s, u"--data-dir"_s, folder.path(), u"--model"_s, u"demo/tour"_s, u"--sandbox"_s,
             u"local"_s, u"--superserve-url"_s, u"https://c.example"_s, u"--tour"_s});
        QVERIFY(!line.exitCode);
        QCOMPARE(line.engine.dataDir, folder.path());
        QCOMPARE(line.engine.model, u"demo/tour"_s);
        QCOMPARE(line.engine.backend, u"local"_s);
        QCOMPARE(line.engine.superserveUrl, u"https://c.example"_s);
        QVERIFY(line.tour);
        QVERIFY(line.engine.askAsScripted);
        const CommandLine relative = parseCommandLine({u"pilothouse"_s, u"--data-dir"_s, u"rel"_s});
        QVERIFY(relative.engine.dataDir.startsWith(u'/'));
    }

    void aSecondInstanceReadsAndSaysSo()
    {
        QTemporaryDir folder;
        EngineOptions owning;
        owning.program = u"pilothouse-cli"_s;
        owning.dataDir = folder.path();
        owning.environment = [](const QString &) { return QString(); };
        auto owner = Engine::open(owning);
        QVERIFY2(owner, owner ? "" : qPrintable(owner.error().toText()));
        ConversationSettings settings;
        settings.title = u"Of the other program"_s;
        (*owner)->createConversation(settings);
        const auto count = [&folder] {
            auto reader = LogReader::open(folder.path());
            const auto all = reader ? (*reader)->conversations()
                                    : Result<QList<ConversationSummary>, Error>(fail(reader.error()));
            return all ? all->size() : -1;
        };
        QTRY_COMPARE_WITH_TIMEOUT(count(), 1, Patience);

        Application application(parseCommandLine({u"pilothouse"_s, u"--data-dir"_s, folder.path()}));
        application.show();
        QTRY_VERIFY2_WITH_TIMEOUT(words(application.window()).contains(u"in use by pilothouse-cli"_s),
                                  qPrintable(words(application.window())), Patience);
        // Nothing can be sent.
        for (QPlainTextEdit *edit : application.window()->findChildren<QPlainTextEdit *>())
            QVERIFY(!edit->isVisible() || edit->isReadOnly() || !edit->isEnabled());
        for (QTextEdit *edit : application.window()->findChildren<QTextEdit *>())
            QVERIFY(!edit->isVisible() || edit->isReadOnly() || !edit->isEnabled());
        QCOMPARE(count(), 1);
        application.window()->close();
    }
};

QTEST_MAIN(TestApplication)
#include "tst_application.moc"
