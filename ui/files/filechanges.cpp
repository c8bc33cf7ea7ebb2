// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filechanges.h"

#include "files/filename.h"

#include <algorithm>
#include <cmath>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Beyond this, changes are no longer followed file by file; the tree still shows times.
constexpr qsizetype MostFiles = 50000;
// Clocks nearer than this are taken for the same: the answer's way takes time too.
constexpr double SameClock = 2.0;
constexpr int DeepestSurvey = 24; // As the survey's command asks.

double seconds(qint64 ms) { return double(ms) / 1000.0; }

bool isInToolFolder(const QByteArray &path, const QByteArray &root)
{
    const QList<QByteArray> parts =
        path.sliced(root == "/" ? 1 : std::min(path.size(), root.size() + 1)).split('/');
    if (parts.size() > DeepestSurvey)
        return true;
    return std::any_of(parts.begin(), parts.end() - 1,
                       [](const QByteArray &part) { return SandboxFiles::isToolFolder(part); });
}

} // namespace

void FileChanges::clear() { *this = FileChanges(); }

bool FileChanges::take(const Event &event)
{
    // Of the many kinds these tell about files.
    if (event.kind == EventKind::TurnStart) {
        m_turn = int(event.json()[u"turn"].toInteger(m_turn + 1));
        m_turnAt = seconds(event.atMs);
        if (m_firstTurn == 0) {
            m_firstTurn = m_turn;
            m_conversationAt = m_turnAt;
        }
    } else if (event.kind == EventKind::SandboxState) {
        const QString state = event.json()[u"state"].toString();
        if (state == "creating"_L1) {
            m_creating = true;
        } else if (state == "active"_L1 && m_creating) {
            // What the machine was made with is not the agent's work.
            m_creating = false;
            m_madeHere = true;
            m_readyAt = seconds(event.atMs);
        }
    } else if (event.kind == EventKind::ToolStart) {
        const Json payload = event.json();
        if (payload[u"toolName"].toString() == "writeFile"_L1) {
            const Json &args = payload[u"args"];
            m_running.insert(payload[u"callId"].toString().toUtf8(),
                             {args[u"path"].toString().toUtf8(), args[u"content"].toString()});
        }
        return false;
    } else if (event.kind == EventKind::ToolResult || event.kind == EventKind::ToolError) {
        if (m_running.isEmpty())
            return false;
        const QByteArray call = event.json()[u"callId"].toString().toUtf8();
        const auto running = m_running.constFind(call);
        if (running == m_running.cend())
            return false;
        if (event.kind == EventKind::ToolResult)
            wrote(running->first, running->second, seconds(event.atMs));
        m_running.erase(running);
    } else {
        return false;
    }
    m_totals[0].reset();
    m_totals[1].reset();
    return true;
}

void FileChanges::wrote(const QByteArray &path, const QString &text, double at)
{
    if (!path.startsWith('/') || (m_files.size() >= MostFiles && !m_files.contains(path)))
        return;
    const bool isNew = !m_files.contains(path);
    File &file = m_files[path];
    const double now = at + m_skew;
    if (isNew || file.goneAt > 0) {
        file.firstSeen = now;
        file.firstModified = now;
    }
    file.goneAt = 0;
    file.ownTime = 0;
    file.modified = std::max(file.modified, now);
    file.size = file.writtenSize = text.toUtf8().size();
    file.writtenLines = int(text.count(u'\n')) + (text.isEmpty() || text.endsWith(u'\n') ? 0 : 1);
}

FileChanges::File &FileChanges::see(const QByteArray &path, const FileEntry &entry, double now)
{
    File &file = m_files[path];
    if (file.firstSeen == 0 || file.goneAt > 0) {
        file.firstSeen = now;
        file.firstModified = entry.modified;
    }
    file.goneAt = 0;
    file.modified = entry.modified;
    if (file.renamedAt < 0) // Another name is a change of the file for the machine, and not the agent's.
        file.renamedAt = entry.changed;
    if (file.renamedAt == 0 || entry.changed != file.renamedAt)
        file.changed = entry.changed;
    file.born = entry.born;
    file.size = entry.size;
    file.listed = true;
    if (file.ownTime < 0)
        file.ownTime = std::max(entry.modified, entry.changed);
    return file;
}

void FileChanges::setSkew(double machineClock, double localClock)
{
    if (machineClock <= 0)
        return;
    const double skew = machineClock - localClock;
    m_skew = std::abs(skew) < SameClock ? 0 : skew;
}

void FileChanges::takeSurvey(const QByteArray &root, const FileSurvey &survey, double localClock)
{
    setSkew(survey.machineClock, localClock);
    const double now = localClock + m_skew;
    QSet<QByteArray> there;
    for (const FileEntry &entry : survey.entries) {
        if (entry.type == u'd' || m_files.size() >= MostFiles)
            continue;
        const QByteArray path = joinedPath(root, entry.name);
        see(path, entry, now);
        if (survey.complete)
            there.insert(path);
    }
    if (survey.complete) {
        for (auto file = m_files.begin(); file != m_files.end(); ++file) {
            if (file->goneAt == 0 && !there.contains(file.key()) && isInside(file.key(), root)
                && !isInToolFolder(file.key(), root))
                file->goneAt = now;
        }
        if (m_firstSurveyAt == 0 || root != m_firstSurveyRoot) {
            m_firstSurveyAt = now;
            m_firstSurveyRoot = root;
        }
    }
    m_totals[0].reset();
    m_totals[1].reset();
}

void FileChanges::takeListing(const QByteArray &folder, const QList<FileEntry> &entries,
                              const FileListEnd &end, double localClock)
{
    setSkew(end.machineClock, localClock);
    const double now = localClock + m_skew;
    QSet<QByteArray> there;
    for (const FileEntry &entry : entries) {
        if (entry.type == u'd' || m_files.size() >= MostFiles)
            continue;
        const QByteArray path = joinedPath(folder, entry.name);
        see(path, entry, now);
        there.insert(path);
    }
    if (end.complete) {
        for (auto file = m_files.begin(); file != m_files.end(); ++file) {
            if (file->goneAt == 0 && !there.contains(file.key()) && parentPath(file.key()) == folder)
                file->goneAt = now;
        }
    }
    m_totals[0].reset();
    m_totals[1].reset();
}

void FileChanges::ownWritten(const QByteArrayList &paths)
{
    for (const QByteArray &path : paths) {
        if (m_files.size() < MostFiles || m_files.contains(path))
            m_files[path].ownTime = -1;
    }
    m_totals[0].reset();
    m_totals[1].reset();
}

void FileChanges::ownRenamed(const QByteArray &from, const QByteArray &to)
{
    if (from == to)
        return;
    QList<std::pair<QByteArray, File>> moved;
    for (auto file = m_files.cbegin(); file != m_files.cend(); ++file) {
        if (isInside(file.key(), from))
            moved.append({to + file.key().sliced(from.size()), *file});
    }
    const bool isKnown = !moved.isEmpty();
    ownRemoved(from);
    ownRemoved(to);
    for (auto &[path, file] : moved) {
        if (path == to) {
            file.goneAt = 0; // A look in between may have missed it.
            file.renamedAt = -1;
        }
        m_files.insert(path, file);
    }
    if (!isKnown)
        ownWritten({to});
}

void FileChanges::ownRemoved(const QByteArray &path)
{
    m_files.removeIf([&path](const auto &file) { return isInside(file.key(), path); });
    m_totals[0].reset();
    m_totals[1].reset();
}

double FileChanges::since(Scope scope) const
{
    const double begin = scope == Scope::Turn ? m_turnAt : m_conversationAt;
    if (begin == 0)
        return 0;
    return std::max(begin, m_readyAt) + m_skew;
}

FileChanges::Letter FileChanges::letterOf(const File &file, Scope scope) const
{
    const double since = this->since(scope);
    if (since == 0 || file.firstSeen == 0)
        return Letter::None;
    const bool wasThere = file.firstSeen < since || file.firstModified < since;
    const bool isBornBefore = file.born > 0 && file.born < since;
    if (file.goneAt > 0) {
        if (file.goneAt < since || file.ownTime != 0)
            return Letter::None;
        return wasThere || isBornBefore ? Letter::Deleted : Letter::None; // Else it came and went.
    }
    const double touched = std::max(file.modified, file.changed);
    if (touched < since || file.ownTime < 0 || (file.ownTime > 0 && touched <= file.ownTime))
        return Letter::None;
    if (file.firstSeen < since || file.ownTime > 0)
        return Letter::Modified;
    if (file.born > 0)
        return isBornBefore ? Letter::Modified : Letter::Added;
    if (wasThere)
        return Letter::Modified;
    // A whole look at the tree did not find it.
    if (m_firstSurveyAt > 0 && file.firstSeen > m_firstSurveyAt)
        return Letter::Added;
    const bool isFirstTurn = scope == Scope::Conversation || m_turn == m_firstTurn;
    return m_madeHere && isFirstTurn ? Letter::Added : Letter::Modified;
}

FileChanges::Mark FileChanges::mark(const QByteArray &path, Scope scope) const
{
    const auto file = m_files.constFind(path);
    if (file == m_files.cend())
        return {};
    Mark mark;
    mark.letter = letterOf(*file, scope);
    if (mark.letter == Letter::Added && file->writtenSize >= 0 && file->writtenSize == file->size)
        mark.linesAdded = file->writtenLines;
    return mark;
}

const FileChanges::Totals &FileChanges::totals(Scope scope) const
{
    std::optional<Totals> &cached = m_totals[scope == Scope::Turn ? 0 : 1];
    if (cached)
        return *cached;
    Totals totals;
    for (auto file = m_files.cbegin(); file != m_files.cend(); ++file) {
        switch (letterOf(*file, scope)) {
        case Letter::None:
            continue;
        case Letter::Modified:
            ++totals.counts.modified;
            break;
        case Letter::Added:
            ++totals.counts.added;
            break;
        case Letter::Deleted:
            ++totals.counts.deleted;
            break;
        }
        QByteArray folder = file.key();
        while (folder.size() > 1) {
            folder = parentPath(folder);
            ++totals.below[folder];
        }
    }
    cached = std::move(totals);
    return *cached;
}

int FileChanges::changedBelow(const QByteArray &folder, Scope scope) const
{
    return totals(scope).below.value(folder);
}

FileChanges::Counts FileChanges::counts(Scope scope) const { return totals(scope).counts; }

QHash<QByteArray, QList<FileChanges::Gone>> FileChanges::gone(Scope scope) const
{
    QHash<QByteArray, QList<Gone>> gone;
    if (totals(scope).counts.deleted == 0)
        return gone;
    for (auto file = m_files.cbegin(); file != m_files.cend(); ++file) {
        if (file->goneAt > 0 && letterOf(*file, scope) == Letter::Deleted)
            gone[parentPath(file.key())].append({lastSegment(file.key()), file->size});
    }
    return gone;
}

QByteArrayList FileChanges::onlyWritten() const
{
    QByteArrayList paths;
    for (auto file = m_files.cbegin(); file != m_files.cend(); ++file) {
        if (!file->listed && file->writtenSize >= 0)
            paths.append(file.key());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

} // namespace Pilothouse
