// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filesort.h"
#include "files/filetreemodel.h"
#include "files/filetreeview.h"
#include "support/testmain.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

FileEntry entry(const QByteArray &name, char type = 'f', qint64 size = 1)
{
    FileEntry made;
    made.name = name;
    made.type = QLatin1Char(type);
    made.size = size;
    return made;
}

QList<FileEntry> sorted(QList<FileEntry> entries)
{
    sortFiles(entries);
    return entries;
}

FileListEnd complete(qint64 count = 0)
{
    FileListEnd end;
    end.complete = true;
    end.count = count;
    return end;
}

QStringList names(const FileTreeModel &model, const QModelIndex &parent = {})
{
    QStringList list;
    for (int i = 0; i < model.rowCount(parent); ++i)
        list.append(model.index(i, 0, parent).data().toString());
    return list;
}

} // namespace

class TestFileTreeModel : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void listsLazily()
    {
        FileTreeModel model; // Without a tester, which would fetch by itself.
        model.setRoot("/home/user");
        QSignalSpy wanted(&model, &FileTreeModel::listWanted);
        QVERIFY(model.hasChildren());
        QVERIFY(model.canFetchMore({}));
        model.fetchMore({});
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.first().first().toByteArray(), QByteArray("/home/user"));
        QVERIFY(!model.canFetchMore({}));
        model.setListing("/home/user", sorted({entry("b"), entry("src", 'd'), entry("a\nx")}), complete(3));
        QCOMPARE(names(model), QStringList({u"src"_s, u"a\\u{a}x"_s, u"b"_s}));
        const QModelIndex src = model.indexOf("/home/user/src");
        QVERIFY(src.isValid());
        QVERIFY(model.canFetchMore(src));
        QVERIFY(!model.hasChildren(model.indexOf("/home/user/b")));
        model.fetchMore(src);
        QCOMPARE(wanted.last().first().toByteArray(), QByteArray("/home/user/src"));
        model.setListing("/home/user/src", {entry("m.py")}, complete(1));
        const QModelIndex file = model.indexOf("/home/user/src/m.py");
        QCOMPARE(model.path(file), QByteArray("/home/user/src/m.py"));
        QCOMPARE(file.parent(), src);
        QVERIFY(model.isListed("/home/user/src"));
        QVERIFY(!model.indexOf("/home/user/src/none").isValid());
        QVERIFY(!model.indexOf("/etc").isValid());
    }

    void aNewListingKeepsWhatStays()
    {
        FileTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRoot("/r");
        model.setListing("/r", sorted({entry("d", 'd'), entry("a"), entry("c"), entry("e")}), complete());
        model.setListing("/r/d", {entry("in")}, complete());
        const QPersistentModelIndex c = model.indexOf("/r/c");
        const QPersistentModelIndex in = model.indexOf("/r/d/in");
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setListing(
            "/r", sorted({entry("d", 'd'), entry("b"), entry("c", 'f', 99), entry("f"), entry("e", 'd')}),
            complete());
        QCOMPARE(names(model), QStringList({u"d"_s, u"e"_s, u"b"_s, u"c"_s, u"f"_s}));
        QVERIFY(c.isValid());
        QVERIFY(in.isValid());
        QCOMPARE(model.path(c), QByteArray("/r/c"));
        QCOMPARE(changed.size(), 1);
        QVERIFY(reset.isEmpty());
    }

    void largeFoldersComeInPages()
    {
        constexpr int Count = 200000;
        QList<FileEntry> entries;
        entries.reserve(Count);
        for (int i = 0; i < Count; ++i)
            entries.append(entry("entry-" + QByteArray::number(i)));
        FileTreeModel model;
        model.setRoot("/r");
        FileTreeView view;
        view.setFileModel(&model);
        view.resize(300, 600);
        view.show();
        QElapsedTimer timer;
        timer.start();
        model.addFirst("/r", entries.mid(0, 500));
        view.grab();
        const qint64 first = timer.restart();
        QCOMPARE(model.rowCount(), 501); // And "Listing…".
        sortFiles(entries); // Elsewhere, in the program.
        const qint64 sorting = timer.restart();
        model.setListing("/r", entries, complete(Count));
        view.grab();
        const qint64 all = timer.restart();
        QCOMPARE(model.rowCount(), FileTreeModel::PageSize + 1);
        QCOMPARE(model.entryCount({}), Count);
        const QModelIndex more = model.index(FileTreeModel::PageSize, 0);
        QCOMPARE(model.row(more)->kind, FileRow::Kind::More);
        QVERIFY(more.data().toString().contains("199,000"_L1)
                || more.data().toString().contains("199000"_L1));
        // Scrolling to the end brings the next page.
        timer.restart();
        view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum());
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2 * FileTreeModel::PageSize + 1, 5000);
        view.grab();
        const qint64 page = timer.elapsed();
        qInfo("200,000 entries: first rows %lld ms, sorting %lld ms, all %lld ms, a page %lld ms", first,
              sorting, all, page);
        QVERIFY(first < 300 && all < 500 && page < 500); // Quiet machine: some milliseconds each.
        QCOMPARE(model.taken("/r", {"entry-199999", "nope"}), QByteArrayList{"entry-199999"});
        model.forget({});
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(model.canFetchMore({}));
    }

    void aSurveyFillsTheTree()
    {
        FileTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRoot("/r");
        FileSurvey survey;
        survey.complete = true;
        survey.entries = {entry("b/x"), entry("b", 'd'), entry("a"), entry(".git", 'd'), entry("empty", 'd')};
        model.takeSurvey(survey);
        QCOMPARE(names(model), QStringList({u".git"_s, u"b"_s, u"empty"_s, u"a"_s}));
        QVERIFY(model.isListed("/r/b"));
        QVERIFY(!model.hasChildren(model.indexOf("/r/empty")));
        QVERIFY(!model.isListed("/r/.git")); // Not entered: listed when it is opened.
    }

    void goneFilesStayStruck()
    {
        FileChanges changes;
        Event begin;
        begin.kind = EventKind::TurnStart;
        begin.atMs = 1000000;
        begin.payload = "{\"turn\":1}";
        changes.take(begin);
        FileTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRoot("/r");
        model.setChanges(&changes);
        FileListEnd end = complete();
        end.machineClock = 900;
        changes.takeListing("/r", {entry("a"), entry("b")}, end, 900);
        model.setListing("/r", {entry("a"), entry("b")}, end);
        end.machineClock = 1100;
        changes.takeListing("/r", {entry("b")}, end, 1100);
        model.setListing("/r", {entry("b")}, end);
        QCOMPARE(names(model), QStringList({u"a"_s, u"b"_s}));
        const QModelIndex a = model.indexOf("/r/a");
        QVERIFY(model.row(a)->gone);
        QCOMPARE(model.mark(a).letter, FileChanges::Letter::Deleted);
        QVERIFY(a.data(Qt::AccessibleTextRole).toString().contains("deleted"_L1));
        QVERIFY(!a.flags().testFlag(Qt::ItemIsEditable));
        QVERIFY(model.taken("/r", {"a"}).isEmpty());
        // A later turn does not know of it.
        begin.atMs = 2000000;
        begin.payload = "{\"turn\":2}";
        changes.take(begin);
        model.setScope(FileChanges::Scope::Turn);
        QCOMPARE(names(model), QStringList({u"b"_s}));
        model.setScope(FileChanges::Scope::Conversation);
        QCOMPARE(names(model), QStringList({u"a"_s, u"b"_s}));
    }

    void renamingAsksAndChangesNothingItself()
    {
        FileTreeModel model;
        model.setRoot("/r");
        model.setListing("/r", {entry("bad\xFF")}, complete());
        QSignalSpy wanted(&model, &FileTreeModel::renameWanted);
        QSignalSpy refused(&model, &FileTreeModel::renameRefused);
        const QModelIndex index = model.index(0, 0);
        model.setData(index, index.data(Qt::EditRole), Qt::EditRole);
        QVERIFY(wanted.isEmpty());
        model.setData(index, u"good\\x{fe}"_s, Qt::EditRole);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.first().at(0).toByteArray(), QByteArray("/r/bad\xFF"));
        QCOMPARE(wanted.first().at(1).toByteArray(), QByteArray("good\xFE"));
        model.setData(index, u"a/b"_s, Qt::EditRole);
        QCOMPARE(refused.size(), 1);
        QCOMPARE(model.row(index)->entry.name, QByteArray("bad\xFF"));
    }

    void aStaleTreeAsksForNothing()
    {
        FileTreeModel model;
        model.setRoot("/r");
        model.setListing("/r", {entry("d", 'd')}, complete());
        model.setStale(true);
        QSignalSpy wanted(&model, &FileTreeModel::listWanted);
        const QModelIndex folder = model.index(0, 0);
        model.fetchMore(folder);
        QVERIFY(wanted.isEmpty());
        QCOMPARE(model.rowCount(folder), 1);
        QCOMPARE(model.row(model.index(0, 0, folder))->kind, FileRow::Kind::Note);
        QVERIFY(!folder.flags().testFlag(Qt::ItemIsEditable));
        model.setStale(false);
        model.fetchMore(folder);
        QCOMPARE(wanted.size(), 1);
        model.setListing("/r/d", {entry("x")}, complete());
        QCOMPARE(names(model, folder), QStringList({u"x"_s}));
    }
};

QTEST_MAIN(TestFileTreeModel)
#include "tst_filetreemodel.moc"
