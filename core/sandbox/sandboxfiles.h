// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sandbox/sandboxtypes.h"

#include <QByteArray>
#include <QObject>

namespace Pilothouse {

class SandboxClient;

/// How a listing ended.
struct FileListEnd {
    bool complete = false; ///< Everything that is there was told.
    bool cut = false; ///< There is more than we take.
    double machineClock = 0; ///< The machine's time when it ended, seconds since 1970; 0: not told.
    qint64 count = 0;
};

/// A whole tree as one command saw it.
struct FileSurvey {
    QList<FileEntry> entries; ///< Names are paths below the root. Of changed files only if `cut`.
    bool complete = false;
    bool cut = false;
    double machineClock = 0;
};

/// Bytes of a file from an offset on.
struct FilePart {
    QByteArray bytes;
    qint64 total = -1; ///< Of the whole file; -1: the service did not tell.
    QByteArray version; ///< Changes with the file; empty: not known. For parts of one file read one by one.
};

/// File calls with paths as exact bytes, which SandboxClient's own (text) cannot name. Nothing here starts a
/// paused machine (Wake::Never). Lives in the engine thread. Every call lives as long as its `scope` and
/// replies once, on a later event-loop turn.
class SandboxFiles {
public:
    /// What listing a folder takes at most; more is told by `cut`.
    static constexpr qint64 MostEntries = 250000;
    /// What a survey takes at most before it gives up on whole trees and asks for changes only.
    static constexpr int MostSurveyed = 4000;

    explicit SandboxFiles(SandboxClient *client)
        : m_client(client)
    { }

    /// One folder, in the order of the machine. `some` runs with pieces as they come, the first one early.
    /// Errors: NotFound, InvalidRequest (not a folder).
    void list(const QString &id, const QByteArray &path, QObject *scope,
              std::function<void(const QList<FileEntry> &)> some, Reply<FileListEnd> reply) const;
    /// Everything below `root` but for what stands in folders of tools (.git, node_modules, …). If that is
    /// more than MostSurveyed: the files changed since `since` (seconds, the machine's clock), at most as
    /// many.
    void survey(const QString &id, const QByteArray &root, double since, QObject *scope,
                Reply<FileSurvey> reply) const;
    /// At most `length` bytes from `offset` on.
    void read(const QString &id, const QByteArray &path, qint64 offset, qint64 length, QObject *scope,
              Reply<FilePart> reply) const;
    /// Makes or overwrites a file, parents included. A lost answer: outcomeUnknown.
    void write(const QString &id, const QByteArray &path, const QByteArray &bytes, QObject *scope,
               Reply<Done> reply) const;
    /// Appends `piece` (a file of the machine) to `whole` and removes the piece.
    void append(const QString &id, const QByteArray &piece, const QByteArray &whole, QObject *scope,
                Reply<Done> reply) const;
    /// Errors: Conflict with code "exists".
    void makeFolder(const QString &id, const QByteArray &path, QObject *scope, Reply<Done> reply) const;
    /// With parents; done if it is there.
    void ensureFolder(const QString &id, const QByteArray &path, QObject *scope, Reply<Done> reply) const;
    /// Errors: Conflict with code "exists" (nothing is ever replaced), NotFound.
    void rename(const QString &id, const QByteArray &from, const QByteArray &to, QObject *scope,
                Reply<Done> reply) const;
    /// As rename(), but replaces a file.
    void replace(const QString &id, const QByteArray &from, const QByteArray &to, QObject *scope,
                 Reply<Done> reply) const;
    /// A file, a link itself, or a folder with all that is in it. Errors: NotFound.
    void remove(const QString &id, const QByteArray &path, QObject *scope, Reply<Done> reply) const;

    /// Folders that a survey names but does not enter: .git, node_modules and the like.
    [[nodiscard]] static bool isToolFolder(QByteArrayView name);
    /// Why a path cannot be used, or an empty string.
    [[nodiscard]] static QString pathProblem(const QByteArray &path);

private:
    void change(const QString &id, const QString &script, const QByteArray &a, const QByteArray &b,
                QObject *scope, Reply<Done> reply) const;

    SandboxClient *m_client;
};

} // namespace Pilothouse
