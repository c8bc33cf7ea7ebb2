// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/linesview.h"
#include "files/previewdocument.h"
#include "files/previewloader.h"
#include "scriptedfiles.h"
#include "support/testmain.h"

#include <QBuffer>
#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

QByteArray png(int width, int height)
{
    QImage image(width, height, QImage::Format_RGB32);
    image.fill(Qt::darkCyan);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

const MachinePlace Place{u"local"_s, u"sb-1"_s};

} // namespace

class TestPreview : public Tests::Test {
    Q_OBJECT
private:
    /// What the loader made of a file.
    static Preview load(Tests::ScriptedFiles &files, const QByteArray &path)
    {
        PreviewLoader loader;
        Preview preview;
        bool done = false;
        QObject::connect(&loader, &PreviewLoader::loaded, &loader, [&](const Preview &made) {
            preview = made;
            done = true;
        });
        loader.load(&files, Place, path, -1);
        [&] { QTRY_VERIFY_WITH_TIMEOUT(done, 10000); }();
        return preview;
    }

private Q_SLOTS:
    void textHasLines()
    {
        const TextDocument text("\xEF\xBB\xBF"
                                "a\tb\r\nwide: \xE2\x80\xAEx\n\nlast",
                                "a.txt");
        QCOMPARE(text.lineCount(), 4);
        QCOMPARE(text.line(0), u"a       b"_s);
        QCOMPARE(text.line(1), u"wide: \\u{202e}x"_s);
        QCOMPARE(text.line(2), QString());
        QCOMPARE(text.line(3), u"last"_s);
        QCOMPARE(text.gutter(3), u"4"_s);
        QCOMPARE(text.text(2, 3), u"\nlast"_s);
        QCOMPARE(TextDocument("", "x").lineCount(), 0);
        QCOMPARE(TextDocument("\n", "x").lineCount(), 1);
    }

    void longLinesAreCutAndSaySo()
    {
        const TextDocument text(QByteArray(10 * 1000 * 1000, 'x'), "x");
        QCOMPARE(text.lineCount(), 1);
        const QString line = text.line(0);
        QVERIFY(line.size() < PreviewDocument::LongestLine + 100);
        QVERIFY(line.contains("9996000 more bytes"_L1));
    }

    void bytesAreShownInHex()
    {
        const HexDocument hex(QByteArray("Hello\0\xFF world, 17", 17));
        QCOMPARE(hex.lineCount(), 2);
        QCOMPARE(hex.gutter(1), u"00000010"_s);
        QCOMPARE(hex.line(0), u"48 65 6c 6c 6f 00 ff 20  77 6f 72 6c 64 2c 20 31  Hello.. world, 1"_s);
        QVERIFY(hex.line(1).startsWith("37"_L1));
        QVERIFY(hex.line(1).endsWith(" 7"_L1));
    }

    void kindsAreFoundByContent()
    {
        QVERIFY(looksLikeText("plain\n"));
        QVERIFY(looksLikeText(""));
        QVERIFY(looksLikeText(QByteArray("caf\xC3\xA9 \xE5\x9B\xB3").chopped(1))); // Cut in a character.
        QVERIFY(!looksLikeText(QByteArray("MZ\0\1", 4)));
        QVERIFY(!looksLikeText(QByteArray(200, '\x81')));
        QCOMPARE(imageFormat(png(2, 2)), QByteArray("PNG"));
        QVERIFY(imageFormat("<svg/>").isEmpty()); // Text, not a picture that could fetch.

        Tests::ScriptedFiles files;
        files.add("/home/user/notes.txt", QByteArray("MZ\0\1binary", 10));
        files.add("/home/user/program", "#!/bin/sh\necho hi\n");
        files.add("/home/user/picture.dat", png(40, 20));
        const Preview binary = load(files, "/home/user/notes.txt");
        QVERIFY(binary.isHex);
        QCOMPARE(binary.kind, u"binary"_s);
        const Preview script = load(files, "/home/user/program");
        QVERIFY(!script.isHex);
        QCOMPARE(script.kind, u"2 lines"_s);
        files.add("/home/user/line", "only\n");
        QCOMPARE(load(files, "/home/user/line").kind, u"1 line"_s);
        QVERIFY(script.note.isEmpty());
        const Preview picture = load(files, "/home/user/picture.dat");
        QCOMPARE(picture.kind, u"PNG, 40 × 20"_s);
        QCOMPARE(picture.image.size(), QSize(40, 20));
    }

    void bigFilesAreNotLoaded()
    {
        Tests::ScriptedFiles files;
        files.add("/home/user/five", QByteArray(70000, 'x'));
        files.things["/home/user/five"].size = Q_INT64_C(5'000'000'000);
        const Preview text = load(files, "/home/user/five");
        QVERIFY(!text.note.isEmpty());
        QVERIFY2(text.note.contains("5 GB"_L1), qPrintable(text.note));
        QVERIFY(files.largestRead <= PreviewLoader::MostTextBytes);

        files.largestRead = 0;
        files.add("/home/user/image", png(4, 4) + QByteArray(70000, '\0'));
        files.things["/home/user/image"].size = PreviewLoader::MostImageBytes + 1;
        const Preview image = load(files, "/home/user/image");
        QVERIFY(image.isHex);
        QVERIFY(!image.note.isEmpty());
        QCOMPARE(files.largestRead, PreviewLoader::HeadBytes);
    }

    void hostileImagesDoNotEatTheMemory()
    {
        // A header that promises 100,000 by 100,000 pixels.
        QByteArray bytes = png(4, 4);
        const char huge[] = "\x00\x01\x86\xA0\x00\x01\x86\xA0";
        bytes.replace(16, 8, QByteArray(huge, 8));
        Preview preview = decodeImage({}, bytes, "PNG", 1000);
        QVERIFY(preview.image.isNull());
        QVERIFY(preview.isHex);
        QVERIFY(!preview.note.isEmpty());
        preview = decodeImage({}, png(4, 4).first(40), "PNG", 1000);
        QVERIFY(preview.image.isNull());
        QVERIFY(preview.document);
        preview = decodeImage({}, png(3000, 10), "PNG", 1000);
        QCOMPARE(preview.imageSize, QSize(3000, 10));
        QCOMPARE(preview.image.width(), 1000);
    }

    void aLaterFileWins()
    {
        Tests::ScriptedFiles files;
        files.add("/home/user/a", "a");
        files.add("/home/user/b", "b");
        PreviewLoader loader;
        QList<QByteArray> seen;
        connect(&loader, &PreviewLoader::loaded, this, [&](const Preview &made) { seen.append(made.path); });
        loader.load(&files, Place, "/home/user/a", 1);
        loader.load(&files, Place, "/home/user/b", 1);
        QTRY_COMPARE_WITH_TIMEOUT(seen.size(), 1, 5000);
        QCOMPARE(seen.first(), QByteArray("/home/user/b"));
        QSignalSpy failed(&loader, &PreviewLoader::failed);
        loader.load(&files, Place, "/home/user/never", 1);
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 5000);
        QCOMPARE(failed.first().at(1).value<FileFault>().kind, FileFault::Kind::Missing);
    }

    void theViewSelectsAndCopies()
    {
        LinesView view;
        view.resize(400, 200);
        view.setDocument(std::make_shared<TextDocument>("first line\nsecond\x1b[31m\nthird", "x"), u"Text"_s);
        view.show();
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_A, Qt::ControlModifier);
        QVERIFY(view.hasSelection());
        QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), u"first line\nsecond\\u{1b}[31m\nthird"_s);
        // By the mouse: from the begin of the first line to the end of the second.
        QWidget *area = view.viewport();
        const int lineHeight = 16;
        QTest::mousePress(area, Qt::LeftButton, {}, QPoint(42, lineHeight / 2));
        QTest::mouseMove(area, QPoint(390, lineHeight + lineHeight / 2));
        QMouseEvent move(QEvent::MouseMove, QPointF(390, lineHeight * 1.5),
                         area->mapToGlobal(QPointF(390, 24)), Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(area, &move);
        QTest::mouseRelease(area, Qt::LeftButton, {}, QPoint(390, lineHeight * 3 / 2));
        QCOMPARE(view.selectedText(), u"first line\nsecond\\u{1b}[31m"_s);
        QTest::mouseDClick(area, Qt::LeftButton, {}, QPoint(60, lineHeight / 2));
        QCOMPARE(view.selectedText(), u"first"_s);
    }

    void megabytesPaintFast()
    {
        QByteArray bytes;
        while (bytes.size() < 4 * 1024 * 1024)
            bytes += "    const auto value = compute(\"text\", 42); // a line like many others\n";
        QElapsedTimer timer;
        timer.start();
        auto document = std::make_shared<TextDocument>(bytes, "x.cpp");
        const qint64 making = timer.restart();
        LinesView view;
        view.resize(800, 1000);
        view.setDocument(document, u"Text"_s);
        view.show();
        view.grab();
        const qint64 first = timer.restart();
        qint64 longest = 0;
        for (int i = 0; i < 50; ++i) {
            timer.restart();
            view.verticalScrollBar()->setValue(i * 1000);
            view.grab();
            longest = std::max(longest, timer.elapsed());
        }
        qInfo("4 MB of text: made in %lld ms, first frame %lld ms, longest frame %lld ms", making, first,
              longest);
        QVERIFY(longest < 500); // Quiet machine: under 20.
        timer.restart();
        QTest::keyClick(&view, Qt::Key_End);
        QVERIFY(timer.elapsed() < 500);
        QVERIFY(view.firstVisibleLine() > 50000);
    }
};

QTEST_MAIN(TestPreview)
#include "tst_preview.moc"
