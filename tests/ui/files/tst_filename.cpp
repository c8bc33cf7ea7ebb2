// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filename.h"
#include "files/filesort.h"
#include "support/testmain.h"

#include <QSet>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

FileEntry entry(const QByteArray &name, QChar type)
{
    FileEntry made;
    made.name = name;
    made.type = type;
    return made;
}

} // namespace

class TestFileName : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void namesAreShownInertly_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QString>("shown");
        QTest::newRow("plain") << QByteArray("a b.txt") << u"a b.txt"_s;
        QTest::newRow("line feed") << QByteArray("a\nb") << u"a\\u{a}b"_s;
        QTest::newRow("tab and escape") << QByteArray("\t\x1b[31m") << u"\\u{9}\\u{1b}[31m"_s;
        QTest::newRow("not utf-8") << QByteArray("bad\xFF") << u"bad\\x{ff}"_s;
        QTest::newRow("cut character") << QByteArray("\xE2\x80") << u"\\x{e2}\\x{80}"_s;
        QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80") << u"\\x{ed}\\x{a0}\\x{80}"_s;
        QTest::newRow("direction") << QByteArray("x\xE2\x80\xAEgpj.exe") << u"x\\u{202e}gpj.exe"_s;
        QTest::newRow("japanese") << QByteArray("図.png") << u"図.png"_s;
        QTest::newRow("dash") << QByteArray("-rf") << u"-rf"_s;
    }

    void namesAreShownInertly()
    {
        QFETCH(QByteArray, name);
        QFETCH(QString, shown);
        QCOMPARE(shownName(name), shown);
    }

    void editingGivesBackTheBytes()
    {
        const QByteArrayList names{"a.txt",       "a\nb",           "bad\xFF\\x{41}",
                                   "\\u{41}",     "x\xE2\x80\xAEy", QByteArray(255, 'n'),
                                   "back\\slash", "\xED\xA0\x80\\"};
        for (const QByteArray &name : names) {
            const auto back = nameFromEdit(nameForEdit(name), name);
            QVERIFY2(back.has_value(), name.constData());
            QCOMPARE(*back, name);
        }
        QCOMPARE(*nameFromEdit(u"a\\u{a}c"_s, "a\nb"), QByteArray("a\nc"));
        QCOMPARE(*nameFromEdit(u"a\\u{a}c"_s, "plain"), QByteArray("a\\u{a}c")); // Meant as typed.
        QVERIFY(!nameFromEdit(u"a\\u{}"_s, "a\nb"));
        QVERIFY(!nameFromEdit(u"a\\x{1ff}"_s, "a\nb"));
        QVERIFY(!nameFromEdit(u"a\\u{2f}b"_s, "a\nb")); // A slash by the back door.
        for (const QString &bad : {QString(), u"."_s, u".."_s, u"a/b"_s, QString(256, u'x')}) {
            QVERIFY(!nameFromEdit(bad, "x"));
            QVERIFY(!nameProblem(bad).isEmpty());
        }
    }

    void paths()
    {
        QCOMPARE(shownPath("/home/user/a/b", "/home/user"), u"~/a/b"_s);
        QCOMPARE(shownPath("/home/user", "/home/user"), u"~"_s);
        QCOMPARE(shownPath("/home/username", "/home/user"), u"/home/username"_s);
        QCOMPARE(shownPath("/"), u"/"_s);
        QCOMPARE(parentPath("/a"), QByteArray("/"));
        QCOMPARE(joinedPath("/", "a"), QByteArray("/a"));
        QVERIFY(isInside("/a/b", "/a"));
        QVERIFY(!isInside("/ab", "/a"));
        QVERIFY(isInside("/ab", "/"));
    }

    void foldersFirstAndEveryNameInOnePlace()
    {
        QList<FileEntry> entries;
        for (const char *name : {"b", "a", "B", "A", "b2", "\xFF", "-x"})
            entries.append(entry(name, u'f'));
        entries.append(entry("z", u'd'));
        sortFiles(entries);
        QCOMPARE(entries.first().name, QByteArray("z"));
        QByteArrayList names;
        for (const FileEntry &entry : entries)
            names.append(entry.name);
        QCOMPARE(names, QByteArrayList({"z", "-x", "A", "a", "B", "b", "b2", "\xFF"}));
    }
};

QTEST_GUILESS_MAIN(TestFileName)
#include "tst_filename.moc"
