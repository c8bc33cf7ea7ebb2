// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "files/filetreemodel.h"

#include <memory>
#include <vector>

namespace Pilothouse {

// What the parts of the model share; nothing else includes it.

struct FileTreeModel::Folder {
    enum class State { Unlisted = 1, Listing, Partial, Listed };
    State state = State::Unlisted;
    std::vector<std::unique_ptr<Node>> rows; ///< Entries in order, then at most one More and one Note.
    QList<FileEntry> all; ///< Sorted; from `restFrom` on what follows the rows. Shared, never copied.
    qsizetype restFrom = 0;
    QString note;

    [[nodiscard]] std::size_t entryCount() const;
    [[nodiscard]] qsizetype restCount() const { return all.size() - restFrom; }
};

struct FileTreeModel::Node {
    FileRow row;
    Node *parent = nullptr;
    std::unique_ptr<Folder> folder; ///< Of folders.
};

} // namespace Pilothouse
