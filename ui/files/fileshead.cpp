// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/fileshead.h"

#include "theme/controls/elidedlabel.h"
#include "theme/controls/searchfield.h"
#include "theme/controls/toolbutton.h"
#include "theme/focus.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QKeySequence>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int LongestFilter = 200;
constexpr int NarrowestFilter = 80;

QHBoxLayout *addBar(QVBoxLayout *column, int height)
{
    const Theme &theme = Theme::instance();
    auto *box = new QWidget;
    box->setFixedHeight(theme.px(height));
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(theme.px(Metrics::SpaceM), 0, theme.px(Metrics::SpaceXs), 0);
    row->setSpacing(theme.px(Metrics::SpaceXs));
    column->addWidget(box);
    return row;
}

} // namespace

FilesHead::FilesHead(QWidget *parent)
    : QWidget(parent)
    , m_filter(new SearchField(tr("Filter files"), {}))
    , m_newFolder(new ToolButton(u"folder-plus"_s, tr("New folder")))
    , m_upload(new ToolButton(u"upload"_s, tr("Upload")))
    , m_refresh(new ToolButton(u"refresh-cw"_s, tr("Refresh")))
    , m_path(new ElidedLabel(tr("Folder shown"), TextStyle::BodyStrong))
    , m_up(new ToolButton(u"arrow-up"_s, tr("Show the folder above")))
    , m_words(new Label({}, TextStyle::Small, Role::Text2))
{
    const Theme &theme = Theme::instance();
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_filter->setIconName(u"list-filter"_s);
    m_filter->setPlaceholderText(tr("Filter files"));
    m_filter->setMaxLength(LongestFilter);
    m_filter->setMinimumWidth(theme.px(NarrowestFilter));
    m_path->setElideMode(Qt::ElideMiddle);
    m_refresh->setName(tr("Refresh"), QKeySequence(QKeySequence::Refresh).toString(QKeySequence::NativeText));
    QHBoxLayout *first = addBar(column, Metrics::ColumnHeader);
    first->addWidget(m_filter, 1);
    for (ToolButton *button : {m_newFolder, m_upload, m_refresh})
        first->addWidget(button);
    QHBoxLayout *second = addBar(column, Metrics::SecondHeader);
    second->addWidget(m_path, 1);
    second->addWidget(m_up);
    m_words->setAccessibleName(tr("What the filter shows"));
    m_words->setWordWrap(true);
    m_words->setContentsMargins(theme.px(Metrics::SpaceM), 0, theme.px(Metrics::SpaceM),
                                theme.px(Metrics::SpaceS));
    m_words->hide();
    column->addWidget(m_words);
    connect(m_newFolder, &QToolButton::clicked, this, &FilesHead::newFolderWanted);
    connect(m_upload, &QToolButton::clicked, this, &FilesHead::uploadWanted);
    connect(m_refresh, &QToolButton::clicked, this, &FilesHead::refreshWanted);
    connect(m_up, &QToolButton::clicked, this, &FilesHead::upWanted);
}

void FilesHead::setPath(const QString &path) { m_path->setWords(path); }

void FilesHead::setFilterWords(const QString &words)
{
    m_words->setText(words);
    m_words->setVisible(!words.isEmpty());
}

void FilesHead::setCan(bool filter, bool change, bool refresh, bool goUp, QWidget *next)
{
    setEnabledKeeping(m_filter, filter, next);
    setEnabledKeeping(m_newFolder, change, next);
    setEnabledKeeping(m_upload, change, next);
    setEnabledKeeping(m_refresh, refresh, next);
    setEnabledKeeping(m_up, goUp, next);
}

} // namespace Pilothouse
