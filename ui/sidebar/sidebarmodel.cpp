// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sidebar/sidebarmodel.h"

#include "sidebar/conversationlistmodel.h"
#include "sidebar/statewords.h"
#include "theme/units.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Group = SidebarModel::Group;
constexpr std::array Groups{Group::NeedsYou, Group::Running, Group::Idle, Group::Archived};
constexpr qsizetype MostWords = 8;
constexpr qsizetype LongestTitle = 200;

// Rows of Needs you in the order in which they began to wait; the others newest first, by what does not
// change while a turn runs.
bool isBefore(const ConversationListModel &list, Group group, const ConversationSummary &a,
              const ConversationSummary &b)
{
    const qint64 sinceA = list.stateSince(a);
    const qint64 sinceB = list.stateSince(b);
    if (group == Group::NeedsYou && sinceA != sinceB)
        return sinceA < sinceB;
    if (group == Group::Idle && sinceA != sinceB)
        return sinceA > sinceB;
    return a.createdMs != b.createdMs ? a.createdMs > b.createdMs : a.id < b.id;
}

} // namespace

QString groupText(SidebarModel::Group group)
{
    switch (group) {
    case Group::NeedsYou:
        return QCoreApplication::translate("Pilothouse::SidebarModel", "Needs you");
    case Group::Running:
        return QCoreApplication::translate("Pilothouse::SidebarModel", "Running");
    case Group::Idle:
        return QCoreApplication::translate("Pilothouse::SidebarModel", "Idle");
    case Group::Archived:
        return QCoreApplication::translate("Pilothouse::SidebarModel", "Archived");
    }
    return {};
}

SidebarModel::SidebarModel(ConversationListModel *source, QObject *parent)
    : QAbstractListModel(parent)
    , m_source(source)
{
    connect(source, &QAbstractItemModel::modelReset, this, &SidebarModel::rebuild);
    connect(source, &QAbstractItemModel::rowsInserted, this, &SidebarModel::rebuild);
    connect(source, &QAbstractItemModel::rowsRemoved, this, &SidebarModel::rebuild);
    connect(source, &QAbstractItemModel::dataChanged, this, &SidebarModel::onChanged);
    rebuild();
}

SidebarModel::Group SidebarModel::groupOf(const ConversationSummary &summary)
{
    if (summary.archived)
        return Group::Archived;
    if (summary.state == "waiting"_L1 || summary.state == "failed"_L1)
        return Group::NeedsYou;
    for (const auto state :
         {"connecting"_L1, "thinking"_L1, "writing"_L1, "calling"_L1, "retrying"_L1, "stopping"_L1}) {
        if (summary.state == state)
            return Group::Running;
    }
    return Group::Idle;
}

bool SidebarModel::matches(const ConversationSummary &summary) const
{
    const QString title = titleText(summary);
    return std::all_of(m_words.cbegin(), m_words.cend(),
                       [&](const QString &word) { return title.contains(word, Qt::CaseInsensitive); });
}

void SidebarModel::noteNews()
{
    QHash<QString, QString> states;
    for (int i = 0; i < m_source->rowCount(); ++i) {
        const QModelIndex index = m_source->index(i);
        const QString id = index.data(ConversationListModel::IdRole).toString();
        const QString state = index.data(ConversationListModel::StateRole).toString();
        const auto before = m_states.constFind(id);
        const bool isNews = state == "finished"_L1 || state == "waiting"_L1 || state == "failed"_L1
            || state == "interrupted"_L1;
        if (before != m_states.constEnd() && *before != state && isNews && id != m_current)
            m_unseen.insert(id);
        states.insert(id, state);
    }
    m_states = states;
}

void SidebarModel::rebuild()
{
    noteNews();
    QHash<Group, QList<const ConversationSummary *>> groups;
    for (int i = 0; i < m_source->rowCount(); ++i) {
        const ConversationSummary *summary =
            m_source->summary(m_source->index(i).data(ConversationListModel::IdRole).toString());
        if (summary && matches(*summary))
            groups[groupOf(*summary)].append(summary);
    }
    QList<Row> rows;
    QHash<Group, int> counts;
    for (const Group group : Groups) {
        QList<const ConversationSummary *> &members = groups[group];
        counts[group] = static_cast<int>(members.size());
        if (members.isEmpty())
            continue;
        std::sort(members.begin(), members.end(),
                  [this, group](const ConversationSummary *a, const ConversationSummary *b) {
                      return isBefore(*m_source, group, *a, *b);
                  });
        rows.append({group, {}});
        if (group == Group::Archived && !m_archivedShown && !isFiltered())
            continue;
        for (const ConversationSummary *summary : std::as_const(members))
            rows.append({group, summary->id});
    }
    const bool countsChanged = counts != m_counts;
    m_counts = counts;
    if (rows != m_rows) {
        // What is the same at both ends stays; the rest is exchanged, so that views keep their place.
        qsizetype head = 0;
        while (head < std::min(rows.size(), m_rows.size()) && rows[head] == m_rows[head])
            ++head;
        qsizetype tail = 0;
        while (tail < std::min(rows.size(), m_rows.size()) - head
               && rows[rows.size() - 1 - tail] == m_rows[m_rows.size() - 1 - tail])
            ++tail;
        if (m_rows.size() > head + tail) {
            beginRemoveRows({}, static_cast<int>(head), static_cast<int>(m_rows.size() - tail - 1));
            m_rows.remove(head, m_rows.size() - head - tail);
            endRemoveRows();
        }
        if (rows.size() > head + tail) {
            beginInsertRows({}, static_cast<int>(head), static_cast<int>(rows.size() - tail - 1));
            m_rows = rows;
            endInsertRows();
        }
    }
    if (countsChanged && !m_rows.isEmpty())
        Q_EMIT dataChanged(index(0), index(rowCount() - 1), {CountRole});
}

void SidebarModel::onChanged(const QModelIndex &first, const QModelIndex &last)
{
    rebuild(); // A state may have moved it into another group.
    for (int i = first.row(); i <= last.row(); ++i) {
        const int place = placeOf(m_source->index(i).data(ConversationListModel::IdRole).toString());
        if (place >= 0)
            Q_EMIT dataChanged(index(place), index(place));
    }
}

void SidebarModel::setFilter(const QString &words)
{
    const QStringList list = words.simplified().split(u' ', Qt::SkipEmptyParts).mid(0, MostWords);
    if (list == m_words)
        return;
    m_words = list;
    rebuild();
}

void SidebarModel::setArchivedShown(bool shown)
{
    if (shown == m_archivedShown)
        return;
    m_archivedShown = shown;
    rebuild();
    for (int i = 0; i < rowCount(); ++i) {
        if (m_rows[i].id.isEmpty())
            Q_EMIT dataChanged(index(i), index(i));
    }
}

void SidebarModel::setCurrent(const QString &id)
{
    m_current = id;
    if (!m_unseen.remove(id))
        return;
    if (const int place = placeOf(id); place >= 0)
        Q_EMIT dataChanged(index(place), index(place));
}

int SidebarModel::placeOf(const QString &id) const
{
    if (id.isEmpty())
        return -1;
    const auto at =
        std::find_if(m_rows.cbegin(), m_rows.cend(), [&](const Row &row) { return row.id == id; });
    return at == m_rows.cend() ? -1 : static_cast<int>(at - m_rows.cbegin());
}

int SidebarModel::conversationCount() const
{
    return static_cast<int>(
        std::count_if(m_rows.cbegin(), m_rows.cend(), [](const Row &row) { return !row.id.isEmpty(); }));
}

int SidebarModel::countOf(Group group) const { return m_counts.value(group); }

int SidebarModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant SidebarModel::headingData(const Row &row, int role) const
{
    const bool open = row.group != Group::Archived || m_archivedShown || isFiltered();
    switch (role) {
    case Qt::DisplayRole:
        return groupText(row.group);
    case Qt::AccessibleTextRole: {
        const QString text =
            QString(groupText(row.group) + u", "_s
                    + countedText(countOf(row.group), tr("1 conversation"), tr("%1 conversations")));
        if (row.group != Group::Archived)
            return text;
        return QString(text + u", "_s + (open ? tr("open") : tr("folded")));
    }
    case CountRole:
        return countOf(row.group);
    case IsOpenRole:
        return open;
    default:
        return {};
    }
}

QVariant SidebarModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row &row = m_rows[index.row()];
    if (role == GroupRole)
        return static_cast<int>(row.group);
    if (role == IsHeadingRole)
        return row.id.isEmpty();
    if (row.id.isEmpty())
        return headingData(row, role);
    if (role == UnseenRole)
        return m_unseen.contains(row.id);
    const int place = m_source->placeOf(row.id);
    if (place < 0)
        return {};
    if (role == Qt::EditRole)
        role = ConversationListModel::TitleRole;
    return m_source->index(place).data(role);
}

bool SidebarModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (role != Qt::EditRole || !checkIndex(index, CheckIndexOption::IndexIsValid)
        || m_rows[index.row()].id.isEmpty())
        return false;
    const QString title = value.toString().simplified().left(LongestTitle);
    if (title.isEmpty() || title == data(index, ConversationListModel::TitleRole).toString())
        return false;
    Q_EMIT renameRequested(m_rows[index.row()].id, title);
    return true;
}

Qt::ItemFlags SidebarModel::flags(const QModelIndex &index) const
{
    if (!index.isValid() || index.row() >= m_rows.size())
        return {};
    const Row &row = m_rows[index.row()];
    constexpr Qt::ItemFlags Usable = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (!row.id.isEmpty())
        return Usable | Qt::ItemIsEditable;
    // Only the heading that can be folded can be gone to.
    return row.group == Group::Archived ? Usable : Qt::ItemFlags(Qt::ItemNeverHasChildren);
}

} // namespace Pilothouse
