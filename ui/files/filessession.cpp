// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filessession.h"

#include "engine/historyservice.h"
#include "engine/inworker.h"
#include "files/filename.h"
#include "files/filesort.h"

#include <QDateTime>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int CallsSettleMs = 300; // Calls end in bunches.
constexpr int LeastGapMs = 1500; // Between looks that nobody asked for.
constexpr int EventsPerPage = 100; // Arguments of calls can be large.
constexpr int MostPages = 100;
// Sorting more than this takes longer than a frame.
constexpr qsizetype SortElsewhere = 4000;
// Changes in larger folders are followed by surveys only.
constexpr qsizetype MostFollowed = 5000;
constexpr qsizetype MostListedAgain = 20;

double localClock() { return double(QDateTime::currentMSecsSinceEpoch()) / 1000.0; }

FilesSession::Machine machineOf(const QString &state)
{
    if (state == "active"_L1)
        return FilesSession::Machine::Active;
    if (state == "paused"_L1)
        return FilesSession::Machine::Paused;
    if (state == "creating"_L1 || state == "pausing"_L1 || state == "deleting"_L1 || state == "starting"_L1
        || state == "resuming"_L1)
        return FilesSession::Machine::Busy;
    if (state == "deleted"_L1 || state == "gone"_L1 || state == "lost"_L1 || state == "failed"_L1)
        return FilesSession::Machine::Gone;
    return state.isEmpty() || state == "released"_L1 ? FilesSession::Machine::None
                                                     : FilesSession::Machine::Unknown;
}

} // namespace

QByteArray FilesSession::home() { return "/home/user"; }

FilesSession::FilesSession(FilesService *service, HistoryService *history, QString conversation,
                           QObject *parent)
    : QObject(parent)
    , m_service(service)
    , m_history(history)
    , m_conversation(std::move(conversation))
{
    m_model.setRoot(home());
    m_model.setChanges(&m_changes);
    m_model.setStale(true);
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &FilesSession::survey);
    connect(&m_model, &FileTreeModel::listWanted, this, &FilesSession::list);
    readHistory(1);
}

FilesSession::~FilesSession() { m_model.setChanges(nullptr); }

void FilesSession::readHistory(qint64 fromSeq)
{
    if (!m_history || m_conversation.isEmpty()) {
        m_historyRead = true;
        return;
    }
    static const QList<EventKind> Kinds{EventKind::TurnStart, EventKind::SandboxState, EventKind::ToolStart,
                                        EventKind::ToolResult, EventKind::ToolError};
    m_history->events(m_conversation, Kinds, fromSeq, EventsPerPage, this,
                      [this](const Result<QList<EventPtr>, Error> &page) {
                          if (page) {
                              for (const EventPtr &event : *page) {
                                  m_changes.take(*event);
                                  m_lastSeq = event->seq;
                              }
                              if (page->size() == EventsPerPage && ++m_pages < MostPages)
                                  return readHistory(m_lastSeq + 1);
                          }
                          m_historyRead = true;
                          for (const EventPtr &event : std::exchange(m_early, {})) {
                              if (event->seq > m_lastSeq)
                                  m_changes.take(*event);
                          }
                          if (!hasTree() && !canAsk())
                              m_model.addKnown(m_changes.onlyWritten());
                          m_model.refreshMarks();
                          Q_EMIT changesChanged();
                          Q_EMIT stateChanged();
                      });
}

void FilesSession::setMachine(const QString &backend, const QString &sandboxId, const QString &sandboxState)
{
    const MachinePlace place{backend, sandboxId};
    if (!m_place.sandboxId.isEmpty() && place != m_place)
        m_seenMs = 0; // Another machine: what was seen is not of it.
    // A summary that has not heard of the pause says "active" again and again.
    const bool isOld = m_foundInactive && place == m_place && sandboxState == m_told;
    m_place = place;
    m_told = sandboxState;
    if (isOld)
        return;
    m_foundInactive = false;
    setState(sandboxId.isEmpty() ? QString() : sandboxState);
}

void FilesSession::setState(const QString &state)
{
    const Machine before = m_machine;
    const bool couldAsk = canAsk();
    m_state = state;
    m_machine = m_place.sandboxId.isEmpty() && state != "creating"_L1 ? Machine::None : machineOf(state);
    m_model.setStale(!canAsk());
    if (canAsk() && !couldAsk) {
        m_dirty = true;
        if (m_current)
            refresh();
    }
    if (!canAsk())
        m_soon.stop();
    if (m_machine != before)
        Q_EMIT machineChanged();
}

void FilesSession::takeEvent(const Event &event)
{
    if (event.conversation != m_conversation)
        return;
    bool changed = false;
    if (m_historyRead)
        changed = event.seq > m_lastSeq && m_changes.take(event);
    else
        m_early.append(std::make_shared<const Event>(event));
    if (event.kind == EventKind::SandboxState) {
        const Json payload = event.json();
        const QString id = payload[u"sandboxId"].toString();
        if (!id.isEmpty())
            m_place.sandboxId = id;
        const QString backend = payload[u"backend"].toString();
        if (!backend.isEmpty())
            m_place.backend = backend;
        m_foundInactive = false;
        setState(payload[u"state"].toString());
    }
    if (event.kind == EventKind::ToolResult || event.kind == EventKind::ToolError) {
        m_dirty = true;
        refreshSoon();
    }
    if (changed) {
        if (!hasTree())
            m_model.addKnown(m_changes.onlyWritten());
        m_model.refreshMarks();
        Q_EMIT changesChanged();
    }
}

void FilesSession::setCurrent(bool current)
{
    const bool isNew = current && !m_current;
    m_current = current;
    if (isNew && m_dirty && canAsk())
        refresh();
    if (!current)
        m_soon.stop();
}

bool FilesSession::canAsk() const
{
    return m_service && m_machine == Machine::Active && !m_place.sandboxId.isEmpty();
}

bool FilesSession::hasTree() const { return m_model.rowCount() > 0 || m_model.isListed(m_model.root()); }

void FilesSession::setRoot(const QByteArray &path)
{
    if (path == m_model.root())
        return;
    m_model.setRoot(path);
    m_rootFault.reset();
    m_dirty = true;
    refresh();
    Q_EMIT stateChanged();
}

void FilesSession::refresh()
{
    // Asked for by a person it may be tried where the state is not known; nothing is woken by it.
    if (!canAsk() && !(m_service && m_machine == Machine::Unknown && !m_place.sandboxId.isEmpty()))
        return;
    m_soon.stop();
    list(m_model.root());
    survey();
}

void FilesSession::refreshSoon()
{
    if (!m_current || !canAsk())
        return;
    const qint64 since = m_sinceSurvey.isValid() ? m_sinceSurvey.elapsed() : LeastGapMs;
    if (!m_soon.isActive())
        m_soon.start(int(std::max<qint64>(CallsSettleMs, LeastGapMs - since)));
}

void FilesSession::refreshFolder(const QByteArray &folder)
{
    if (canAsk() && (m_model.isListed(folder) || folder == m_model.root()))
        list(folder);
    refreshSoon();
}

void FilesSession::list(const QByteArray &folder)
{
    if (!m_service || m_place.sandboxId.isEmpty())
        return;
    if (const auto running = m_listings.find(folder); running != m_listings.end()) {
        running->again = true;
        return;
    }
    m_listings[folder] = {};
    m_listings[folder].call = m_service->list(
        m_place, folder, this,
        [this, folder](const QList<FileEntry> &entries) {
            const auto listing = m_listings.find(folder);
            if (listing == m_listings.end())
                return;
            listing->entries += entries;
            if (!std::exchange(listing->shown, true)) {
                m_model.addFirst(folder, listing->entries);
                Q_EMIT stateChanged();
            }
        },
        [this, folder](const Result<FileListEnd, FileFault> &end) {
            const auto listing = m_listings.find(folder);
            if (listing == m_listings.end())
                return;
            if (!end) {
                const FileFault fault = end.error();
                endListing(folder);
                takeFault(folder, fault);
                return;
            }
            if (listing->entries.size() <= SortElsewhere) {
                sortFiles(listing->entries);
                return takeListing(folder, listing->entries, *end);
            }
            inWorker(
                this,
                [entries = std::exchange(listing->entries, {})]() mutable {
                    sortFiles(entries);
                    return entries;
                },
                [this, folder, told = *end](const QList<FileEntry> &sorted) {
                    takeListing(folder, sorted, told);
                });
        });
    Q_EMIT stateChanged();
}

void FilesSession::takeListing(const QByteArray &folder, const QList<FileEntry> &sorted,
                               const FileListEnd &end)
{
    if (!m_listings.contains(folder))
        return;
    if (sorted.size() <= MostFollowed)
        m_changes.takeListing(folder, sorted, end, localClock());
    m_model.setListing(folder, sorted, end);
    if (folder == m_model.root())
        m_rootFault.reset();
    seen();
    endListing(folder);
    Q_EMIT changesChanged();
}

void FilesSession::endListing(const QByteArray &folder)
{
    const bool again = m_listings.take(folder).again;
    if (again && canAsk())
        list(folder);
    Q_EMIT stateChanged();
}

void FilesSession::takeFault(const QByteArray &folder, const FileFault &fault)
{
    if (fault.kind == FileFault::Kind::NotActive) {
        // Paused behind our back. The events will tell; until then nothing more is asked.
        find(u"paused"_s);
        return;
    }
    if (fault.kind == FileFault::Kind::MachineGone) {
        find(u"gone"_s);
        return;
    }
    if (folder == m_model.root()) {
        m_rootFault = fault;
        Q_EMIT stateChanged();
        return;
    }
    if (fault.kind == FileFault::Kind::Missing) // It went away: its parent tells what is there now.
        list(parentPath(folder));
    else
        m_model.setProblem(folder, fault.error.message);
}

void FilesSession::find(const QString &state)
{
    m_foundInactive = true;
    setState(state);
    Q_EMIT machineFound(m_place.sandboxId, state);
}

void FilesSession::survey()
{
    if (!m_service || m_place.sandboxId.isEmpty() || (!canAsk() && m_machine != Machine::Unknown))
        return;
    if (m_surveying) {
        m_surveyAgain = true;
        return;
    }
    m_surveying = true;
    m_dirty = false;
    m_sinceSurvey.start();
    const QByteArray root = m_model.root();
    m_service->survey(m_place, root, m_changes.since(FileChanges::Scope::Conversation), this,
                      [this, root](const Result<FileSurvey, FileFault> &survey) {
                          m_surveying = false;
                          if (root == m_model.root() && survey) {
                              m_changes.takeSurvey(root, *survey, localClock());
                              m_model.takeSurvey(*survey);
                              if (!survey->complete) {
                                  // Too large for one look: the folders that are shown are listed one by one.
                                  const QByteArrayList shown = m_model.listedFolders();
                                  for (const QByteArray &folder :
                                       shown.first(std::min(shown.size(), MostListedAgain)))
                                      list(folder);
                              }
                              m_model.refreshMarks();
                              seen();
                              Q_EMIT changesChanged();
                          } else if (!survey && survey.error().kind == FileFault::Kind::NotActive) {
                              m_dirty = true;
                              find(u"paused"_s);
                          } else if (!survey && survey.error().kind == FileFault::Kind::MachineGone) {
                              find(u"gone"_s);
                          } else if (!survey) {
                              m_dirty = true; // The listing of the root tells why.
                          }
                          if (std::exchange(m_surveyAgain, false))
                              refreshSoon();
                          Q_EMIT stateChanged();
                      });
    Q_EMIT stateChanged();
}

void FilesSession::seen()
{
    m_seenMs = QDateTime::currentMSecsSinceEpoch();
    Q_EMIT refreshed();
}

} // namespace Pilothouse
