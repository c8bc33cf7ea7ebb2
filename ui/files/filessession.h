// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/filesservice.h"
#include "files/filechanges.h"
#include "files/filetreemodel.h"

#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <optional>

namespace Pilothouse {

class HistoryService;

/// The files of one conversation's machine: tree, changes, and when to look. Looks by itself only while the
/// machine is known to be active: when it becomes so, and some moments after calls of the agent ended. What
/// was seen stays when the machine is paused.
class FilesSession : public QObject {
    Q_OBJECT
public:
    enum class Machine {
        None = 1, ///< There is no machine yet.
        Active,
        Busy, ///< Starting, pausing: soon something else.
        Paused,
        Gone, ///< Deleted or lost.
        Unknown, ///< Not known for certain; looked at only when asked to.
    };

    /// `service` null: nothing can be asked; both outlive the session.
    FilesSession(FilesService *service, HistoryService *history, QString conversation, QObject *parent);
    ~FilesSession() override;

    void setMachine(const QString &backend, const QString &sandboxId, const QString &sandboxState);
    /// The person asked for the machine to be woken: what setMachine() says next is news again.
    void expectWake() { m_foundInactive = false; }
    void takeEvent(const Event &event);
    /// Only a session that is current sends anything.
    void setCurrent(bool current);

    [[nodiscard]] Machine machine() const { return m_machine; }
    [[nodiscard]] const QString &machineWord() const { return m_state; }
    [[nodiscard]] const MachinePlace &place() const { return m_place; }
    [[nodiscard]] const QString &conversation() const { return m_conversation; }
    [[nodiscard]] FilesService *service() const { return m_service; }
    [[nodiscard]] FileTreeModel *model() { return &m_model; }
    [[nodiscard]] FileChanges *changes() { return &m_changes; }
    [[nodiscard]] bool canAsk() const;
    [[nodiscard]] bool isListing() const { return !m_listings.isEmpty() || m_surveying; }
    [[nodiscard]] bool hasTree() const; ///< Something can be shown.
    /// Why the root could not be listed.
    [[nodiscard]] const std::optional<FileFault> &rootFault() const { return m_rootFault; }
    [[nodiscard]] qint64 seenMs() const { return m_seenMs; } ///< When the tree was last true; 0: never.

    void setRoot(const QByteArray &path);
    void refresh(); ///< At once, if the machine can be asked.
    void refreshSoon();
    void refreshFolder(const QByteArray &folder);

    [[nodiscard]] static QByteArray home(); ///< Where agents work by default.

Q_SIGNALS:
    void machineChanged();
    void stateChanged(); ///< Listing began or ended, or the root's fault changed.
    void changesChanged();
    void refreshed(); ///< The tree is as the machine says.
    /// The machine itself is not as it was told: it is "paused" or "gone".
    void machineFound(const QString &sandboxId, const QString &state);

private:
    struct Listing {
        FilesService::Call call = 0;
        QList<FileEntry> entries;
        bool shown = false;
        bool again = false; ///< Asked for once more while it ran.
    };

    void setState(const QString &state);
    void readHistory(qint64 fromSeq);
    void list(const QByteArray &folder);
    void takeListing(const QByteArray &folder, const QList<FileEntry> &sorted, const FileListEnd &end);
    void endListing(const QByteArray &folder);
    void survey();
    void find(const QString &state);
    void takeFault(const QByteArray &folder, const FileFault &fault);
    void seen();

    FilesService *m_service;
    HistoryService *m_history;
    QString m_conversation;
    MachinePlace m_place;
    QString m_state;
    Machine m_machine = Machine::None;
    FileTreeModel m_model;
    FileChanges m_changes;
    QHash<QByteArray, Listing> m_listings;
    QList<EventPtr> m_early; ///< Events that came before the history was read.
    std::optional<FileFault> m_rootFault;
    QTimer m_soon;
    QElapsedTimer m_sinceSurvey;
    QString m_told; ///< State that setMachine() was given last.
    qint64 m_seenMs = 0;
    qint64 m_lastSeq = 0;
    int m_pages = 0;
    bool m_historyRead = false;
    bool m_current = false;
    bool m_foundInactive = false; ///< The machine itself said so; what was told before is old.
    bool m_surveying = false;
    bool m_surveyAgain = false;
    bool m_dirty = true; ///< Something may have changed since the last look.
};

} // namespace Pilothouse
