// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QHash>
#include <QWidget>

class QVBoxLayout;

namespace Pilothouse {

class FileOperations;

/// What runs and what went wrong in one conversation, a row each, with Cancel or Dismiss, and all that is
/// done in one more. Hidden while there is nothing.
class OperationStrip : public QWidget {
    Q_OBJECT
public:
    /// `operations` outlives the strip.
    explicit OperationStrip(FileOperations *operations, QWidget *parent = nullptr);

    void setConversation(const QString &id); ///< Those of others go on, unseen.

Q_SIGNALS:
    void focusLeft(); ///< The row that had the focus went, and no other is there.

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    class DoneRow;
    class Row;
    void rebuild();

    FileOperations *m_operations;
    QString m_conversation;
    QVBoxLayout *m_rows;
    DoneRow *m_done;
    QHash<quint64, Row *> m_byId;
};

} // namespace Pilothouse
