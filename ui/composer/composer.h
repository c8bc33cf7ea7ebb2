// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "composer/draftstore.h"
#include "util/error.h"

#include <QHash>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <optional>

namespace Pilothouse {

class Button;
class ComposerEdit;
class ElidedLabel;
class ToolButton;

/// Where a person writes to the agent. Keeps one draft for each conversation. While a turn runs what is sent
/// steers it (after the step), and the button says so.
class Composer : public QWidget {
    Q_OBJECT
public:
    enum class State {
        New = 1, ///< The message makes a conversation.
        Idle,
        Running,
        Waiting, ///< A call of the running turn waits for the person.
    };
    /// Asks for files and calls back with them, later, or not at all. Opens no loop of its own.
    using AskFiles = std::function<void(QWidget *parent, std::function<void(const QStringList &)>)>;

    explicit Composer(QWidget *parent = nullptr);
    ~Composer() override; ///< Stores the draft.

    /// Drafts outlive the program in this folder; without it they live as long as the composer.
    void setDraftFolder(const QString &folder);
    /// The draft that is shown belongs to this conversation; an empty id is the one to be made.
    void setConversation(const QString &id);
    /// The conversation to be made was made: its draft goes along.
    void adoptConversation(const QString &id);
    /// The conversation is no more, and neither is its draft.
    void forgetConversation(const QString &id);
    void setState(State state);
    void setRunning(bool running); ///< Running, else Idle or New.
    /// Not empty: why nothing can be sent. The field stays usable for reading.
    void setDisabledReason(const QString &reason);
    /// Whether files can be brought into the sandbox now: then they can be dropped, pasted and chosen.
    void setCanUpload(bool canUpload);
    void setAskFiles(AskFiles ask); ///< The system's file dialog unless set.
    /// Puts a text back that could not be sent, before what was written since.
    void restore(const QString &conversation, const QString &text);
    [[nodiscard]] ComposerEdit *edit() const { return m_edit; }

Q_SIGNALS:
    void submitted(const QString &text); ///< Not empty. The field was cleared.
    void filesDropped(const QStringList &fileNames); ///< To be brought into the sandbox.
    void problem(const Pilothouse::Error &error);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragLeaveEvent(QDragLeaveEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void submit();
    void updateLook();
    void storeDraft();
    [[nodiscard]] QString takeDraft(const QString &id);

    ComposerEdit *m_edit;
    Button *m_send;
    ToolButton *m_attach;
    ElidedLabel *m_hint;
    QString m_conversation;
    QHash<QString, QString> m_drafts; ///< Of conversations that are not shown.
    std::optional<DraftStore> m_store;
    QTimer m_storeSoon;
    AskFiles m_ask;
    QString m_disabledReason;
    State m_state = State::New;
    bool m_dragging = false;
    bool m_canUpload = false;
};

} // namespace Pilothouse
