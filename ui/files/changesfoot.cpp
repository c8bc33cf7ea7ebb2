// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/changesfoot.h"

#include "theme/controls/button.h"
#include "theme/controls/label.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QMenu>

namespace Pilothouse {

using namespace Qt::StringLiterals;

ChangesFoot::ChangesFoot(QWidget *parent)
    : QWidget(parent)
    , m_none(new Label(tr("No changes"), TextStyle::Small, Role::Text2))
    , m_letters{new Label({}, TextStyle::Small, Role::Accent),
                new Label({}, TextStyle::Small, Role::Finished),
                new Label({}, TextStyle::Small, Role::Failed)}
    , m_scopeButton(new Button({}, Button::Kind::Plain))
{
    const Theme &theme = Theme::instance();
    setFixedHeight(theme.px(Metrics::SecondHeader));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(theme.px(Metrics::SpaceM), 0, theme.px(Metrics::SpaceXs), 0);
    row->setSpacing(theme.px(Metrics::SpaceM));
    row->addWidget(m_none);
    for (Label *label : m_letters)
        row->addWidget(label);
    row->addStretch(1);
    m_scopeButton->setSmall(true);
    m_scopeButton->setChevron(true);
    m_scopeButton->setTextStyle(TextStyle::Small);
    m_scopeButton->setTextRole(Role::Text2);
    row->addWidget(m_scopeButton);
    connect(m_scopeButton, &Button::clicked, this, &ChangesFoot::showMenu);
    show({}, m_scope, 0);
}

void ChangesFoot::show(const FileChanges::Counts &counts, FileChanges::Scope scope, int turn)
{
    m_scope = scope;
    const struct {
        int count;
        QString text;
        QString words;
    } parts[]{{counts.modified, tr("M %1").arg(counts.modified), tr("%1 modified").arg(counts.modified)},
              {counts.added, tr("A %1").arg(counts.added), tr("%1 added").arg(counts.added)},
              {counts.deleted, tr("D %1").arg(counts.deleted), tr("%1 deleted").arg(counts.deleted)}};
    for (int i = 0; i < 3; ++i) {
        m_letters[i]->setText(parts[i].text);
        m_letters[i]->setAccessibleName(parts[i].words);
        m_letters[i]->setToolTip(parts[i].words);
        m_letters[i]->setVisible(parts[i].count > 0);
    }
    m_none->setVisible(counts.total() == 0);
    const QString text = scope == FileChanges::Scope::Conversation ? tr("since turn 1")
        : turn > 0                                                 ? tr("in turn %1").arg(turn)
                                                                   : tr("in this turn");
    m_scopeButton->setText(text);
    m_scopeButton->setAccessibleName(tr("Changes shown: %1").arg(text));
}

QString ChangesFoot::text() const
{
    if (!m_none->isHidden())
        return m_none->text();
    QStringList parts;
    for (const Label *label : m_letters) {
        if (!label->isHidden())
            parts.append(label->text());
    }
    return parts.join(u' ');
}

void ChangesFoot::showMenu()
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [this, menu](const QString &text, FileChanges::Scope scope) {
        QAction *action = menu->addAction(text, this, [this, scope] { Q_EMIT scopeChosen(scope); });
        action->setCheckable(true);
        action->setChecked(m_scope == scope);
    };
    add(tr("Changes in this turn"), FileChanges::Scope::Turn);
    add(tr("Changes since the conversation began"), FileChanges::Scope::Conversation);
    menu->popup(m_scopeButton->mapToGlobal(QPoint(0, m_scopeButton->height())));
}

} // namespace Pilothouse
