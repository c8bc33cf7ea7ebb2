// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"

#include <QHash>
#include <QWidget>

class QLabel;
class QPushButton;

namespace Pilothouse {

class ComposerEdit;

/// Where a person writes to the agent. Keeps one draft per conversation. While a turn runs what is sent
/// steers it (after the step), and the button says so.
class Composer : public QWidget {
    Q_OBJECT
public:
    explicit Composer(QWidget *parent = nullptr);

    /// The draft that is shown belongs to this conversation; an empty id is the one to be made.
    void setConversation(const QString &id);
    /// The conversation to be made was made: its draft goes along.
    void adoptConversation(const QString &id);
    void setRunning(bool running);
    /// Not empty: why nothing can be sent. The field stays usable for reading.
    void setDisabledReason(const QString &reason);
    /// Puts a text back that could not be sent, before what was written since.
    void restore(const QString &conversation, const QString &text);
    [[nodiscard]] ComposerEdit *edit() const { return m_edit; }

Q_SIGNALS:
    void submitted(const QString &text); ///< Not empty. The field was cleared.
    void problem(const Pilothouse::Error &error);

private:
    void submit();
    void updateButton();

    ComposerEdit *m_edit;
    QPushButton *m_send;
    QLabel *m_hint;
    QString m_conversation;
    QHash<QString, QString> m_drafts; ///< Of conversations that are not shown.
    QString m_disabledReason;
    bool m_running = false;
};

} // namespace Pilothouse
