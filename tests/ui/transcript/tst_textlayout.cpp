// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "text/markdowninline.h"
#include "theme/theme.h"
#include "transcript/labelsegment.h"
#include "transcript/textline.h"
#include "transcript/transcriptstyle.h"

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QTest>

#include <memory>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

int widthOf(const TranscriptStyle &style, const QString &markdown)
{
    TextLine::Look look;
    look.face = &style.body;
    look.code = &style.codeInText;
    TextLine line;
    line.set(parseMarkdownInline(markdown), look);
    line.arrange(100'000);
    return line.naturalWidth();
}

} // namespace

class TestTextLayout : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        Test::initTestCase();
        Theme::install(*qApp);
    }

    /// The box around code is wider than the code: what touches it stands outside of the box.
    void codeHasRoomForItsBox_data()
    {
        QTest::addColumn<QString>("touching");
        QTest::addColumn<QString>("apart"); // The same signs, of which none touches code.
        QTest::addColumn<int>("sides");
        QTest::newRow("a sign after") << u"`code`,"_s << u",`code`"_s << 0;
        QTest::newRow("both sides") << u"(`code`)"_s << u"()`code`"_s << 1;
        QTest::newRow("another script") << u"用`code`调"_s << u"用调`code`"_s << 1;
        QTest::newRow("a mark is left with its letter") << u"`code`e\u0301"_s << u"e\u0301`code`"_s << 1;
    }
    void codeHasRoomForItsBox()
    {
        QFETCH(const QString, touching);
        QFETCH(const QString, apart);
        QFETCH(const int, sides);
        const TranscriptStyle style;
        // Both have one border each at least; a further one is wider by one side of the box.
        const int difference = widthOf(style, touching) - widthOf(style, apart);
        const int expected = sides * static_cast<int>(TextLine::CodeBoxSide);
        QVERIFY2(std::abs(difference - expected) <= 1, QByteArray::number(difference).constData());
        QVERIFY(widthOf(style, touching) > widthOf(style, u"`code`"_s) + 2);
    }

    /// Whatever direction the text around it has; and places are found again.
    void codeIsReadFromTheLeft()
    {
        const TranscriptStyle style;
        TextLine::Look look;
        look.face = &style.body;
        look.code = &style.codeInText;
        const QString hebrew = QString::fromUtf8("\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d");
        const QString markdown = hebrew + u" `code()`, "_s + hebrew + u" `[x]` "_s + hebrew + u' ' + hebrew;
        TextLine line;
        line.set(parseMarkdownInline(markdown), look);
        QVERIFY(line.isRightToLeft());
        line.arrange(2'000);
        const auto xOf = [&](qsizetype place) { // Where what stands at this place of the source is hit.
            int x = -1;
            for (int i = 0; i < 2'000 && x < 0; ++i) {
                if (line.placeAt(QPointF(i, 5)) == place)
                    x = i;
            }
            return x;
        };
        const qsizetype code = markdown.indexOf(u"code"_s);
        QVERIFY(xOf(code + 1) > 0);
        for (const auto &[left, right] : {std::pair(1, 2), std::pair(2, 3), std::pair(3, 4), std::pair(4, 5)})
            QVERIFY2(xOf(code + left) < xOf(code + right), QByteArray::number(left).constData());
        const qsizetype second = markdown.indexOf(u"[x]"_s);
        QVERIFY(xOf(second + 1) < xOf(second + 2));
        QVERIFY(xOf(second + 1) < xOf(code + 1)); // It comes later, so it stands further left.
        QCOMPARE(line.text().toSource(line.text().text.size()), markdown.size());
        for (qsizetype place = 1; place + 1 < markdown.size(); ++place) {
            if (markdown[place] != u'`' && markdown[place - 1] != u'`')
                QCOMPARE(line.text().toSource(line.text().fromSource(place)), place);
        }
    }

    void theBoxIsAroundAllOfTheCode_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("code");
        const QString hebrew = QString::fromUtf8("\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d");
        QTest::newRow("from the left") << u"word"_s << u"code()"_s;
        QTest::newRow("from the right") << hebrew << u"code()"_s;
        QTest::newRow("code from the right") << u"word"_s << hebrew;
    }
    void theBoxIsAroundAllOfTheCode()
    {
        QFETCH(const QString, word);
        QFETCH(const QString, code);
        const TranscriptStyle style;
        TextLine::Look look;
        look.face = &style.body;
        look.code = &style.codeInText;
        TextLine line;
        line.set(parseMarkdownInline(QString(word + u" `"_s + code + u"` "_s + word)), look);
        line.arrange(500);
        QImage image(500, line.height(), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        line.paint(&painter, QPointF(), image.rect(), -1, -1);
        painter.end();
        const QRgb sunken = Theme::instance().color(Role::Sunken).rgb();
        int first = -1;
        int last = -1;
        for (int x = 0; x < image.width(); ++x) {
            for (int y = 0; y < image.height(); ++y) {
                if (image.pixel(x, y) != sunken)
                    continue;
                first = first < 0 ? x : first;
                last = x;
            }
        }
        const int expected =
            style.codeInText.metrics.horizontalAdvance(code) + 2 * static_cast<int>(TextLine::CodeBoxSide);
        QVERIFY(first >= 0);
        QVERIFY2(std::abs(last - first + 1 - expected) <= 3,
                 QByteArray::number(last - first + 1).constData());
    }

    void linesOfAMessageStayLines()
    {
        const TranscriptStyle style;
        const SegmentContext context{style, nullptr, 1'000, {}, 0, false};
        const auto height = [&](const QString &words) {
            LabelSegment::Look look;
            look.words = words;
            look.wraps = true;
            return LabelSegment(look).arrange(context);
        };
        QCOMPARE(height(u"Kept."_s), style.body.line);
        QCOMPARE(height(u"Kept.\nTry again.\nOr not."_s), 3 * style.body.line);
    }
};

QTEST_MAIN(TestTextLayout)
#include "tst_textlayout.moc"
