// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filefilter.h"

#include "files/filename.h"
#include "files/filetreemodel.h"
#include "files/filetreeview.h"
#include "theme/units.h"

#include <QItemSelectionModel>
#include <QLocale>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int TypingMs = 60;
constexpr qsizetype MostOpened = 200; // More than that nobody reads; each is laid out.

} // namespace

FileFilter::FileFilter(FileTreeView *tree)
    : QObject(tree)
    , m_tree(tree)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(TypingMs);
    connect(&m_soon, &QTimer::timeout, this, &FileFilter::apply);
}

void FileFilter::setModel(FileTreeModel *model)
{
    if (m_model)
        disconnect(m_model, nullptr, this, nullptr);
    m_soon.stop();
    m_text.clear();
    m_opened.clear();
    m_model = model;
    m_sum = {};
    if (!model)
        return;
    const auto again = [this] {
        if (!m_text.isEmpty() && !m_soon.isActive())
            m_soon.start();
    };
    connect(model, &QAbstractItemModel::rowsInserted, this, again);
    connect(model, &QAbstractItemModel::rowsRemoved, this, again);
    connect(model, &QAbstractItemModel::modelReset, this, again);
}

void FileFilter::setText(const QString &text)
{
    const QString wanted = text.trimmed();
    if (wanted == m_text)
        return;
    m_text = wanted;
    if (wanted.isEmpty()) {
        m_soon.stop();
        end();
    } else {
        m_soon.start();
    }
}

QString FileFilter::words() const
{
    if (m_text.isEmpty())
        return {};
    const QString count =
        tr("%1 among %2")
            .arg(countedText(m_sum.found, tr("1 match"), tr("%1 matches")), QLocale().toString(m_sum.all));
    return m_sum.partial ? tr("%1; folders that were not opened are not searched").arg(count) : count;
}

void FileFilter::apply()
{
    m_sum = {};
    m_toOpen.clear();
    if (m_model)
        applyBelow({}, false);
    for (const QPersistentModelIndex &folder : std::as_const(m_toOpen)) {
        if (folder.isValid() && !m_tree->isExpanded(folder)) {
            m_tree->expand(folder);
            m_opened.append(folder);
        }
    }
    m_toOpen.clear();
    dropHidden();
    Q_EMIT applied();
}

bool FileFilter::isFound(const FileRow &row) const
{
    return shownName(row.entry.name).contains(m_text, Qt::CaseInsensitive);
}

bool FileFilter::lets(const QModelIndex &index) const
{
    bool isLet = m_text.isEmpty();
    for (QModelIndex at = index; at.isValid() && !isLet; at = at.parent())
        isLet = m_model && isFound(*m_model->row(at));
    return isLet;
}

// True if a name below it holds the text.
bool FileFilter::applyBelow(const QModelIndex &folder, bool isInFound)
{
    bool anyFound = false;
    m_sum.partial = m_sum.partial || !m_model->isWhole(folder);
    for (int i = 0; i < m_model->rowCount(folder); ++i) {
        const QModelIndex index = m_model->index(i, 0, folder);
        const FileRow &row = *m_model->row(index);
        bool isShown = false; // Notes and "more" would count what is filtered away; the sum tells.
        if (row.kind == FileRow::Kind::Entry) {
            const bool isHit = isFound(row);
            const bool isBelow = row.isFolder() && applyBelow(index, isInFound || isHit);
            isShown = isHit || isBelow || isInFound;
            // A folder that was never listed stays closed: to open it would ask the machine.
            if (isBelow && !m_model->canFetchMore(index) && m_toOpen.size() < MostOpened)
                m_toOpen.append(index);
            anyFound = anyFound || isHit || isBelow;
            ++m_sum.all;
            m_sum.found += isHit ? 1 : 0;
        }
        if (m_tree->isRowHidden(i, folder) == isShown)
            m_tree->setRowHidden(i, folder, !isShown);
    }
    return anyFound;
}

void FileFilter::end()
{
    QList<QModelIndex> folders{QModelIndex()};
    while (m_model && !folders.isEmpty()) {
        const QModelIndex folder = folders.takeLast();
        for (int i = 0; i < m_model->rowCount(folder); ++i) {
            if (m_tree->isRowHidden(i, folder))
                m_tree->setRowHidden(i, folder, false);
            const QModelIndex index = m_model->index(i, 0, folder);
            if (m_model->rowCount(index) > 0)
                folders.append(index);
        }
    }
    const QModelIndex current = m_tree->currentIndex();
    for (const QPersistentModelIndex &folder : std::exchange(m_opened, {})) {
        bool holdsCurrent = false;
        for (QModelIndex at = current.parent(); at.isValid(); at = at.parent())
            holdsCurrent = holdsCurrent || at == folder;
        if (folder.isValid() && !holdsCurrent)
            m_tree->collapse(folder);
    }
    m_sum = {};
    if (current.isValid())
        m_tree->scrollTo(current);
    Q_EMIT applied();
}

// What is not seen must not be deleted by a key.
void FileFilter::dropHidden()
{
    QItemSelectionModel *selection = m_tree->selectionModel();
    if (!selection)
        return;
    QItemSelection hidden;
    for (const QModelIndex &index : selection->selectedIndexes()) {
        if (m_tree->isRowHidden(index.row(), index.parent()))
            hidden.select(index, index);
    }
    selection->select(hidden, QItemSelectionModel::Deselect);
    const QModelIndex current = m_tree->currentIndex();
    if (current.isValid() && m_tree->isRowHidden(current.row(), current.parent()))
        selection->clearCurrentIndex();
}

} // namespace Pilothouse
