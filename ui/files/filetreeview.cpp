// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filetreeview.h"

#include "files/filedelegate.h"
#include "files/filename.h"
#include "files/filetreemodel.h"
#include "files/localurls.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QContextMenuEvent>
#include <QDragEnterEvent>
#include <QHeaderView>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int ChevronSize = 14;
constexpr int Indentation = 20;
// A folder larger than this gives its rows back when it is closed.
constexpr qint64 LargeFolder = 10000;

} // namespace

FileTreeView::FileTreeView(QWidget *parent)
    : QTreeView(parent)
{
    setAccessibleName(tr("Files of the machine"));
    setHeaderHidden(true);
    setUniformRowHeights(true);
    setFrameShape(QFrame::NoFrame);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::EditKeyPressed);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setExpandsOnDoubleClick(false);
    setAcceptDrops(true);
    setMouseTracking(true);
    setAllColumnsShowFocus(true);
    header()->setStretchLastSection(true);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &FileTreeView::revealVisible);
    connect(this, &QTreeView::collapsed, this, [this](const QModelIndex &index) {
        if (m_files && m_files->entryCount(index) > LargeFolder)
            m_files->forget(index);
    });
    connect(&Theme::instance(), &Theme::changed, this, &FileTreeView::applyTheme);
    applyTheme();
}

void FileTreeView::applyTheme()
{
    setIndentation(Theme::instance().px(Indentation));
    scheduleDelayedItemsLayout();
    viewport()->update();
}

void FileTreeView::setFileModel(FileTreeModel *model)
{
    if (model == m_files)
        return;
    if (m_files)
        disconnect(m_files, nullptr, this, nullptr);
    QAbstractItemDelegate *const old = itemDelegate();
    QItemSelectionModel *const oldSelection = selectionModel();
    m_files = model;
    setModel(model);
    delete oldSelection; // A view leaves it to its parent, which may live long.
    if (model) {
        setItemDelegate(new FileDelegate(model, this));
        if (qobject_cast<FileDelegate *>(old))
            old->deleteLater();
        connect(model, &FileTreeModel::marksChanged, this, [this] { viewport()->update(); });
    }
}

QList<QModelIndex> FileTreeView::selectedEntries() const
{
    QList<QModelIndex> entries;
    if (!m_files)
        return entries;
    for (const QModelIndex &index : selectionModel()->selectedIndexes()) {
        const FileRow *row = m_files->row(index);
        if (row && row->kind == FileRow::Kind::Entry && !row->gone)
            entries.append(index);
    }
    return entries;
}

QByteArray FileTreeView::currentFolder() const
{
    if (!m_files)
        return {};
    const QModelIndex index = currentIndex();
    const FileRow *row = m_files->row(index);
    if (!row || !selectionModel()->isSelected(index))
        return m_files->root();
    if (row->kind != FileRow::Kind::Entry || row->isFolder())
        return m_files->path(index);
    return parentPath(m_files->path(index));
}

void FileTreeView::select(const QModelIndex &index)
{
    if (!index.isValid())
        return;
    setCurrentIndex(index);
    scrollTo(index);
}

void FileTreeView::currentChanged(const QModelIndex &current, const QModelIndex &previous)
{
    QTreeView::currentChanged(current, previous);
    Q_EMIT currentEntryChanged(current);
}

// The next entry, else the one before, else the folder.
QModelIndex FileTreeView::nearestOutside(const QModelIndex &parent, int start, int end) const
{
    const auto takes = [&](int row) {
        const FileRow *at = m_files->row(m_files->index(row, 0, parent));
        return at && at->kind == FileRow::Kind::Entry && !isRowHidden(row, parent);
    };
    for (int row = end + 1; row < m_files->rowCount(parent); ++row) {
        if (takes(row))
            return m_files->index(row, 0, parent);
    }
    for (int row = start - 1; row >= 0; --row) {
        if (takes(row))
            return m_files->index(row, 0, parent);
    }
    return parent;
}

// Comes before the selection forgets the rows, and before Qt makes a row current that is not selected.
void FileTreeView::rowsAboutToBeRemoved(const QModelIndex &parent, int start, int end)
{
    const auto goes = [&](QModelIndex index) {
        while (index.isValid() && index.parent() != parent)
            index = index.parent();
        return index.isValid() && index.row() >= start && index.row() <= end;
    };
    if (m_files && selectionModel()) {
        const QModelIndexList selected = selectionModel()->selectedIndexes();
        const bool anyGoes = std::any_of(selected.begin(), selected.end(), goes);
        const bool anyStays = !std::all_of(selected.begin(), selected.end(), goes);
        const bool currentGoes = goes(currentIndex());
        if (currentGoes || (anyGoes && !anyStays)) {
            const QModelIndex next = currentGoes ? nearestOutside(parent, start, end) : currentIndex();
            selectionModel()->setCurrentIndex(next,
                                              anyGoes && !anyStays ? QItemSelectionModel::ClearAndSelect
                                                                   : QItemSelectionModel::NoUpdate);
        }
    }
    QTreeView::rowsAboutToBeRemoved(parent, start, end);
}

void FileTreeView::activate(const QModelIndex &index)
{
    const FileRow *row = m_files ? m_files->row(index) : nullptr;
    if (!row)
        return;
    switch (row->kind) {
    case FileRow::Kind::More: {
        // The row that takes its place becomes the current one.
        const QModelIndex parent = index.parent();
        const int at = index.row();
        m_files->reveal(index);
        setCurrentIndex(m_files->index(at, 0, parent));
        break;
    }
    case FileRow::Kind::Note:
        break;
    case FileRow::Kind::Entry:
        if (row->isFolder())
            setExpanded(index, !isExpanded(index));
        else
            Q_EMIT opened(index);
        break;
    }
}

void FileTreeView::revealVisible()
{
    if (!m_files)
        return;
    const QModelIndex last = indexAt(QPoint(1, viewport()->height() - 1));
    const FileRow *row = m_files->row(last);
    if (row && row->kind == FileRow::Kind::More) {
        // Not inside the scrolling that led here.
        QMetaObject::invokeMethod(
            this,
            [this, more = QPersistentModelIndex(last)] {
                if (m_files && more.isValid() && more.model() == m_files)
                    m_files->reveal(more);
            },
            Qt::QueuedConnection);
    }
}

void FileTreeView::drawRow(QPainter *painter, const QStyleOptionViewItem &options,
                           const QModelIndex &index) const
{
    const QRect rect(0, options.rect.top(), viewport()->width(), options.rect.height());
    const bool isSelected = selectionModel()->isSelected(index);
    const QPoint mouse = viewport()->mapFromGlobal(QCursor::pos());
    const bool isHovered = viewport()->underMouse() && rect.contains(mouse);
    paintRow(painter, rect, isSelected, hasFocus(), isHovered, layoutDirection());
    if (m_dropping && m_dropRow.isValid() && m_dropRow == index)
        paintBox(painter, rect, Role::AccentSoft, Role::Accent, Metrics::RadiusToolButton);
    // The keyboard can stand on a row that is not selected.
    if (hasFocus() && !isSelected && index.siblingAtColumn(0) == currentIndex().siblingAtColumn(0))
        paintFocusRing(painter, QRectF(rect).adjusted(1, 1, -1, -1), Metrics::RadiusToolButton);
    QStyleOptionViewItem option = options;
    if (isExpanded(index))
        option.state |= QStyle::State_Open;
    option.showDecorationSelected = false;
    QTreeView::drawRow(painter, option, index);
}

void FileTreeView::drawBranches(QPainter *painter, const QRect &rect, const QModelIndex &index) const
{
    if (!m_files || !m_files->hasChildren(index))
        return;
    const int size = Theme::instance().px(ChevronSize);
    const QRect place(rect.right() + 1 - indentation() + (indentation() - size) / 2,
                      rect.top() + (rect.height() - size) / 2, size, size);
    const bool isClosedLeft = isRightToLeft();
    paintIcon(painter, place,
              isExpanded(index)  ? u"chevron-down"_s
                  : isClosedLeft ? u"chevron-left"_s
                                 : u"chevron-right"_s,
              m_files->isStale() ? Role::Disabled : Role::Text3);
}

bool FileTreeView::event(QEvent *event)
{
    // Here it renames the file; the window's own shortcut would rename the conversation.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent *>(event)->key() == Qt::Key_F2
        && currentIndex().isValid())
        event->accept();
    return QTreeView::event(event);
}

void FileTreeView::keyPressEvent(QKeyEvent *event)
{
    if (state() == EditingState) { // Keys that the editor let through.
        QTreeView::keyPressEvent(event);
        return;
    }
    if (event->matches(QKeySequence::Copy)) {
        Q_EMIT copyWanted();
        return;
    }
    if (event->matches(QKeySequence::Refresh)) {
        Q_EMIT refreshWanted();
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        activate(currentIndex());
        return;
    }
    if (event->key() == Qt::Key_Delete && event->modifiers() == Qt::NoModifier) {
        Q_EMIT deleteWanted();
        return;
    }
    QTreeView::keyPressEvent(event);
}

void FileTreeView::mousePressEvent(QMouseEvent *event)
{
    const QModelIndex index = indexAt(event->position().toPoint());
    if (!index.isValid()) {
        clearSelection();
        setCurrentIndex({});
    }
    QTreeView::mousePressEvent(event);
    const FileRow *row = m_files ? m_files->row(index) : nullptr;
    if (row && row->kind == FileRow::Kind::More && event->button() == Qt::LeftButton)
        activate(index);
}

void FileTreeView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const QModelIndex index = indexAt(event->position().toPoint());
    if (index.isValid() && event->button() == Qt::LeftButton)
        activate(index);
}

void FileTreeView::contextMenuEvent(QContextMenuEvent *event)
{
    QPoint at = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard && currentIndex().isValid())
        at = viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft());
    Q_EMIT menuWanted(at);
}

void FileTreeView::setDropRow(const QModelIndex &index, bool active)
{
    const FileRow *row = m_files ? m_files->row(index) : nullptr;
    const QModelIndex folder = row && row->kind == FileRow::Kind::Entry && row->isFolder() ? index
        : row                                                                              ? index.parent()
                                                                                           : QModelIndex();
    m_dropRow = folder;
    m_dropping = active;
    viewport()->update();
}

void FileTreeView::dragEnterEvent(QDragEnterEvent *event)
{
    if (!m_files || m_files->isStale() || localPaths(event->mimeData()).isEmpty())
        return;
    event->setDropAction(Qt::CopyAction);
    event->accept();
    setDropRow({}, true);
}

void FileTreeView::dragMoveEvent(QDragMoveEvent *event)
{
    if (!m_dropping)
        return;
    setDropRow(indexAt(event->position().toPoint()), true);
    event->setDropAction(Qt::CopyAction);
    event->accept();
}

void FileTreeView::dragLeaveEvent(QDragLeaveEvent *event)
{
    setDropRow({}, false);
    event->accept();
}

void FileTreeView::dropEvent(QDropEvent *event)
{
    const QStringList paths = localPaths(event->mimeData());
    if (!m_files || m_files->isStale() || paths.isEmpty())
        return;
    setDropRow(indexAt(event->position().toPoint()), false);
    event->setDropAction(Qt::CopyAction); // Never a move: nothing of this computer goes away.
    event->accept();
    Q_EMIT filesDropped(paths, m_dropRow.isValid() ? m_files->path(m_dropRow) : m_files->root());
}

void FileTreeView::paintEvent(QPaintEvent *event)
{
    QTreeView::paintEvent(event);
    // Of rows the current one shows the focus.
    const bool showsFocus = hasFocus() && !currentIndex().isValid();
    if ((m_dropping && !m_dropRow.isValid()) || showsFocus) {
        QPainter painter(viewport());
        paintFocusRing(&painter, QRectF(viewport()->rect()), 0);
    }
}

} // namespace Pilothouse
