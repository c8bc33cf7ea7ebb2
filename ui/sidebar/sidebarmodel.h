// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QAbstractListModel>
#include <QSet>
#include <QString>

namespace Pilothouse {

class ConversationListModel;
struct ConversationSummary;

/// The conversations as the sidebar shows them: in groups with a heading each, found titles only while
/// something is looked for. Roles are those of ConversationListModel and the ones below.
class SidebarModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum class Group { NeedsYou = 1, Running, Idle, Archived };
    enum Role {
        GroupRole = Qt::UserRole + 200, ///< int of Group, for every row.
        IsHeadingRole,
        CountRole, ///< Of headings.
        IsOpenRole, ///< Of headings: its conversations are shown.
        UnseenRole, ///< Something happened that the person has not looked at.
    };

    /// `source` outlives this.
    explicit SidebarModel(ConversationListModel *source, QObject *parent = nullptr);

    void setFilter(const QString &words); ///< Titles that have all the words; empty: all.
    [[nodiscard]] bool isFiltered() const { return !m_words.isEmpty(); }
    void setArchivedShown(bool shown);
    [[nodiscard]] bool isArchivedShown() const { return m_archivedShown; }
    /// The conversation that is looked at; what happened in it counts as seen.
    void setCurrent(const QString &id);

    [[nodiscard]] static Group groupOf(const ConversationSummary &summary);
    [[nodiscard]] int placeOf(const QString &id) const;
    [[nodiscard]] int conversationCount() const; ///< Shown ones, without headings.
    [[nodiscard]] int countOf(Group group) const; ///< All of the group that match, shown or not.

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    /// Of Qt::EditRole: asks for another title.
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;

Q_SIGNALS:
    void renameRequested(const QString &id, const QString &title);

private:
    struct Row {
        Group group = Group::Idle;
        QString id; ///< Empty: the heading.
        friend bool operator==(const Row &, const Row &) = default;
    };
    void rebuild();
    void onChanged(const QModelIndex &first, const QModelIndex &last);
    void noteNews();
    [[nodiscard]] bool matches(const ConversationSummary &summary) const;
    [[nodiscard]] QVariant headingData(const Row &row, int role) const;

    ConversationListModel *m_source;
    QList<Row> m_rows;
    QHash<Group, int> m_counts;
    QStringList m_words;
    QString m_current;
    QHash<QString, QString> m_states; ///< As last seen here, by conversation.
    QSet<QString> m_unseen;
    bool m_archivedShown = false;
};

/// "Needs you"
[[nodiscard]] QString groupText(SidebarModel::Group group);

} // namespace Pilothouse
