// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QHash>
#include <QObject>
#include <QSet>

class QWidget;

namespace Pilothouse {

class Workspace;

/// Tells a screen reader of each call that begins to wait for a person, once, in whichever conversation.
class ApprovalNews : public QObject {
    Q_OBJECT
public:
    ApprovalNews(Workspace *workspace, QWidget *page); ///< Child of `page`.

private:
    void update(const QString &conversation);

    Workspace *m_workspace;
    QWidget *m_page;
    QHash<QString, QSet<QString>> m_told; ///< Calls that wait, by conversation.
};

} // namespace Pilothouse
