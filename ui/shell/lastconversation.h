// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QObject>
#include <QString>

namespace Pilothouse {

class Workspace;

/// Opens the conversation again that was looked at when the window was left, however it was left: the choice
/// is kept in `file` as it is made. Whoever chooses one before the list is read is not overruled. Window
/// thread.
class LastConversation : public QObject {
    Q_OBJECT
public:
    LastConversation(Workspace *workspace, const QString &file, QObject *parent);

private:
    void open();

    Workspace *m_workspace;
    QString m_file;
    QString m_wanted;
};

} // namespace Pilothouse
