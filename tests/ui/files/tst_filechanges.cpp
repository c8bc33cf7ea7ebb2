// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filechanges.h"
#include "support/testmain.h"

#include <QTest>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

using Letter = FileChanges::Letter;
using Scope = FileChanges::Scope;

Event happened(EventKind kind, qint64 atSeconds, const QByteArray &payload)
{
    Event made;
    made.kind = kind;
    made.atMs = atSeconds * 1000;
    made.payload = payload;
    return made;
}

FileEntry entry(const QByteArray &name, double modified, qint64 size = 10, double born = 0)
{
    FileEntry made;
    made.name = name;
    made.type = u'f';
    made.modified = modified;
    made.size = size;
    made.born = born;
    return made;
}

FileSurvey survey(const QList<FileEntry> &entries, double clock)
{
    FileSurvey made;
    made.entries = entries;
    made.complete = true;
    made.machineClock = clock;
    return made;
}

const QByteArray Root = "/home/user";

} // namespace

class TestFileChanges : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    void timesAndNamesTellWhatBecameOfFiles()
    {
        FileChanges changes;
        changes.take(happened(EventKind::TurnStart, 1000, "{\"turn\":1}"));
        changes.take(happened(EventKind::SandboxState, 1001, "{\"state\":\"creating\"}"));
        changes.take(happened(EventKind::SandboxState, 1010, "{\"state\":\"active\"}"));
        // What the machine was made with is nobody's work.
        changes.takeSurvey(Root, survey({entry(".bashrc", 1005), entry("a", 900), entry("gone", 900)}, 1011),
                           1011);
        QCOMPARE(changes.counts(Scope::Conversation).total(), 0);

        changes.takeSurvey(
            Root, survey({entry(".bashrc", 1005), entry("a", 1020), entry("dir/new", 1021)}, 1030), 1030);
        QCOMPARE(changes.mark("/home/user/a", Scope::Turn).letter, Letter::Modified);
        QCOMPARE(changes.mark("/home/user/dir/new", Scope::Turn).letter, Letter::Added);
        QCOMPARE(changes.mark("/home/user/gone", Scope::Turn).letter, Letter::Deleted);
        QCOMPARE(changes.mark("/home/user/.bashrc", Scope::Turn).letter, Letter::None);
        QCOMPARE(changes.changedBelow("/home/user/dir", Scope::Turn), 1);
        QCOMPARE(changes.changedBelow("/home", Scope::Turn), 3);
        QCOMPARE(changes.gone(Scope::Turn).value(Root).size(), 1);

        // The next turn begins with none of it; the conversation keeps all.
        changes.take(happened(EventKind::TurnStart, 2000, "{\"turn\":2}"));
        QCOMPARE(changes.counts(Scope::Turn).total(), 0);
        QCOMPARE(changes.counts(Scope::Conversation).total(), 3);
        changes.takeSurvey(
            Root, survey({entry(".bashrc", 1005), entry("a", 1020), entry("late", 2010)}, 2020), 2020);
        QCOMPARE(changes.mark("/home/user/dir/new", Scope::Turn).letter, Letter::Deleted);
        QCOMPARE(changes.mark("/home/user/dir/new", Scope::Conversation).letter,
                 Letter::None); // Came and went.
        QCOMPARE(changes.mark("/home/user/late", Scope::Turn).letter, Letter::Added);
        QCOMPARE(changes.mark("/home/user/a", Scope::Turn).letter, Letter::None);
        QCOMPARE(changes.mark("/home/user/a", Scope::Conversation).letter, Letter::Modified);
    }

    void birthTimesWinWhereTheyAreKnown()
    {
        FileChanges changes;
        changes.take(happened(EventKind::TurnStart, 1000, "{\"turn\":3}"));
        changes.takeSurvey(Root, survey({entry("old", 1100, 1, 500), entry("new", 1100, 1, 1100)}, 1200),
                           1200);
        QCOMPARE(changes.mark("/home/user/old", Scope::Turn).letter, Letter::Modified);
        QCOMPARE(changes.mark("/home/user/new", Scope::Turn).letter, Letter::Added);
    }

    void anotherClockIsTakenIntoAccount()
    {
        constexpr double Behind = 3600; // The machine's clock.
        FileChanges changes;
        changes.take(happened(EventKind::TurnStart, 100000, "{\"turn\":1}"));
        const QList<FileEntry> entries{entry("before", 99990 - Behind), entry("after", 100010 - Behind)};
        changes.takeSurvey(Root, survey(entries, 100020 - Behind), 100020);
        QCOMPARE(changes.mark("/home/user/before", Scope::Turn).letter, Letter::None);
        QCOMPARE(changes.mark("/home/user/after", Scope::Turn).letter, Letter::Modified);
    }

    void writesOfTheAgentCountAtOnceWithTheirLines()
    {
        FileChanges changes;
        changes.take(happened(EventKind::TurnStart, 1000, "{\"turn\":1}"));
        changes.take(happened(EventKind::SandboxState, 1001, "{\"state\":\"creating\"}"));
        changes.take(happened(EventKind::SandboxState, 1002, "{\"state\":\"active\"}"));
        changes.take(
            happened(EventKind::ToolStart, 1003,
                     "{\"callId\":\"c1\",\"toolName\":\"writeFile\",\"args\":{\"path\":\"/home/user/p.py\","
                     "\"content\":\"a\\nb\\nc\"}}"));
        QCOMPARE(changes.counts(Scope::Turn).total(), 0); // Not before it is done.
        QVERIFY(changes.take(happened(EventKind::ToolResult, 1004, "{\"callId\":\"c1\"}")));
        QCOMPARE(changes.mark("/home/user/p.py", Scope::Turn).letter, Letter::Added);
        QCOMPARE(changes.mark("/home/user/p.py", Scope::Turn).linesAdded, std::optional<int>(3));
        QCOMPARE(changes.onlyWritten(), QByteArrayList{"/home/user/p.py"});
        // A failed write is none.
        changes.take(happened(EventKind::ToolStart, 1005,
                              "{\"callId\":\"c2\",\"toolName\":\"writeFile\",\"args\":{\"path\":\"/home/user/"
                              "q\",\"content\":\"\"}}"));
        changes.take(happened(EventKind::ToolError, 1006, "{\"callId\":\"c2\"}"));
        QCOMPARE(changes.counts(Scope::Turn).total(), 1);
        // Changed by a command since: how many lines is not known any more.
        changes.takeSurvey(Root, survey({entry("p.py", 1010, 99)}, 1011), 1011);
        QCOMPARE(changes.mark("/home/user/p.py", Scope::Turn).letter, Letter::Added);
        QVERIFY(!changes.mark("/home/user/p.py", Scope::Turn).linesAdded);
    }

    void thePersonsOwnChangesAreNotTheAgents()
    {
        FileChanges changes;
        changes.take(happened(EventKind::TurnStart, 1000, "{\"turn\":1}"));
        changes.takeSurvey(Root, survey({entry("a", 900)}, 1001), 1001);
        changes.ownWritten({"/home/user/up.txt"});
        changes.ownRemoved("/home/user/a");
        changes.takeSurvey(Root, survey({entry("up.txt", 1010)}, 1012), 1012);
        QCOMPARE(changes.counts(Scope::Turn).total(), 0);
        // Then the agent changes it.
        changes.takeSurvey(Root, survey({entry("up.txt", 1050)}, 1060), 1060);
        QCOMPARE(changes.mark("/home/user/up.txt", Scope::Turn).letter, Letter::Modified);
    }

    void marksFollowANewName()
    {
        FileChanges changes;
        changes.take(happened(EventKind::TurnStart, 1000, "{\"turn\":1}"));
        changes.takeSurvey(Root, survey({entry("old", 900), entry("d/old", 900)}, 1001), 1001);
        changes.takeSurvey(
            Root,
            survey({entry("old", 900), entry("d/old", 900), entry("made", 1010), entry("d/made", 1011)},
                   1020),
            1020);
        QCOMPARE(changes.counts(Scope::Turn).added, 2);
        changes.ownRenamed("/home/user/made", "/home/user/kept");
        changes.ownRenamed("/home/user/old", "/home/user/older");
        changes.ownRenamed("/home/user/d", "/home/user/e");
        changes.ownRenamed("/home/user/never-seen", "/home/user/seen");
        QCOMPARE(changes.mark("/home/user/kept", Scope::Turn).letter, Letter::Added);
        QCOMPARE(changes.mark("/home/user/e/made", Scope::Turn).letter, Letter::Added);
        QCOMPARE(changes.changedBelow("/home/user/e", Scope::Turn), 1);
        QCOMPARE(changes.changedBelow("/home/user/d", Scope::Turn), 0);
        // A new name is a change of the file too, but not the agent's, neither now nor in the next turn.
        const auto renamed = [](FileEntry made) {
            made.changed = 1030;
            return made;
        };
        const QList<FileEntry> after{renamed(entry("older", 900)), entry("e/old", 900),
                                     renamed(entry("kept", 1010)), entry("e/made", 1011),
                                     renamed(entry("seen", 800))};
        changes.takeSurvey(Root, survey(after, 1040), 1040);
        QCOMPARE(changes.counts(Scope::Turn).total(), 2);
        QCOMPARE(changes.counts(Scope::Turn).added, 2);
        changes.takeSurvey(Root, survey(after, 1045), 1045);
        QCOMPARE(changes.counts(Scope::Turn).total(), 2);
        changes.take(happened(EventKind::TurnStart, 1050, "{\"turn\":2}"));
        changes.ownRenamed("/home/user/kept", "/home/user/last");
        FileEntry last = entry("last", 1010);
        last.changed = 1060;
        changes.takeSurvey(Root, survey({last, entry("e/old", 900)}, 1070), 1070);
        QCOMPARE(changes.mark("/home/user/last", Scope::Turn).letter, Letter::None);
        QCOMPARE(changes.mark("/home/user/last", Scope::Conversation).letter, Letter::Added);
        // The agent writes it again.
        last.modified = last.changed = 1080;
        changes.takeSurvey(Root, survey({last, entry("e/old", 900)}, 1090), 1090);
        QCOMPARE(changes.mark("/home/user/last", Scope::Turn).letter, Letter::Modified);
    }

    void foldersOfToolsAndCutSurveysDeleteNothing()
    {
        FileChanges changes;
        changes.take(happened(EventKind::TurnStart, 1000, "{\"turn\":1}"));
        FileListEnd end;
        end.complete = true;
        end.machineClock = 900;
        changes.takeListing("/home/user/.git", {entry("HEAD", 800)}, end, 900);
        changes.takeListing(Root, {entry("x", 800), entry("y", 800)}, end, 900);
        changes.takeSurvey(Root, survey({entry("x", 800), entry("y", 800)}, 1100), 1100);
        QCOMPARE(changes.counts(Scope::Turn).total(), 0);
        FileSurvey cut = survey({entry("x", 1150)}, 1200);
        cut.complete = false;
        cut.cut = true;
        changes.takeSurvey(Root, cut, 1200);
        QCOMPARE(changes.counts(Scope::Turn).deleted, 0);
        QCOMPARE(changes.mark("/home/user/x", Scope::Turn).letter, Letter::Modified);
    }
};

QTEST_GUILESS_MAIN(TestFileChanges)
#include "tst_filechanges.moc"
