// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// What a row of the tree shows and says, and its new name.

#include "files/filename.h"
#include "files/filetreenode.h"
#include "theme/paint.h"
#include "theme/units.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

QString FileTreeModel::accessibleText(const QModelIndex &index) const
{
    const FileRow &at = *row(index);
    if (at.kind != FileRow::Kind::Entry)
        return at.words;
    QStringList parts{shownName(at.entry.name)};
    if (at.isFolder()) {
        parts.append(tr("folder"));
        if (const int changed = changedBelow(index))
            parts.append(tr("%n changed", nullptr, changed));
    } else if (at.entry.type == u'l') {
        parts.append(tr("link to %1").arg(shownName(at.entry.linkTarget)));
    } else if (at.entry.size >= 0 && !at.gone) {
        parts.append(bytesText(at.entry.size));
    }
    switch (mark(index).letter) {
    case FileChanges::Letter::None:
        break;
    case FileChanges::Letter::Modified:
        parts.append(tr("modified"));
        break;
    case FileChanges::Letter::Added:
        parts.append(tr("added"));
        break;
    case FileChanges::Letter::Deleted:
        parts.append(tr("deleted"));
        break;
    }
    return parts.join(u", "_s);
}

QVariant FileTreeModel::data(const QModelIndex &index, int role) const
{
    const FileRow *at = row(index);
    if (!at)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return at->kind == FileRow::Kind::Entry ? shownName(at->entry.name) : at->words;
    case Qt::EditRole:
        return at->kind == FileRow::Kind::Entry ? nameForEdit(at->entry.name) : QString();
    case Qt::ToolTipRole: {
        if (at->kind != FileRow::Kind::Entry)
            return plainToolTip(at->words);
        QString text = shownPath(path(index));
        if (at->entry.type == u'l')
            text += u" → "_s + shownName(at->entry.linkTarget);
        return plainToolTip(text);
    }
    case Qt::AccessibleTextRole:
        return accessibleText(index);
    }
    return {};
}

bool FileTreeModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const FileRow *at = row(index);
    if (!at || role != Qt::EditRole || at->kind != FileRow::Kind::Entry)
        return false;
    const QString text = value.toString();
    if (text == nameForEdit(at->entry.name))
        return false;
    if (const std::optional<QByteArray> name = nameFromEdit(text, at->entry.name))
        Q_EMIT renameWanted(path(index), *name);
    else
        Q_EMIT renameRefused(nameProblem(text));
    return false; // A listing will tell.
}

Qt::ItemFlags FileTreeModel::flags(const QModelIndex &index) const
{
    const FileRow *at = row(index);
    if (!at)
        return m_stale ? Qt::NoItemFlags : Qt::ItemIsDropEnabled;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (at->kind == FileRow::Kind::Entry && !at->gone && !m_stale)
        flags |= Qt::ItemIsEditable | Qt::ItemIsDropEnabled;
    if (!at->isFolder())
        flags |= Qt::ItemNeverHasChildren;
    return flags;
}

} // namespace Pilothouse
