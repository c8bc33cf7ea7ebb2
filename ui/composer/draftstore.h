// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

namespace Pilothouse {

/// Texts that were written and not sent, one file for each conversation, so that a restart loses none. Small
/// and bounded: the oldest drafts go when there are more than MostDrafts. What cannot be written is kept in
/// memory by its owner; a draft is no reason to stop anybody.
class DraftStore {
public:
    static constexpr qsizetype LongestDraft = 1024 * 1024; ///< UTF-8; a longer text is not stored.
    static constexpr int MostDrafts = 500;

    /// `folder` is made when the first draft is written.
    explicit DraftStore(QString folder);

    /// `conversation`: an id, or empty for the one to be made.
    [[nodiscard]] QString load(const QString &conversation) const;
    /// An empty text removes the draft. False if it could not be written.
    bool save(const QString &conversation, const QString &text);

private:
    [[nodiscard]] QString fileName(const QString &conversation) const; ///< Empty: no id of ours.
    void removeOldest() const;

    QString m_folder;
};

} // namespace Pilothouse
