// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/filesservice.h"
#include "util/event.h"

#include <QHash>
#include <QSet>

#include <optional>

namespace Pilothouse {

/// What became of files of a machine since this turn, or since the conversation, began: from events (files
/// the agent wrote), and from what listings tell about times and about names that came or went. What is not
/// known for certain is told as changed, never as nothing.
class FileChanges {
public:
    enum class Scope { Turn = 1, Conversation };
    enum class Letter { None = 1, Modified, Added, Deleted };
    struct Mark {
        Letter letter = Letter::None;
        std::optional<int> linesAdded; ///< Only where the whole text is known.
    };
    struct Counts {
        int modified = 0;
        int added = 0;
        int deleted = 0;
        [[nodiscard]] int total() const { return modified + added + deleted; }
    };
    struct Gone {
        QByteArray name;
        qint64 size = 0;
    };

    void clear(); ///< Another conversation.
    /// Events of the conversation in order, whatever their kind. True if marks may have changed.
    bool take(const Event &event);
    /// A whole tree, or the changed files of one that is too large.
    void takeSurvey(const QByteArray &root, const FileSurvey &survey, double localClock);
    /// One folder.
    void takeListing(const QByteArray &folder, const QList<FileEntry> &entries, const FileListEnd &end,
                     double localClock);
    /// The person wrote these, not the agent: not marked until they change again.
    void ownWritten(const QByteArrayList &paths);
    /// The person gave it another name: what became of it, and of all below it, is known under that one.
    void ownRenamed(const QByteArray &from, const QByteArray &to);
    /// The person removed it: it and all below it are forgotten.
    void ownRemoved(const QByteArray &path);

    /// When the conversation's scope begins, by the machine's clock; 0: nothing has begun.
    [[nodiscard]] double since(Scope scope) const;
    [[nodiscard]] int turn() const { return m_turn; }
    [[nodiscard]] Mark mark(const QByteArray &path, Scope scope) const;
    [[nodiscard]] int changedBelow(const QByteArray &folder, Scope scope) const;
    [[nodiscard]] Counts counts(Scope scope) const;
    /// Deleted files by the folder they were in.
    [[nodiscard]] QHash<QByteArray, QList<Gone>> gone(Scope scope) const;
    [[nodiscard]] bool isEmpty() const { return m_files.isEmpty(); }
    /// Paths that the agent wrote and no listing has shown yet.
    [[nodiscard]] QByteArrayList onlyWritten() const;

private:
    struct File {
        double firstSeen = 0; ///< Machine's clock.
        double firstModified = 0; ///< What its time was then.
        double modified = 0;
        double changed = 0; ///< But for the person giving it another name.
        double renamedAt = 0; ///< What `changed` was told to be after that; negative: not seen since.
        double born = 0;
        double goneAt = 0; ///< 0: it is there.
        double ownTime = 0; ///< modified after the person's own change; negative: not seen since.
        qint64 size = 0;
        qint64 writtenSize = -1; ///< Bytes the agent wrote last; -1: not known.
        int writtenLines = 0;
        bool listed = false; ///< A listing showed it, not only an event.
    };
    struct Totals {
        QHash<QByteArray, int> below; ///< By folder.
        Counts counts;
    };

    void wrote(const QByteArray &path, const QString &text, double at);
    File &see(const QByteArray &path, const FileEntry &entry, double now);
    void setSkew(double machineClock, double localClock);
    [[nodiscard]] Letter letterOf(const File &file, Scope scope) const;
    [[nodiscard]] const Totals &totals(Scope scope) const;

    QHash<QByteArray, File> m_files;
    QHash<QByteArray, QPair<QByteArray, QString>> m_running; ///< Writes that run: callId to path and text.
    double m_conversationAt = 0; ///< Our clock.
    double m_turnAt = 0;
    double m_readyAt = 0;
    double m_skew = 0; ///< Machine's clock minus ours.
    double m_firstSurveyAt = 0; ///< Machine's clock; 0: none that was complete.
    QByteArray m_firstSurveyRoot;
    int m_turn = 0;
    int m_firstTurn = 0;
    bool m_creating = false;
    bool m_madeHere = false; ///< The machine was made in this conversation.
    mutable std::optional<Totals> m_totals[2];
};

} // namespace Pilothouse
