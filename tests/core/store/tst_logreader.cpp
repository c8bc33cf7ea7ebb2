// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "core/store/eventscript.h"
#include "store/database.h"
#include "store/exportjson.h"
#include "store/logreader.h"
#include "store/store.h"
#include "store/transcriptprojector.h"
#include "support/testmain.h"

#include <QBuffer>
#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <limits>
#include <map>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int Patience = 20'000;
constexpr qint64 End = std::numeric_limits<qint64>::max();

} // namespace

class TestLogReader : public Tests::Test {
    Q_OBJECT
private:
    QTemporaryDir m_temp;
    Tests::EventScript m_script;
    std::unique_ptr<Store> m_store;
    std::unique_ptr<LogReader> m_reader;

    // Not in initTestCase(), which the base class needs.
    bool prepare()
    {
        if (m_reader)
            return true;
        m_script.addCreated();
        m_script.addTurn(1);
        m_script.addTurn(2);
        auto store = Store::open(m_temp.path(), u"test"_s);
        if (!store)
            return false;
        m_store = std::move(*store);
        QSignalSpy committed(m_store.get(), &Store::committed);
        m_store->append(m_script.all(), false);
        if (!committed.wait(Patience))
            return false;
        auto reader = LogReader::open(m_temp.path());
        if (!reader)
            return false;
        m_reader = std::move(*reader);
        return true;
    }

private Q_SLOTS:
    void aMissingLogIsEmptyUntilItAppears()
    {
        const QString dir = m_temp.filePath(u"later"_s);
        const auto reader = LogReader::open(dir);
        QVERIFY(reader);
        QVERIFY(!QDir(dir).exists());
        QCOMPARE((*reader)->conversations().value().size(), 0);
        QCOMPARE((*reader)->events(newId(), 1, 10).value().size(), 0);
        QCOMPARE((*reader)->rowsBefore(newId(), End, 10).value().size(), 0);
        QCOMPARE((*reader)->search(u"x"_s, 10).value().size(), 0);
        QCOMPARE((*reader)->openTurns().value().size(), 0);
        QCOMPARE((*reader)->conversation(newId()).error().kind, ErrorKind::NotFound);
        Tests::EventScript script;
        script.addCreated();
        {
            const auto store = Store::open(dir, u"test"_s);
            QVERIFY(store);
            (*store)->append(script.all(), false);
        }
        QCOMPARE((*reader)->conversations().value().size(), 1);
    }

    void pagesEvents()
    {
        QVERIFY(prepare());
        const auto first = m_reader->events(m_script.conversation(), 1, 10);
        QVERIFY(first);
        QCOMPARE(first->size(), 10);
        const auto second = m_reader->events(m_script.conversation(), 11, 10);
        QVERIFY(second);
        QCOMPARE(second->first()->seq, 11);
        QCOMPARE(m_reader->events(m_script.conversation(), End, 10).value().size(), 0);
        QCOMPARE(m_reader->events(m_script.conversation(), 1, -1).value().size(), 0);
        QCOMPARE(m_reader->events(u"' OR 1=1 --"_s, 1, 10).value().size(), 0);
        const auto kinds = m_reader->eventsOfKinds(m_script.conversation(),
                                                   {EventKind::ToolResult, EventKind::ToolError}, 1, 100);
        QVERIFY(kinds);
        QCOMPARE(kinds->size(), 6);
    }

    void pagesRows()
    {
        QVERIFY(prepare());
        const auto all = m_reader->rowsBefore(m_script.conversation(), End, 1000);
        QVERIFY(all);
        QCOMPARE(all->size(), 26);
        const auto last = m_reader->rowsBefore(m_script.conversation(), End, 4);
        QVERIFY(last);
        QCOMPARE(last->first().row, 23);
        QCOMPARE(last->last().row, 26);
        const auto before = m_reader->rowsBefore(m_script.conversation(), 23, 4);
        QVERIFY(before);
        QCOMPARE(before->last().row, 22);
    }

    void outputIsBounded()
    {
        QVERIFY(prepare());
        const QString call = m_script.calls()[0];
        QCOMPARE(m_reader->output(m_script.conversation(), call, u"stdout"_s, 18, 8).value(),
                 QByteArray("1 failed"));
        QCOMPARE(m_reader->output(m_script.conversation(), call, u"stdout"_s, 30, 100).value(),
                 QByteArray("passed\n").right(7));
        QCOMPARE(m_reader->output(m_script.conversation(), call, u"stdout"_s, 1000, 100).value(),
                 QByteArray());
        QCOMPARE(m_reader->output(m_script.conversation(), call, u"stdout"_s, 0, End).value().size(), 37);
        QCOMPARE(m_reader->outputSize(m_script.conversation(), call, u"stderr"_s).value(), 23);
        QCOMPARE(m_reader->output(m_script.conversation(), newId(), u"stdout"_s, 0, 1).error().kind,
                 ErrorKind::NotFound);
        QVERIFY(!m_reader->output(m_script.conversation(), u"../x"_s, u"stdout"_s, 0, 1));
        QVERIFY(!m_reader->output(m_script.conversation(), call, u"stdout"_s, -1, 1));
    }

    void findsConversations()
    {
        QVERIFY(prepare());
        const auto list = m_reader->conversations();
        QVERIFY(list);
        QCOMPARE(list->size(), 1);
        QCOMPARE(list->first().title, u"Fix the tests"_s);
        QCOMPARE(m_reader->matchConversation(m_script.conversation().left(4)).value(),
                 QStringList{m_script.conversation()});
        for (const QString &bad : {u""_s, u"%"_s, u"_"_s, u"zz"_s, u"'"_s})
            QCOMPARE(m_reader->matchConversation(bad).value(), QStringList());
    }

    void searches_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("hits");
        QTest::newRow("answer") << u"fails"_s << 2;
        QTest::newRow("user message") << u"please"_s << 2;
        QTest::newRow("argument of a call") << u"rm rf"_s << 2;
        QTest::newRow("beginning of the last word") << u"one te"_s << 2;
        QTest::newRow("both must be there") << u"fails elephant"_s << 0;
        QTest::newRow("withdrawn") << u"half"_s << 0;
        QTest::newRow("output is not searched") << u"collected"_s << 0;
        QTest::newRow("reasoning is not searched") << u"think"_s << 0;
        QTest::newRow("operators are words") << u"fails OR elephant"_s << 0;
        QTest::newRow("quotes") << u"\"fails"_s << 2;
        QTest::newRow("only signs") << u"\"* ( ) -"_s << 0;
        QTest::newRow("nothing") << u"  "_s << 0;
    }
    void searches()
    {
        QVERIFY(prepare());
        QFETCH(QString, words);
        QFETCH(int, hits);
        const auto found = m_reader->search(words, 100);
        QVERIFY2(found, found ? "" : qPrintable(found.error().toText()));
        QCOMPARE(found->size(), hits);
        for (qsizetype i = 1; i < found->size(); ++i)
            QVERIFY(found->at(i - 1).row > found->at(i).row);
        if (hits > 0)
            QVERIFY(!found->first().snippet.isEmpty());
    }

    void seesWhatIsWrittenMeanwhile()
    {
        QVERIFY(prepare());
        Tests::EventScript script;
        script.addCreated();
        script.add(EventKind::TurnStart, "{\"turn\":1}");
        QSignalSpy committed(m_store.get(), &Store::committed);
        m_store->append(script.all(), false);
        QString text;
        for (int i = 1; i <= 200; ++i) {
            text += u"word "_s;
            m_store->append(
                {script.add(EventKind::TextDelta,
                            "{\"turn\":1,\"step\":1,\"attempt\":1,\"part\":0,\"text\":\"word \"}")},
                false);
            const auto rows = m_reader->rowsBefore(script.conversation(), End, 10);
            QVERIFY(rows);
            if (!rows->isEmpty())
                QVERIFY(text.startsWith(rows->first().text));
            const auto last = m_reader->lastSeq(script.conversation());
            QVERIFY(last);
            const auto events = m_reader->events(script.conversation(), 1, 1000);
            QVERIFY(events);
            QVERIFY(events->size() >= *last);
        }
        QTRY_COMPARE_WITH_TIMEOUT(committed.size(), 201, Patience);
        const auto rows = m_reader->rowsBefore(script.conversation(), End, 10);
        QVERIFY(rows);
        QCOMPARE(rows->size(), 1);
        QCOMPARE(rows->first().text, text);
        QVERIFY(!rows->first().closed);
        QCOMPARE(m_reader->openTurns().value(), QStringList{script.conversation()});
    }

    // A view reads rows, then follows events; wherever it begins, it ends up with the same rows.
    void aViewGoesOnFromWhatItRead()
    {
        QVERIFY(prepare());
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        QSignalSpy committed(m_store.get(), &Store::committed);
        QStringList expected;
        for (qsizetype cut = 1; cut <= script.all().size(); ++cut) {
            m_store->append({script.all()[cut - 1]}, false);
            QTRY_COMPARE_WITH_TIMEOUT(committed.size(), cut, Patience);
            qint64 uptoSeq = 0;
            const auto read = m_reader->rowsBefore(script.conversation(), End, 100, &uptoSeq);
            QVERIFY(read);
            QCOMPARE(uptoSeq, cut);
            std::map<qint64, TranscriptRow> rows;
            for (const TranscriptRow &row : *read)
                rows[row.row] = row;
            TranscriptProjector projector(script.conversation(), rows.empty() ? 0 : rows.rbegin()->first,
                                          *read);
            for (const EventDelivery &delivery : script.all().mid(cut)) {
                for (const qint64 number : projector.apply(*delivery.event, delivery.bytes))
                    rows[number] = *projector.row(number);
            }
            QStringList texts;
            for (const auto &[number, row] : rows)
                texts.append(
                    QString(row.text + u'|' + QString::number(row.withdrawn) + QString::number(row.closed)));
            if (cut == 1)
                expected = texts;
            QCOMPARE(texts, expected);
        }
    }

    void oneAnswerIsBounded()
    {
        QVERIFY(prepare());
        Tests::EventScript script;
        script.addCreated();
        for (int i = 0; i < 10; ++i)
            script.add(EventKind::Note, "{\"text\":\"" + QByteArray(1024 * 1024, 'x') + "\"}");
        QSignalSpy committed(m_store.get(), &Store::committed);
        m_store->append(script.all(), false);
        QTRY_COMPARE_WITH_TIMEOUT(committed.size(), 1, Patience);
        const auto events = m_reader->events(script.conversation(), 1, 1000);
        QVERIFY(events);
        QVERIFY(events->size() >= 4 && events->size() <= 6);
        const auto rest = m_reader->events(script.conversation(), events->last()->seq + 1, 1000);
        QVERIFY(rest);
        QCOMPARE(rest->first()->seq, events->last()->seq + 1);
    }

    // Whatever became of the rows, a reader says so in the place where they stood, once, and prints JSON.
    void damageIsTold_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QStringList>("told"); // "seq words"
        QTest::addColumn<int>("size"); // Of all events shown.
        QTest::newRow("sound") << u"UPDATE events SET v=v"_s << QStringList() << 38;
        const QString damaged = u" of this conversation is damaged in the log and cannot be shown."_s;
        QTest::newRow("not JSON") << u"UPDATE events SET payload='{broken' WHERE seq=2"_s
                                  << QStringList{QString(u"2 Event 2"_s + damaged)} << 38;
        QTest::newRow("not an object") << u"UPDATE events SET payload='[1]' WHERE seq=38"_s
                                       << QStringList{QString(u"38 Event 38"_s + damaged)} << 38;
        QTest::newRow("bytes") << u"UPDATE events SET payload=x'7b22ff227d' WHERE seq=1"_s
                               << QStringList{QString(u"1 Event 1"_s + damaged)} << 38;
        QTest::newRow("kind") << u"UPDATE events SET kind='x' WHERE seq=5"_s
                              << QStringList{QString(u"5 Event 5"_s + damaged)} << 38;
        QTest::newRow("one gone") << u"DELETE FROM events WHERE seq=2"_s
                                  << QStringList{u"2 Event 2 of this conversation is missing in the log."_s}
                                  << 38;
        QTest::newRow("first gone")
            << u"DELETE FROM events WHERE seq<4"_s
            << QStringList{u"1 Events 1 to 3 of this conversation are missing in the log."_s} << 36;
        QTest::newRow("some gone")
            << u"DELETE FROM events WHERE seq BETWEEN 8 AND 30"_s
            << QStringList{u"8 Events 8 to 30 of this conversation are missing in the log."_s} << 16;
        QTest::newRow("last gone")
            << u"DELETE FROM events WHERE seq>35"_s
            << QStringList{u"36 Events 36 to 38 of this conversation are missing in the log."_s} << 36;
    }
    void damageIsTold()
    {
        QFETCH(QString, sql);
        QFETCH(QStringList, told);
        QFETCH(int, size);
        const QTemporaryDir dir;
        Tests::EventScript script;
        script.addCreated();
        script.addTurn(1);
        {
            const auto store = Store::open(dir.path(), u"test"_s);
            QVERIFY(store);
            (*store)->append(script.all(), false);
        }
        {
            const auto database = Database::open(dir.filePath(u"log.db"_s), Database::Mode::ReadWrite);
            QVERIFY(database);
            QVERIFY((*database)->exec(sql));
        }
        const auto reader = LogReader::open(dir.path());
        QVERIFY(reader);
        for (const int limit : {1, 2, 3, 7, 1000}) {
            QStringList found;
            int count = 0;
            for (qint64 from = 1;;) {
                const auto page = (*reader)->events(script.conversation(), from, limit);
                QVERIFY(page);
                if (page->isEmpty())
                    break;
                QVERIFY(page->size() <= limit);
                for (const EventPtr &event : *page) {
                    QVERIFY(event->seq >= from);
                    from = event->seq + 1;
                    ++count;
                    const auto payload = parseJson(event->payload);
                    QVERIFY(payload && payload->isObject());
                    if (event->kind != EventKind::Error)
                        continue;
                    QCOMPARE((*payload)[u"kind"].toString(), u"storage"_s);
                    QVERIFY((*payload)[u"todo"].toString().contains(u"backup"_s));
                    found.append(
                        QString(QString::number(event->seq) + u' ' + (*payload)[u"message"].toString()));
                }
            }
            QCOMPARE(found, told);
            QCOMPARE(count, size);
        }
        QBuffer exported;
        QVERIFY(exported.open(QIODevice::WriteOnly));
        QVERIFY(exportJson(**reader, script.conversation(), exported));
        const auto json = parseJson(exported.data());
        QVERIFY(json);
        QCOMPARE(json->size(), size);
        const auto findings = (*reader)->check();
        QVERIFY(findings);
        QCOMPARE(findings->size(), told.size());
    }
};

QTEST_GUILESS_MAIN(TestLogReader)
#include "tst_logreader.moc"
