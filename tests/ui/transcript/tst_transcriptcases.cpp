// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// A table one character at a time; pictures in an answer; reading back while three sources write.

#include "support/testmain.h"
#include "transcript/prosesegment.h"
#include "transcriptfixture.h"

#include <QAccessible>
#include <QBuffer>
#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QImage>
#include <QPushButton>
#include <QTcpServer>
#include <QTcpSocket>
#include <QThread>
#include <QTimer>

#include <algorithm>

using namespace Pilothouse;
using namespace Qt::StringLiterals;
using Tests::TranscriptFixture;

namespace {

QString tableText()
{
    QString text = u"| id | name | what | when | who | note |\n|---|:--|--:|:-:|---|---|\n"_s;
    for (int row = 1; row <= 60; ++row)
        text += u"| %1 | a\\|b | %2 | `x` | **y** | %3 |\n"_s.arg(row).arg(row * 7).arg(
            row == 30 ? QString(300, u'w') : u"fine"_s);
    return text;
}

double percentile95(QList<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() * 95 / 100];
}

// A picture that no one compresses, so that its text is long.
QByteArray noisePng(int side)
{
    QImage image(side, side, QImage::Format_RGB32);
    quint32 state = 1;
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            state = state * 1'664'525 + 1'013'904'223;
            image.setPixel(x, y, state | 0xFF000000U);
        }
    }
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

QPoint middle(const QWidget *widget) { return widget->rect().center(); }

} // namespace

class TestTranscriptCases : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void aTableOneCharacterAtATime()
    {
        TranscriptFixture shown;
        QVERIFY(shown.show({700, 600}));
        shown.startTurn(1);
        shown.live();
        const QString text = tableText();
        QList<double> early;
        QList<double> late;
        qsizetype row = 0;
        for (const QChar c : text) {
            shown.text(QString(c));
            QElapsedTimer timer;
            timer.start();
            shown.live();
            shown.view->viewport()->repaint();
            const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
            if (row >= 4 && row < 9)
                early.append(ms);
            if (row >= 57)
                late.append(ms);
            row += c == u'\n' ? 1 : 0;
        }
        qInfo("p95 at row 5 %.2f ms, at row 60 %.2f ms", percentile95(early), percentile95(late));
        QVERIFY(shown.view->isFollowing());
        // Not the target itself, which is measured in a release build; but the same at both ends, about.
        QVERIFY(percentile95(late) < 4 * percentile95(early) + 4);
        shown.endText();
        shown.live();
        QCoreApplication::processEvents(); // The scroll bar takes its place.
        const QImage live = shown.picture();

        TranscriptFixture whole;
        whole.startTurn(1);
        whole.text(text);
        whole.endText();
        QVERIFY(whole.show({700, 600}));
        QTRY_VERIFY_WITH_TIMEOUT(whole.model->rowCount() == shown.model->rowCount(),
                                 TranscriptFixture::Patience);
        whole.view->goToEnd();
        QCoreApplication::processEvents();
        QCOMPARE(whole.picture(), live); // As if it had been read at once.
    }

    void picturesAreNotFetched()
    {
        // A server that would see any connection.
        QTcpServer server;
        QVERIFY(server.listen(QHostAddress::LocalHost));
        int connections = 0;
        connect(&server, &QTcpServer::newConnection, this, [&] { ++connections; });
        const QString remote = u"http://127.0.0.1:%1/x.png?d=secret"_s.arg(server.serverPort());
        const QByteArray png = noisePng(400);
        TranscriptFixture shown;
        shown.startTurn(1);
        shown.text(u"![chart]("_s + remote
                   + u")\n\n![plot](/home/user/plot.png)\n\n![local](file:///etc/passwd)\n\n"_s);
        shown.text(u"Before ![inline](data:image/png;base64,"_s + QString::fromLatin1(png.toBase64())
                   + u") after\n"_s);
        shown.endText();
        QVERIFY(shown.show({700, 900}));
        TranscriptImages *images = shown.view->images();
        int remoteAsked = 0;
        QString sandboxPath;
        TranscriptImages::Sources sources;
        sources.remote = [&](const QUrl &url, qint64 most, QObject *, const TranscriptImages::Reply &reply) {
            ++remoteAsked;
            QCOMPARE(url.host(), u"127.0.0.1"_s);
            QVERIFY(most <= TranscriptImages::MostBytes);
            reply(noisePng(60));
        };
        sources.sandbox = [&](const QString &path, qint64, QObject *, const TranscriptImages::Reply &reply) {
            sandboxPath = path;
            reply(noisePng(50));
        };
        images->setSources(sources);
        // The picture in the text is decoded in another thread and shown.
        QString dataKey;
        connect(images, &TranscriptImages::changed, this, [&](const QString &key) {
            if (key.startsWith(u"data "_s) && images->picture(key).state == TranscriptImages::State::Shown)
                dataKey = key;
        });
        shown.view->goToEnd();
        shown.view->viewport()->repaint();
        QTRY_VERIFY_WITH_TIMEOUT(!dataKey.isEmpty() || shown.picture().isNull(), TranscriptFixture::Patience);
        QVERIFY(!images->picture(dataKey).pixmap.isNull());
        QCOMPARE(connections, 0);
        QCOMPARE(remoteAsked, 0);
        QVERIFY(sandboxPath.isEmpty());

        // A click on the offer loads once; a click on the sandbox's too; the local file has no offer.
        const int place = shown.model->rowCount() - 1;
        const QRect row = shown.view->rowRect(place);
        for (int y = std::max(0, row.top()); y < std::min(row.bottom(), shown.view->viewport()->height());
             y += 12)
            QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {}, QPoint(row.left() + 30, y));
        QCOMPARE(remoteAsked, 1);
        QCOMPARE(sandboxPath, u"/home/user/plot.png"_s);
        QTRY_VERIFY_WITH_TIMEOUT(images->picture(remote).state == TranscriptImages::State::Shown,
                                 TranscriptFixture::Patience);
        QVERIFY(!images->canLoad(u"file:///etc/passwd"_s));
        QVERIFY(!images->canLoad(u"//server/share/x.png"_s));
        QVERIFY(images->picture(u"file:///etc/passwd"_s).state == TranscriptImages::State::Offered);
        QCOMPARE(connections, 0);
    }

    // What is offered is asked for once and only through what was given for it; bounds hold.
    void picturesAreAskedForWithBounds()
    {
        const QString dead = u"http://127.0.0.1:9/x.png?d=secret"_s;
        TranscriptFixture shown;
        shown.startTurn(1);
        shown.text(u"![chart]("_s + dead + u")\n\n![plot](/home/user/plot.png)\n"_s);
        shown.endText();
        QVERIFY(shown.show({700, 500}));
        TranscriptImages *images = shown.view->images();
        QStringList asked;
        TranscriptImages::Sources sources;
        sources.remote = [&](const QUrl &url, qint64 most, QObject *, const TranscriptImages::Reply &reply) {
            asked += url.toString();
            QCOMPARE(most, TranscriptImages::MostBytes);
            reply(fail(Error{ErrorKind::Sandbox, u"The connection was refused."_s, {}, {}}));
        };
        sources.sandbox = [&](const QString &path, qint64 most, QObject *,
                              const TranscriptImages::Reply &reply) {
            asked += path;
            QCOMPARE(most, TranscriptImages::MostBytes);
            reply(QByteArray(most + 1, 'x')); // A service that does not keep to it.
        };
        images->setSources(sources);
        shown.view->goToEnd();
        shown.view->viewport()->repaint();
        QVERIFY(asked.isEmpty());
        images->load(u"/home/user/plot.png"_s, u"/home/user/plot.png"_s);
        QVERIFY(images->picture(u"/home/user/plot.png"_s).state == TranscriptImages::State::Failed);
        QVERIFY(images->picture(u"/home/user/plot.png"_s).problem.contains(u"larger"_s));
        images->load(dead, dead);
        QCOMPARE(asked, (QStringList{u"/home/user/plot.png"_s, dead}));
        QVERIFY(images->picture(dead).state == TranscriptImages::State::Failed);
        QVERIFY(images->picture(dead).problem.contains(u"refused"_s));
        images->load(u"x"_s, u"file:///etc/passwd"_s);
        QCOMPARE(asked.size(), 2);
    }

    // Who did not give it is said once, and words that do not fit end in an ellipsis.
    void whatIsSaidOfAPictureThatFailed()
    {
        QCOMPARE(failedPictureWords(u"host"_s, u"host:9 refused the connection."_s),
                 u"host:9 refused the connection."_s);
        QCOMPARE(failedPictureWords(u"host"_s, u"It is larger."_s), u"host  It is larger."_s);
        const QString address = u"http://127.0.0.1:9/x.png"_s;
        TranscriptFixture shown;
        shown.startTurn(1);
        shown.text(u"![chart]("_s + address + u")\n"_s);
        shown.endText();
        QVERIFY(shown.show({420, 300}));
        QString problem;
        TranscriptImages::Sources sources;
        sources.remote = [&](const QUrl &, qint64, QObject *, const TranscriptImages::Reply &reply) {
            reply(fail(Error{ErrorKind::Sandbox, problem, {}, {}}));
        };
        shown.view->images()->setSources(sources);
        const auto looks = [&](const QString &words) {
            problem = words;
            shown.view->images()->load(address, address);
            return shown.picture();
        };
        const QString whole = u"127.0.0.1:9 refused the connection. Nothing was sent. Try again later."_s;
        const QImage cut = looks(whole);
        bool isElided = false;
        for (qsizetype length = 1; length < whole.size() && !isElided; ++length)
            isElided = looks(QString(whole.left(length) + u'…')) == cut;
        QVERIFY(isElided);
    }

    // A picture of megabytes in a text: at once or in pieces, read back or shown before the log has it.
    void aPictureOfMegabytes_data()
    {
        QTest::addColumn<int>("side");
        QTest::addColumn<int>("piece");
        QTest::addColumn<bool>("live");
        QTest::newRow("8 MB, live, in pieces") << 1690 << 65'536 << true;
        QTest::newRow("8 MB, read, in pieces") << 1690 << 65'536 << false;
        QTest::newRow("8 MB, read, at once") << 1690 << 100'000'000 << false;
        QTest::newRow("4 MB, live, at once") << 1180 << 100'000'000 << true;
    }
    void aPictureOfMegabytes()
    {
        QFETCH(int, side);
        QFETCH(int, piece);
        QFETCH(bool, live);
        const QByteArray png = noisePng(side);
        qInfo("%.1f MB", static_cast<double>(png.size()) / 1e6);
        QVERIFY(png.size() > qsizetype(side) * side * 28 / 10);
        const QString text =
            u"Look: ![x](data:image/png;base64,"_s + QString::fromLatin1(png.toBase64()) + u") there.\n"_s;
        TranscriptFixture shown;
        if (live)
            QVERIFY(shown.show({700, 500}));
        shown.startTurn(1);
        for (qsizetype at = 0; at < text.size(); at += piece)
            shown.text(text.mid(at, piece));
        shown.endText();
        if (!live)
            QVERIFY(shown.show({700, 500}));
        const TranscriptImages *images = shown.view->images();
        QString key;
        connect(images, &TranscriptImages::changed, this, [&](const QString &changed) { key = changed; });
        // Nothing holds up the thread that paints.
        qint64 longest = 0;
        QElapsedTimer since;
        QTimer beat;
        connect(&beat, &QTimer::timeout, this, [&] {
            longest = std::max(longest, since.elapsed());
            since.start();
        });
        beat.start(1);
        since.start();
        if (live)
            QVERIFY(shown.liveBeforeStored());
        shown.view->goToEnd();
        QTRY_VERIFY_WITH_TIMEOUT(images->picture(key).state == TranscriptImages::State::Shown
                                     || images->picture(key).state == TranscriptImages::State::Failed,
                                 TranscriptFixture::Patience);
        beat.stop();
        qInfo("longest %lld ms", longest);
        QCOMPARE(images->picture(key).problem, QString());
        const QPixmap pixmap = images->picture(key).pixmap;
        QVERIFY(!pixmap.isNull());
        QVERIFY(pixmap.width() <= 1520 && pixmap.height() <= 1280); // Scaled.
        QVERIFY(images->decodedIn() && images->decodedIn() != QThread::currentThreadId());
        // Its text is neither kept nor laid out nor read aloud, and what follows it is there.
        const int place = 1;
        const TranscriptRow &row = shown.model->rowAt(place);
        QVERIFY(row.kind == TranscriptRow::Kind::Text);
        QVERIFY(row.text.size() < 70'000);
        QVERIFY(row.text.endsWith(u") there.\n"_s));
        QVERIFY(shown.bar()->maximum() < 500);
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(shown.view.get());
        QAccessibleInterface *item = list->child(place);
        QVERIFY(item->text(QAccessible::Name).size() < 200);
        QVERIFY(item->text(QAccessible::Name).contains(u"there"_s));
        QAccessibleTextInterface *words = item->textInterface();
        QVERIFY(words && words->characterCount() < 200);
        shown.view->setCurrentPlace(place);
        shown.view->copy();
        QVERIFY(QGuiApplication::clipboard()->text().size() < 200);
        // Not the target itself, which is measured in a release build.
        if (piece < 100'000)
            QVERIFY(longest < 150);
    }

    // The log may never have it.
    void aPictureThatTheLogDoesNotHave()
    {
        TranscriptFixture shown;
        QVERIFY(shown.show({700, 500}));
        shown.startTurn(1);
        shown.text(u"Look: ![x](data:image/png;base64,"_s + QString(200'000, u'A') + u") there.\n"_s);
        shown.endText();
        QString key;
        connect(shown.view->images(), &TranscriptImages::changed, this,
                [&](const QString &changed) { key = changed; });
        shown.live(); // And is never stored.
        QTRY_VERIFY_WITH_TIMEOUT(shown.view->images()->picture(key).state == TranscriptImages::State::Failed,
                                 TranscriptFixture::Patience);
        QVERIFY(shown.view->images()->picture(key).problem.contains(u"log"_s));
    }

    // Nobody thinks while the answer is written.
    void thinkingEndsWhenTheAnswerBegins()
    {
        TranscriptFixture shown;
        QVERIFY(shown.show());
        shown.startTurn(1);
        shown.text(u"Hm. "_s, EventKind::ReasoningDelta);
        QVERIFY(shown.liveAndStored());
        const int place = shown.model->rowCount() - 1;
        const auto spoken = [&] { return shown.model->index(place).data(Qt::AccessibleTextRole).toString(); };
        QVERIFY(spoken().startsWith(u"Thinking"_s));
        const QRect head(shown.view->rowRect(place).topLeft(), QSize(300, 20));
        const QImage before = shown.picture(head);
        shown.nextPart();
        shown.text(u"So it is."_s);
        QVERIFY(shown.liveAndStored());
        QVERIFY(spoken().startsWith(u"Thought"_s));
        QVERIFY(!shown.model->rowAt(place).closed);
        QVERIFY(shown.picture(head) != before);
        // Also for who opens the conversation only now.
        TranscriptModel other(shown.history.get());
        other.open(shown.script.conversation());
        QTRY_VERIFY_WITH_TIMEOUT(other.rowCount() == shown.model->rowCount(), TranscriptFixture::Patience);
        QVERIFY(other.index(place).data(Qt::AccessibleTextRole).toString().startsWith(u"Thought"_s));
    }

    void badPicturesSayWhy()
    {
        TranscriptImages images;
        QSignalSpy changed(&images, &TranscriptImages::changed);
        images.decode(
            u"a"_s,
            u"data:image/svg+xml;base64,"_s
                + QString::fromLatin1(QByteArray("<svg xmlns='http://www.w3.org/2000/svg'/>").toBase64()));
        images.decode(u"b"_s, u"data:image/png,notbase64"_s);
        images.decode(u"c"_s, u"data:image/png;base64,"_s + QString(100, u'A'));
        QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 6, TranscriptFixture::Patience);
        for (const QString &key : {u"a"_s, u"b"_s, u"c"_s}) {
            QVERIFY(images.picture(key).state == TranscriptImages::State::Failed);
            QVERIFY(!images.picture(key).problem.isEmpty());
        }
    }

    // The text of a picture is never laid out, also while it is still being written.
    void theTextOfAPictureIsNotLaidOut()
    {
        TranscriptFixture shown;
        QVERIFY(shown.show());
        shown.startTurn(1);
        shown.text(u"Look: ![x](data:image/png;base64,"_s);
        shown.live();
        qint64 longest = 0;
        for (int i = 0; i < 40; ++i) {
            shown.text(QString(20'000, u'A'));
            QElapsedTimer timer;
            timer.start();
            shown.live();
            shown.view->viewport()->repaint();
            longest = std::max(longest, timer.elapsed());
        }
        qInfo("longest %lld ms", longest);
        QVERIFY(longest < 200);
        QVERIFY(shown.bar()->maximum() <= shown.view->viewport()->height());
    }

    void readingBackWhileItWrites()
    {
        TranscriptFixture shown;
        for (int turn = 1; turn <= 8; ++turn)
            shown.script.addTurn(turn);
        QVERIFY(shown.show({600, 400}));
        // Three sources: an answer, a running call above, another step's output.
        shown.startTurn(9);
        shown.text(u"I run it.\n"_s);
        shown.endText();
        const QString first = newId();
        const QString second = newId();
        shown.call(first, u"make all"_s);
        shown.call(second, u"make test"_s);
        shown.run(first);
        shown.run(second);
        QVERIFY(shown.liveAndStored());
        shown.startStep();
        for (int i = 0; i < 24; ++i)
            shown.text(u"Paragraph %1 of an answer that is long enough to be read back.\n\n"_s.arg(i));
        shown.live();
        QVERIFY(shown.view->isFollowing());

        // The reader scrolls up with the wheel: following stops at the first notch.
        QWidget *viewport = shown.view->viewport();
        const QPointF at = middle(viewport);
        QWheelEvent wheel(at, viewport->mapToGlobal(at), {}, QPoint(0, 120), Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(viewport, &wheel);
        QVERIFY(!shown.view->isFollowing());
        const QPushButton *latest = shown.view->findChild<QPushButton *>();
        QVERIFY(latest && latest->isVisible());

        const QRect read(60, 0, 460, 320); // Beside the Latest button, above the last line.
        // Selects some words by dragging.
        QTest::mousePress(viewport, Qt::LeftButton, {}, QPoint(100, 60));
        QTest::mouseMove(viewport, QPoint(180, 150));
        QTest::mouseMove(viewport, QPoint(220, 220));
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, QPoint(220, 220));
        const QString selected = shown.view->selectedText();
        QVERIFY(!selected.isEmpty());
        QTest::mouseMove(viewport, QPoint(5, 395));
        const QImage before = shown.picture(read);
        for (int i = 0; i < 30; ++i) {
            shown.text(u"more words "_s);
            shown.script.addOutput(9, 1, first, "line " + QByteArray::number(i) + "\n");
            shown.script.addOutput(9, 1, second, "test " + QByteArray::number(i) + "\n");
            shown.live();
            QCOMPARE(shown.picture(read), before);
        }
        QVERIFY(!shown.view->isFollowing());
        QCOMPARE(shown.view->selectedText(), selected);

        // A call above the viewport ends, fails with words of its own: its row changes its height.
        const int call = shown.placeOfCall(first);
        QVERIFY(shown.view->rowRect(call).bottom() < 0 || shown.view->rowRect(call).top() > 320);
        const int heightBefore = shown.view->rowRect(call).height();
        shown.result(first, 1, 200);
        shown.live();
        QVERIFY(shown.view->rowRect(call).height() != heightBefore);
        QCOMPARE(shown.picture(read), before);

        // A new request is known to be out of view and moves nothing.
        QSignalSpy outside(shown.view.get(), &TranscriptView::callsOutsideChanged);
        const QString asked = newId();
        shown.endText();
        shown.call(asked, u"rm -rf build"_s);
        shown.ask(asked);
        shown.live();
        QCOMPARE(outside.size(), 1);
        QCOMPARE(shown.view->callsOutside(), QStringList{asked});
        QCOMPARE(shown.picture(read), before);

        // Resized, the line at the top stays the one that is read; back again it is the same picture.
        shown.view->resize(520, 400);
        shown.view->resize(600, 400);
        QCOMPARE(shown.picture(read), before);

        QTest::keyClick(shown.view.get(), Qt::Key_End, Qt::ControlModifier);
        QVERIFY(shown.view->isFollowing());
        QVERIFY(!latest->isVisible());
        QVERIFY(shown.view->callsOutside().isEmpty());
        QCOMPARE(shown.bar()->value(), shown.bar()->maximum());
        shown.text(u"after all"_s);
        shown.live();
        QCOMPARE(shown.bar()->value(), shown.bar()->maximum());
    }

    // Opening and closing a block that stands above what is read.
    void unfoldingAboveMovesNothingBelow()
    {
        TranscriptFixture shown;
        for (int turn = 1; turn <= 6; ++turn)
            shown.script.addTurn(turn);
        QVERIFY(shown.show());
        shown.bar()->setValue(shown.bar()->maximum() / 2);
        QVERIFY(!shown.view->isFollowing());
        int call = -1;
        for (int i = 0; i < shown.model->rowCount(); ++i) {
            if (shown.model->rowAt(i).kind == TranscriptRow::Kind::Call
                && shown.view->rowRect(i).bottom() < 0)
                call = i;
        }
        QVERIFY(call >= 0);
        const QImage before = shown.picture();
        // From a screen reader, say.
        const int height = shown.view->rowRect(call).height();
        shown.view->toggle(call);
        QTRY_VERIFY_WITH_TIMEOUT(shown.view->rowRect(call).height() > height, TranscriptFixture::Patience);
        QCOMPARE(shown.picture(), before);
        const int unfolded = shown.view->rowRect(call).height();
        shown.view->toggle(call);
        QVERIFY(shown.view->rowRect(call).height() < unfolded);
        QCOMPARE(shown.picture(), before);
    }
};

QTEST_MAIN(TestTranscriptCases)
#include "tst_transcriptcases.moc"
