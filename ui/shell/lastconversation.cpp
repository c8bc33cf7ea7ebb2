// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/lastconversation.h"

#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"

#include <QSettings>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
const auto ConversationKey = u"window/conversation"_s;
}

LastConversation::LastConversation(Workspace *workspace, const QString &file, QObject *parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_file(file)
    , m_wanted(QSettings(file, QSettings::IniFormat).value(ConversationKey).toString())
{
    connect(workspace, &Workspace::currentChanged, this, [this](const QString &id) {
        m_wanted.clear();
        QSettings(m_file, QSettings::IniFormat).setValue(ConversationKey, id);
    });
    connect(workspace->conversations(), &QAbstractItemModel::modelReset, this, &LastConversation::open);
    open();
}

void LastConversation::open()
{
    if (m_wanted.isEmpty() || !m_workspace->current().isEmpty()
        || !m_workspace->conversations()->summary(m_wanted))
        return;
    m_workspace->setCurrent(m_wanted);
}

} // namespace Pilothouse
