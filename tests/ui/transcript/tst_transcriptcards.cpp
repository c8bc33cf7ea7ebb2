// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// What unfolded cards and the second lines of calls show, and what their buttons do.

#include "support/testmain.h"
#include "theme/metrics.h"
#include "theme/theme.h"
#include "transcriptfixture.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000;

int pixelsOf(const QImage &image, const QColor &color)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += (image.pixel(x, y) & 0xFFFFFFU) == (color.rgb() & 0xFFFFFFU) ? 1 : 0;
    }
    return count;
}

} // namespace

class TestTranscriptCards : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    // A model may think for minutes and not show any of it.
    void aStepThatHasSaidNothingThinks()
    {
        Tests::TranscriptFixture shown;
        shown.script.addCreated();
        shown.startTurn(1);
        shown.script.add(EventKind::StepStart, "{\"turn\":1,\"step\":1,\"attempt\":1}");
        QVERIFY(shown.show());
        const int line = Theme::instance().lineHeight(TextStyle::Body);
        const int gap = Theme::instance().px(Metrics::StepSeparator);
        int step = shown.model->rowCount() - 1;
        QCOMPARE(shown.model->rowAt(step).kind, TranscriptRow::Kind::Step);
        QCOMPARE(shown.view->rowRect(step).height(), gap + line);
        QVERIFY(pixelsOf(shown.picture(shown.view->rowRect(step)), Theme::instance().color(Role::Accent))
                > 3);
        QVERIFY(shown.model->index(step).data().toString().contains(u"under way"_s));
        // Its first word takes the place of that.
        shown.script.add(EventKind::TextDelta,
                         "{\"turn\":1,\"step\":1,\"attempt\":1,\"part\":0,\"text\":\"Well\"}");
        shown.live();
        QTRY_COMPARE_WITH_TIMEOUT(shown.view->rowRect(step).height(), gap, Patience);
        // The next step thinks again, live.
        shown.script.add(EventKind::StepFinish,
                         "{\"turn\":1,\"step\":1,\"attempt\":1,\"finishReason\":\"stop\",\"usage\":"
                         "{\"input\":700,\"output\":50}}");
        shown.script.add(EventKind::StepStart, "{\"turn\":1,\"step\":2,\"attempt\":1}");
        QVERIFY(!shown.model->lastContextTokens());
        shown.live();
        QCOMPARE(shown.model->lastContextTokens(), std::optional<qint64>(750));
        step = shown.model->rowCount() - 1;
        QTRY_COMPARE_WITH_TIMEOUT(shown.view->rowRect(step).height(), gap + line, Patience);
        // And where the turn ends nothing does.
        shown.script.add(EventKind::TurnFinish,
                         "{\"turn\":1,\"reason\":\"stopped\",\"text\":\"\",\"steps\":2,\"usage\":{}}");
        shown.live();
        QTRY_COMPARE_WITH_TIMEOUT(shown.view->rowRect(step).height(), gap, Patience);
    }

    // Both channels of a running call, line by line as they come.
    void outputStandsInTheOrderOfArrival()
    {
        Tests::TranscriptFixture shown;
        shown.script.addCreated();
        shown.startTurn(1);
        const QString id = newId();
        shown.call(id, u"make"_s);
        shown.run(id);
        QVERIFY(shown.show({640, 600}));
        const int place = shown.placeOfCall(id);
        shown.view->toggle(place);
        const int before = shown.view->rowRect(place).height();
        shown.output(id, "\x1b[32mcompiling\x1b[0m\n");
        shown.output(id, "warning: old\n", "stderr");
        shown.output(id, "done\n");
        QVERIFY(shown.liveAndStored());
        const Json runs = shown.model->rowAt(place).data[u"outputRuns"];
        QCOMPARE(runs.toJson(), QByteArray("[19,-13,5]"));
        const int line = Theme::instance().lineHeight(TextStyle::Mono);
        QTRY_VERIFY_WITH_TIMEOUT(shown.view->rowRect(place).height() >= before + 3 * line, Patience);
        const QColor red = Theme::instance().color(Role::Failed);
        QTRY_VERIFY_WITH_TIMEOUT(pixelsOf(shown.picture(shown.view->rowRect(place)), red) >= line, Patience);
        // The second of the three lines has the mark.
        const QRect row = shown.view->rowRect(place);
        const int bottom = row.bottom() + 1 - Metrics::SpaceS - Metrics::SpaceS;
        const QRect marks(row.x() + Metrics::SpaceM, bottom - 3 * line, Metrics::SpaceM, line);
        QCOMPARE(pixelsOf(shown.picture(marks), red), 0);
        QVERIFY(pixelsOf(shown.picture(marks.translated(0, line)), red) >= line);
        QCOMPARE(pixelsOf(shown.picture(marks.translated(0, 2 * line)), red), 0);
        // And the first is green.
        const QColor green = Theme::instance().ansi(2, -1, false, false).foreground;
        const QRect first(row.x() + Metrics::SpaceXxl, bottom - 3 * line, 120, line);
        QVERIFY(pixelsOf(shown.picture(first), green) > 10);
        QCOMPARE(pixelsOf(shown.picture(first.translated(0, 2 * line)), green), 0);
    }

    // What a person aims at must not move because another call ends, however it ends.
    void aWaitingCardStaysWhereItIs_data()
    {
        QTest::addColumn<QByteArray>("end");
        QTest::addColumn<int>("width");
        const QByteArray known = "\"exitCode\":0,\"durationMs\":900,\"outcome\":\"known\"";
        const QByteArray bad = "\"exitCode\":1,\"durationMs\":86400000,\"outcome\":\"known\"";
        const QByteArray unknown = "\"exitCode\":null,\"durationMs\":900,\"outcome\":\"unknown\"";
        for (const int width : {640, 360, 240}) {
            QTest::addRow("done, %d", width) << known << width;
            QTest::addRow("exit 1, %d", width) << bad << width;
            QTest::addRow("unknown, %d", width) << unknown << width;
        }
    }
    void aWaitingCardStaysWhereItIs()
    {
        QFETCH(QByteArray, end);
        QFETCH(int, width);
        Tests::TranscriptFixture shown;
        shown.script.addCreated();
        shown.startTurn(1);
        const QString first = newId();
        const QString second = newId();
        const QString waiting = newId();
        shown.call(first, u"make"_s);
        shown.call(second, u"sleep 100; echo a long command that does not fit in a narrow window"_s);
        shown.call(waiting, u"rm -r build"_s);
        shown.run(first);
        shown.output(first, "compiling\n");
        shown.ask(waiting);
        QVERIFY(shown.show({width, 600}));
        auto *card = new QWidget;
        card->setFixedHeight(80);
        shown.view->setCallWidget(waiting, card);
        QVERIFY(card->isVisible());
        shown.run(second);
        shown.live();
        const int top = card->y();
        shown.output(second, "x\n");
        shown.live();
        QCOMPARE(card->y(), top);
        shown.resultWith(first, end);
        shown.live();
        QCOMPARE(card->y(), top);
        shown.resultWith(second, end);
        shown.live();
        QCOMPARE(card->y(), top);
        QVERIFY(pixelsOf(shown.picture(shown.view->rowRect(shown.placeOfCall(first))),
                         Theme::instance().color(Role::Text2))
                > 0);
        // Answered: the rows are as they always are.
        shown.allow(waiting);
        shown.live();
        shown.view->setCallWidget(waiting, nullptr);
        delete card;
        Tests::TranscriptFixture plain;
        plain.script.addCreated();
        plain.startTurn(1);
        plain.call(first, u"make"_s);
        plain.run(first);
        plain.output(first, "compiling\n");
        plain.resultWith(first, end);
        plain.call(waiting, u"rm -r build"_s);
        QVERIFY(plain.show({width, 600}));
        QCOMPARE(shown.view->rowRect(shown.placeOfCall(first)).height(),
                 plain.view->rowRect(plain.placeOfCall(first)).height());
    }

    // Where there are no tints, a frame says which call is shown beside.
    void theChosenCallIsFramedInHighContrast()
    {
        Theme::instance().force(Scheme::HighContrast);
        Tests::TranscriptFixture shown;
        shown.script.addCreated();
        shown.startTurn(1);
        QStringList calls;
        for (int i = 0; i < 3; ++i) { // One stack: first, middle, last.
            calls.append(newId());
            shown.call(calls.last(), u"make"_s);
            shown.run(calls.last());
            shown.result(calls.last(), 0, 0);
        }
        QVERIFY(shown.show({640, 600}));
        const QColor text = Theme::instance().color(Role::Text);
        for (const QString &id : std::as_const(calls)) {
            const QRect row = shown.view->rowRect(shown.placeOfCall(id));
            // How thick the right side of the card is, below its upper corner.
            const auto side = [&] {
                const QImage picture = shown.picture();
                int x = picture.width() - 1;
                while (x > 0 && picture.pixelColor(x, row.top() + 12) != text)
                    --x;
                int thick = 0;
                while (x > 0 && picture.pixelColor(x--, row.top() + 12) == text)
                    ++thick;
                return thick;
            };
            shown.view->setActiveCall({});
            const int before = side();
            shown.view->setActiveCall(id);
            QCOMPARE(side(), before + 1);
        }
        Theme::instance().force({});
    }

    void longOutputIsCutAtTwelveLines()
    {
        Tests::TranscriptFixture shown;
        shown.script.addCreated();
        shown.startTurn(1);
        const QString id = newId();
        shown.call(id, u"seq 40"_s);
        shown.run(id);
        QByteArray bytes;
        for (int i = 1; i <= 40; ++i)
            bytes += QByteArray::number(i) + "\n";
        shown.output(id, bytes);
        shown.result(id, 0, bytes.size());
        QVERIFY(shown.show({640, 600}));
        const int place = shown.placeOfCall(id);
        shown.view->toggle(place);
        const int line = Theme::instance().lineHeight(TextStyle::Mono);
        QTRY_VERIFY_WITH_TIMEOUT(shown.view->rowRect(place).height() > 12 * line, Patience);
        QVERIFY(shown.view->rowRect(place).height() < 12 * line + 120);
        // A click inside opens the Call pane.
        QSignalSpy opened(shown.view.get(), &TranscriptView::callActivated);
        QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {},
                          shown.view->rowRect(place).bottomLeft() + QPoint(100, -60));
        QCOMPARE(opened.size(), 1);
        QCOMPARE(opened.at(0).at(1).toString(), id);
    }

    void anUnknownOutcomeHasItsButton_data()
    {
        QTest::addColumn<QByteArray>("members");
        QTest::addColumn<QString>("words");
        QTest::newRow("lost") << QByteArray("\"outcome\":\"unknown\"") << u"connection was lost"_s;
        QTest::newRow("stopped") << QByteArray("\"outcome\":\"unknown\",\"stopped\":true")
                                 << u"told to stop"_s;
        QTest::newRow("program") << QByteArray() << u"program ended"_s;
    }
    void anUnknownOutcomeHasItsButton()
    {
        QFETCH(QByteArray, members);
        QFETCH(QString, words);
        Tests::TranscriptFixture shown;
        shown.script.addCreated();
        shown.startTurn(1);
        const QString id = newId();
        shown.call(id, u"psql -f backfill_march.sql"_s);
        shown.run(id);
        if (!members.isEmpty())
            shown.resultWith(id, members);
        shown.script.add(EventKind::TurnFinish,
                         "{\"turn\":1,\"reason\":\"interrupted\",\"text\":\"\",\"steps\":1,\"usage\":{},"
                         "\"costNanos\":1}");
        QVERIFY(shown.show({640, 600}));
        const int place = shown.placeOfCall(id);
        const QString spoken = shown.model->index(place).data(Qt::AccessibleTextRole).toString();
        QVERIFY2(spoken.contains(words), qPrintable(spoken));
        QSignalSpy looked(shown.view.get(), &TranscriptView::lookWanted);
        QSignalSpy opened(shown.view.get(), &TranscriptView::callActivated);
        const QRect row = shown.view->rowRect(place);
        QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {},
                          QPoint(row.right() - 40, row.y() + Metrics::ToolCardRowWithSecondLine + 12));
        QCOMPARE(looked.size(), 1);
        QCOMPARE(looked.at(0).at(0).toString(), shown.script.conversation());
        QCOMPARE(opened.size(), 0);
        QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {}, row.topLeft() + QPoint(60, 14));
        QCOMPARE(looked.size(), 1);
        QCOMPARE(opened.size(), 1);
    }

    // Every state in the narrowest conversation.
    void cardsAtNarrowWidths_data()
    {
        QTest::addColumn<bool>("isDark");
        QTest::addColumn<int>("width");
        for (const int width : {320, 370, 420}) {
            QTest::addRow("narrow-light-%d", width) << false << width;
            QTest::addRow("narrow-dark-%d", width) << true << width;
        }
    }
    void cardsAtNarrowWidths()
    {
        QFETCH(bool, isDark);
        QFETCH(int, width);
        Theme::instance().force(isDark ? Scheme::Dark : Scheme::Light);
        Tests::TranscriptFixture shown;
        shown.script.addCreated();
        shown.startTurn(1);
        const auto call = [&](const QByteArray &tool, const QByteArray &args) {
            const QString id = newId();
            shown.callWith(id, tool, args);
            return id;
        };
        const QByteArray file =
            "{\"path\":\"/home/user/project/src/webhooks/handlers.py\",\"content\":\"a\\nb\\n\"}";
        const QString done = call("writeFile", file);
        shown.run(done);
        shown.resultWith(done, "\"exitCode\":null,\"durationMs\":320,\"outcome\":\"known\"");
        const QString bash =
            call("bash", "{\"command\":\"pytest tests/test_webhooks.py -q -n 4 --maxfail=1\"}");
        shown.run(bash);
        shown.output(bash, "50 of 50 passed in 12.31s, 2 warnings, 1 skipped\n");
        shown.resultWith(bash,
                         "\"exitCode\":0,\"durationMs\":72000,\"outcome\":\"known\",\"stdoutBytes\":49");
        const QString failed = call("bash", "{\"command\":\"npm run build -- --watch\"}");
        shown.run(failed);
        shown.resultWith(failed, "\"exitCode\":1,\"durationMs\":900,\"outcome\":\"known\"");
        const QString limit = call("bash", "{\"command\":\"npm run build -- --watch\"}");
        shown.run(limit);
        shown.resultWith(limit,
                         "\"exitCode\":124,\"durationMs\":60200,\"outcome\":\"known\",\"timedOut\":true");
        const QString lost = call("writeFile", file);
        shown.run(lost);
        shown.resultWith(lost, "\"outcome\":\"unknown\"");
        const QString stopped = call("bash", "{\"command\":\"sleep 1000\"}");
        shown.run(stopped);
        shown.resultWith(stopped,
                         "\"exitCode\":130,\"durationMs\":61000,\"outcome\":\"known\",\"stopped\":true");
        const QString denied = call("writeFile", file);
        shown.ask(denied);
        shown.deny(denied, "Not in this folder, please");
        const QString allowed = call("writeFile", file);
        shown.ask(allowed);
        shown.allow(allowed);
        const QString running = call("writeFile", file);
        shown.run(running);
        const QString waiting = call("writeFile", file);
        shown.ask(waiting);
        const QString proposed = call("writeFile", file);
        QVERIFY(shown.show({width, 900}));
        // The name of the tool stands whole, in its colour and as wide as in a wide window.
        const TranscriptStyle style;
        for (const QString &id : {done, lost, denied, allowed, running, waiting, proposed}) {
            const QRect row = shown.view->rowRect(shown.placeOfCall(id));
            const int left = row.x() + Metrics::SpaceXxl;
            const int end = left + style.tool.metrics.horizontalAdvance(u"writeFile"_s);
            const QRect name(left, row.y() + 4, end - left, 24);
            const QImage picture = shown.picture();
            Tests::TranscriptFixture wide;
            wide.script.addCreated();
            wide.startTurn(1);
            const QString other = newId();
            wide.callWith(other, "writeFile", "{\"path\":\"x\"}");
            QVERIFY(wide.show({900, 300}));
            const QRect place = wide.view->rowRect(wide.placeOfCall(other));
            const QColor ink = Theme::instance().color(Role::Text);
            const int inks = pixelsOf(
                wide.picture(QRect(place.x() + Metrics::SpaceXxl, place.y() + 4, end - left, 24)), ink);
            QVERIFY(inks > 10);
            QVERIFY2(pixelsOf(picture.copy(name), ink) >= inks, qPrintable(id));
        }
        if (const QString folder = qEnvironmentVariable("PH_PICTURES"); !folder.isEmpty())
            QVERIFY(shown.picture().save(folder + u'/' + QString::fromLatin1(QTest::currentDataTag())
                                         + u".png"_s));
        Theme::instance().force(Scheme::Light);
    }

    // All of it, to be looked at when PH_PICTURES names a folder.
    void cardsAreClear_data()
    {
        QTest::addColumn<bool>("isDark");
        QTest::newRow("cards-light") << false;
        QTest::newRow("cards-dark") << true;
    }
    void cardsAreClear()
    {
        QFETCH(bool, isDark);
        Theme::instance().force(isDark ? Scheme::Dark : Scheme::Light);
        Tests::TranscriptFixture shown;
        shown.script.addCreated();
        shown.startTurn(1);
        shown.text(u"I run the soak test first."_s);
        shown.endText();
        const QString soak = newId();
        shown.call(soak, u"python tools/soak.py tests/test_webhooks.py --runs 50 -n 4 --keep-going"_s);
        shown.run(soak);
        for (int run = 1; run <= 18; ++run) {
            shown.output(soak,
                         "\x1b[1mrun " + QByteArray::number(run)
                             + "/50\x1b[0m  ........................  \x1b[32m24 passed\x1b[0m in 2.31s\n");
            if (run == 12)
                shown.output(soak, "soak: run 12 failed, going on (--keep-going)\n", "stderr");
            if (run == 15)
                shown.output(soak,
                             "\x1b[33mPytestCacheWarning\x1b[0m: .pytest_cache is not writable "
                                 + QByteArray(120, '-') + "\n",
                             "stderr");
        }
        shown.resultWith(soak, "\"exitCode\":0,\"durationMs\":72000,\"outcome\":\"known\"");
        const QString limit = newId();
        shown.call(limit, u"npm run build -- --watch"_s);
        shown.run(limit);
        shown.output(limit, "watching for changes\n");
        shown.resultWith(limit,
                         "\"exitCode\":124,\"durationMs\":60200,\"outcome\":\"known\",\"timedOut\":true");
        const QString lost = newId();
        shown.call(lost, u"psql -f backfill_march.sql"_s);
        shown.run(lost);
        shown.resultWith(lost, "\"outcome\":\"unknown\"");
        const QString after = newId();
        shown.call(after, u"git status"_s);
        shown.run(after);
        shown.result(after, 0, 0);
        QVERIFY(shown.show({640, 620}));
        shown.view->toggle(shown.placeOfCall(soak));
        const int line = Theme::instance().lineHeight(TextStyle::Mono);
        QTRY_VERIFY_WITH_TIMEOUT(shown.view->rowRect(shown.placeOfCall(soak)).height() > 12 * line, Patience);
        QVERIFY(pixelsOf(shown.picture(), Theme::instance().color(Role::Failed)) > 20);
        if (const QString folder = qEnvironmentVariable("PH_PICTURES"); !folder.isEmpty())
            QVERIFY(shown.picture().save(folder + u'/' + QString::fromLatin1(QTest::currentDataTag())
                                         + u".png"_s));
        Theme::instance().force(Scheme::Light);
    }
};

QTEST_MAIN(TestTranscriptCards)
#include "tst_transcriptcards.moc"
