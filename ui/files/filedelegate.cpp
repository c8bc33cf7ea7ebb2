// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/filedelegate.h"

#include "files/filename.h"
#include "files/filetreemodel.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QLineEdit>
#include <QPainter>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int LetterColumn = 16;
constexpr int RightMargin = 8;
constexpr int NarrowestName = 48; // Below this, what stands right of the name gives way.

bool endsWithOneOf(const QByteArray &name, std::initializer_list<const char *> endings)
{
    const QByteArray lower = name.toLower();
    return std::any_of(endings.begin(), endings.end(),
                       [&lower](const char *ending) { return lower.endsWith(ending); });
}

struct LetterLook {
    QString letter;
    Role color;
};

LetterLook letterLook(FileChanges::Letter letter)
{
    switch (letter) {
    case FileChanges::Letter::None:
        break;
    case FileChanges::Letter::Modified:
        return {u"M"_s, Role::Accent};
    case FileChanges::Letter::Added:
        return {u"A"_s, Role::Finished};
    case FileChanges::Letter::Deleted:
        return {u"D"_s, Role::Failed};
    }
    return {{}, Role::Text3};
}

QRect iconRect(const QRect &rect)
{
    const int size = Theme::instance().px(Metrics::IconNormal);
    return {rect.left(), rect.top() + (rect.height() - size) / 2, size, size};
}

} // namespace

QString fileIconName(const QByteArray &name, QChar type, bool isOpen)
{
    if (type == u'd')
        return isOpen ? u"folder-open"_s : u"folder"_s;
    if (type == u'l')
        return u"external-link"_s;
    if (type != u'f')
        return u"hard-drive"_s;
    if (endsWithOneOf(name, {".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".svg"}))
        return u"file-image"_s;
    if (endsWithOneOf(name,
                      {".c",  ".h",   ".cc",   ".cpp", ".hpp",  ".cs",  ".css", ".go",  ".html", ".java",
                       ".js", ".jsx", ".json", ".kt",  ".lua",  ".php", ".pl",  ".py",  ".rb",   ".rs",
                       ".sh", ".sql", ".ts",   ".tsx", ".toml", ".vue", ".xml", ".yml", ".yaml", ".zig"}))
        return u"file-code"_s;
    if (endsWithOneOf(
            name, {".o", ".so", ".a", ".exe", ".bin", ".zip", ".gz", ".xz", ".tar", ".pyc", ".wasm", ".db"}))
        return u"binary"_s;
    return u"file-text"_s;
}

FileDelegate::FileDelegate(const FileTreeModel *model, QObject *parent)
    : QStyledItemDelegate(parent)
    , m_model(model)
{ }

QSize FileDelegate::sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const
{
    const Theme &theme = Theme::instance();
    return {theme.px(Metrics::SidebarMin), theme.px(Metrics::TreeRow)};
}

int FileDelegate::paintRight(QPainter *painter, const QRect &rect, const QModelIndex &index) const
{
    const Theme &theme = Theme::instance();
    const FileRow &row = *m_model->row(index);
    const bool stale = m_model->isStale();
    const auto ink = [&](Role role) { return theme.color(stale ? Role::Disabled : role); };
    int right = rect.right() + 1 - theme.px(RightMargin);
    const int letterWidth = theme.px(LetterColumn);
    const QRect letterRect(right - letterWidth, rect.top(), letterWidth, rect.height());
    painter->setFont(theme.font(TextStyle::Section));
    if (row.isFolder()) {
        const int changed = m_model->changedBelow(index);
        if (changed == 0)
            return right;
        painter->setPen(ink(Role::Text2));
        painter->drawText(letterRect, Qt::AlignCenter, u"•"_s);
        const QString count = QString::number(changed);
        right = letterRect.left() - theme.px(Metrics::SpaceXs);
        painter->setFont(theme.font(TextStyle::Meta));
        const int width = painter->fontMetrics().horizontalAdvance(count);
        painter->drawText(QRect(right - width, rect.top(), width, rect.height()), Qt::AlignVCenter, count);
        return right - width - theme.px(Metrics::SpaceS);
    }
    const FileChanges::Mark mark = m_model->mark(index);
    if (mark.letter != FileChanges::Letter::None) {
        const LetterLook look = letterLook(mark.letter);
        painter->setPen(ink(look.color));
        painter->drawText(letterRect, Qt::AlignCenter, look.letter);
    }
    right = letterRect.left() - theme.px(Metrics::SpaceXs);
    painter->setFont(theme.font(TextStyle::Meta));
    QString text;
    if (mark.linesAdded) {
        text = u'+' + QString::number(*mark.linesAdded);
        painter->setPen(ink(Role::Finished));
    } else if (!row.gone && row.entry.type == u'f' && row.entry.size >= 0) {
        text = bytesText(row.entry.size);
        painter->setPen(ink(Role::Text3));
    }
    if (text.isEmpty())
        return right;
    const int width = painter->fontMetrics().horizontalAdvance(text);
    if (right - width < rect.left() + theme.px(Metrics::IconNormal + Metrics::SpaceS + NarrowestName))
        return right;
    painter->drawText(QRect(right - width, rect.top(), width, rect.height()), Qt::AlignVCenter, text);
    return right - width - theme.px(Metrics::SpaceS);
}

void FileDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                         const QModelIndex &index) const
{
    const FileRow *row = m_model->row(index);
    if (!row)
        return;
    const Theme &theme = Theme::instance();
    painter->save();
    QRect rect = option.rect;
    if (row->kind != FileRow::Kind::Entry) {
        const bool isMore = row->kind == FileRow::Kind::More;
        painter->setFont(theme.font(TextStyle::Small));
        painter->setPen(theme.color(isMore ? Role::Accent : Role::Text3));
        painter->drawText(rect, Qt::AlignVCenter | Qt::TextSingleLine,
                          painter->fontMetrics().elidedText(row->words, Qt::ElideRight, rect.width()));
        painter->restore();
        return;
    }
    const bool stale = m_model->isStale();
    const bool isOpen = option.state.testFlag(QStyle::State_Open);
    const int end = paintRight(painter, rect, index);
    paintIcon(painter, iconRect(rect), fileIconName(row->entry.name, row->entry.type, isOpen),
              stale || row->gone ? Role::Disabled : Role::Text2);
    rect.setLeft(rect.left() + theme.px(Metrics::IconNormal + Metrics::SpaceS));
    rect.setRight(end - 1);
    QFont font = theme.font(TextStyle::Body);
    font.setStrikeOut(row->gone);
    painter->setFont(font);
    const bool isQuiet = row->entry.name.startsWith('.') && row->isFolder();
    painter->setPen(theme.color(stale ? Role::Disabled : row->gone || isQuiet ? Role::Text3 : Role::Text));
    const QString name = shownName(row->entry.name);
    painter->drawText(rect, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                      painter->fontMetrics().elidedText(name, Qt::ElideRight, std::max(0, rect.width())));
    painter->restore();
}

QWidget *FileDelegate::createEditor(QWidget *parent, const QStyleOptionViewItem &, const QModelIndex &) const
{
    auto *editor = new QLineEdit(parent);
    editor->setAccessibleName(tr("New name"));
    editor->setFont(Theme::instance().font(TextStyle::Body));
    return editor;
}

void FileDelegate::setEditorData(QWidget *editor, const QModelIndex &index) const
{
    auto *edit = qobject_cast<QLineEdit *>(editor);
    if (!edit || edit->isModified())
        return; // A listing that comes meanwhile must not undo what is typed.
    const QString name = index.data(Qt::EditRole).toString();
    edit->setText(name);
    const qsizetype dot = name.lastIndexOf(u'.');
    if (dot > 0) // The ending mostly stays.
        edit->setSelection(0, int(dot));
    else
        edit->selectAll();
}

void FileDelegate::updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                                        const QModelIndex &) const
{
    const Theme &theme = Theme::instance();
    QRect rect = option.rect;
    rect.setLeft(rect.left() + theme.px(Metrics::IconNormal + Metrics::SpaceXs));
    rect.setRight(rect.right() - theme.px(Metrics::SpaceXs));
    editor->setGeometry(rect);
}

} // namespace Pilothouse
