// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sidebar/conversationlistmodel.h"

#include "sidebar/statewords.h"
#include "theme/paint.h"

#include <algorithm>
#include <chrono>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto ReadInterval = 250ms; // Four times a second is as fast as a list is read.
constexpr int MostBehind = 20; // Then the store does not write; the next event tries again.

bool isBefore(const ConversationSummary &a, const ConversationSummary &b)
{
    return a.createdMs != b.createdMs ? a.createdMs > b.createdMs : a.id < b.id;
}

QVariant figure(const std::optional<qint64> &value) { return value ? QVariant(*value) : QVariant(); }

} // namespace

ConversationListModel::ConversationListModel(HistoryService *history, QObject *parent)
    : QAbstractListModel(parent)
    , m_history(history)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(ReadInterval);
    connect(&m_timer, &QTimer::timeout, this, &ConversationListModel::readDirty);
}

void ConversationListModel::reload()
{
    m_history->conversations(this, [this](const Result<QList<ConversationSummary>, Error> &list) {
        if (!list) {
            Q_EMIT problem(list.error());
            return;
        }
        beginResetModel();
        m_list.clear();
        for (const ConversationSummary &summary : *list) {
            if (summary.deleted)
                continue;
            m_list.append(summary);
            correct(m_list.last());
        }
        std::sort(m_list.begin(), m_list.end(), isBefore);
        endResetModel();
        Q_EMIT loaded();
    });
}

void ConversationListModel::takeEvents(const EventBatch &events)
{
    for (const EventDelivery &delivery : events) {
        const Event &event = *delivery.event;
        m_dirty[event.conversation] = event.seq;
        // What begins to run on a machine runs on one that is awake.
        if (event.kind == EventKind::SandboxState || event.kind == EventKind::ToolStart)
            m_found.remove(event.conversation);
    }
    m_behind = 0;
    if (!m_dirty.isEmpty() && !m_timer.isActive() && !m_reading)
        m_timer.start();
}

void ConversationListModel::setWaitingSince(const QString &id, qint64 atMs)
{
    if (m_waitingSince.value(id) == atMs)
        return;
    if (atMs > 0)
        m_waitingSince.insert(id, atMs);
    else
        m_waitingSince.remove(id);
    if (const int place = placeOf(id); place >= 0)
        Q_EMIT dataChanged(index(place), index(place));
}

void ConversationListModel::setMachineFound(const QString &id, const QString &sandboxId, const QString &state)
{
    const int place = placeOf(id);
    if (place < 0 || m_list[place].sandboxId != sandboxId || m_list[place].sandboxState == state)
        return;
    m_found.insert(id, {sandboxId, state});
    correct(m_list[place]);
    Q_EMIT dataChanged(index(place), index(place));
}

void ConversationListModel::correct(ConversationSummary &summary)
{
    const auto found = m_found.constFind(summary.id);
    if (found == m_found.cend())
        return;
    if (found->sandboxId == summary.sandboxId)
        summary.sandboxState = found->state;
    else
        m_found.erase(found); // Another machine.
}

qint64 ConversationListModel::stateSince(const ConversationSummary &summary) const
{
    const qint64 waiting = summary.state == "waiting"_L1 ? m_waitingSince.value(summary.id) : 0;
    return waiting > 0 ? waiting : summary.stateSinceMs;
}

void ConversationListModel::readDirty()
{
    const QStringList ids = m_dirty.keys();
    if (ids.isEmpty() || m_reading)
        return;
    m_reading = true;
    m_history->summaries(ids, this, [this, ids](const Result<QList<ConversationSummary>, Error> &list) {
        m_reading = false;
        if (!list) {
            Q_EMIT problem(list.error());
            return; // The next event tries again.
        }
        QStringList missing = ids;
        for (const ConversationSummary &summary : *list) {
            missing.removeAll(summary.id);
            take(summary);
            if (summary.lastSeq >= m_dirty.value(summary.id) || summary.deleted)
                m_dirty.remove(summary.id);
        }
        for (const QString &id : std::as_const(missing)) {
            // Deleted and purged, or just made and not written yet.
            if (placeOf(id) >= 0) {
                takeAway(id);
                m_dirty.remove(id);
            }
        }
        if (!m_dirty.isEmpty() && ++m_behind <= MostBehind)
            m_timer.start();
    });
}

void ConversationListModel::take(const ConversationSummary &summary)
{
    if (summary.deleted) {
        takeAway(summary.id);
        return;
    }
    const int place = placeOf(summary.id);
    if (place >= 0) {
        m_list[place] = summary;
        correct(m_list[place]);
        Q_EMIT dataChanged(index(place), index(place));
        return;
    }
    const auto at = std::lower_bound(m_list.cbegin(), m_list.cend(), summary, isBefore);
    const int row = static_cast<int>(at - m_list.cbegin());
    beginInsertRows({}, row, row);
    m_list.insert(row, summary);
    endInsertRows();
}

void ConversationListModel::takeAway(const QString &id)
{
    const int place = placeOf(id);
    if (place < 0)
        return;
    beginRemoveRows({}, place, place);
    m_list.removeAt(place);
    endRemoveRows();
}

int ConversationListModel::placeOf(const QString &id) const
{
    const auto at = std::find_if(m_list.cbegin(), m_list.cend(),
                                 [&](const ConversationSummary &s) { return s.id == id; });
    return at == m_list.cend() ? -1 : static_cast<int>(at - m_list.cbegin());
}

const ConversationSummary *ConversationListModel::summary(const QString &id) const
{
    const int place = placeOf(id);
    return place < 0 ? nullptr : &m_list.at(place);
}

int ConversationListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_list.size());
}

QVariant ConversationListModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ConversationSummary &s = m_list[index.row()];
    switch (role) {
    case Qt::DisplayRole:
    case TitleRole:
        return titleText(s);
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole: {
        QStringList parts{titleText(s), stateWord(s.state), stateDetailText(s),
                          modelText(s.provider, s.model)};
        parts.removeAll(QString());
        const QString all = parts.join(u", "_s);
        if (role == Qt::AccessibleTextRole)
            return all;
        // A paragraph has one direction: that of the title is its own.
        return QString(plainToolTip(parts.takeFirst()) + plainToolTip(parts.join(u", "_s)));
    }
    case IdRole:
        return s.id;
    case ProviderRole:
        return s.provider;
    case ModelRole:
        return s.model;
    case BackendRole:
        return s.backend;
    case StateRole:
        return s.state;
    case StateWordRole:
        return stateWord(s.state);
    case StateDetailRole:
        return stateDetailText(s);
    case RawDetailRole:
        return s.stateDetail;
    case StateSinceRole:
        return stateSince(s);
    case SandboxIdRole:
        return s.sandboxId;
    case SandboxStateRole:
        return s.sandboxState;
    case AfterTurnRole:
        return s.afterTurn;
    case CreatedRole:
        return s.createdMs;
    case UpdatedRole:
        return s.updatedMs;
    case LastSeqRole:
        return s.lastSeq;
    case TurnsRole:
        return s.turns;
    case StepsRole:
        return s.steps;
    case MaxStepsRole:
        return s.maxSteps;
    case InputTokensRole:
        return figure(s.inputTokens);
    case OutputTokensRole:
        return figure(s.outputTokens);
    case CostNanosRole:
        return figure(s.costNanos);
    case ArchivedRole:
        return s.archived;
    case IsRunningRole:
        return s.openTurnSeq > 0;
    case ScriptedRole:
        return isScripted(s.provider);
    default:
        return {};
    }
}

QHash<int, QByteArray> ConversationListModel::roleNames() const
{
    QHash<int, QByteArray> names = QAbstractListModel::roleNames();
    names.insert(IdRole, "id");
    names.insert(TitleRole, "title");
    names.insert(StateRole, "state");
    names.insert(StateWordRole, "stateWord");
    names.insert(StateDetailRole, "stateDetail");
    return names;
}

} // namespace Pilothouse
