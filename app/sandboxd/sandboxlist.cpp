// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "sandboxlist.h"

#include <QSet>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 MaxPage = 200; // Larger limits are reduced without a word, as the API does.

enum class SortKey { CreatedAt = 1, Name, Status };

struct Selection {
    StringMap metadata;
    QSet<SandboxStatus> statuses;
    QString name;
    SortKey sort = SortKey::CreatedAt;
    bool isAscending = false;
    qint64 limit = -1;
    qint64 offset = 0;
};

std::optional<qint64> toCount(const QByteArray &value, qint64 least)
{
    bool ok = false;
    const qint64 number = value.toLongLong(&ok);
    return ok && number >= least ? std::optional(number) : std::nullopt;
}

/// Takes one pair; returns what is wrong with it. Unknown names are ignored.
QString take(Selection &selection, const QByteArray &name, const QByteArray &value)
{
    if (name.startsWith("metadata.")) {
        const QString key = QString::fromUtf8(name.sliced(9));
        for (const auto &[known, ignored] : selection.metadata) {
            if (known == key)
                return u"a metadata key stands twice in the query"_s;
        }
        selection.metadata.append({key, QString::fromUtf8(value)});
    } else if (name == "status") {
        for (const QByteArray &word : value.split(',')) {
            const auto status = statusFromName(QString::fromUtf8(word));
            if (!status)
                return u"unknown status"_s;
            selection.statuses.insert(*status);
        }
    } else if (name == "q") {
        selection.name = QString::fromUtf8(value);
    } else if (name == "sort") {
        if (value != "created_at" && value != "name" && value != "status")
            return u"sort must be created_at, name or status"_s;
        selection.sort = value == "name" ? SortKey::Name
            : value == "status"          ? SortKey::Status
                                         : SortKey::CreatedAt;
    } else if (name == "order") {
        if (value != "asc" && value != "desc")
            return u"order must be asc or desc"_s;
        selection.isAscending = value == "asc";
    } else if (name == "limit") {
        const auto limit = toCount(value, 1);
        if (!limit)
            return u"limit must be a positive integer"_s;
        selection.limit = qMin(*limit, MaxPage);
    } else if (name == "offset") {
        const auto offset = toCount(value, 0);
        if (!offset)
            return u"offset must be an integer from 0"_s;
        selection.offset = *offset;
    }
    return {};
}

bool matches(const SandboxMeta &meta, const Selection &selection)
{
    for (const auto &pair : selection.metadata) {
        if (!meta.metadata.contains(pair))
            return false;
    }
    return (selection.statuses.isEmpty() || selection.statuses.contains(meta.status))
        && (selection.name.isEmpty() || meta.name.contains(selection.name));
}

bool isLess(const SandboxMeta &a, const SandboxMeta &b, SortKey key)
{
    switch (key) {
    case SortKey::CreatedAt:
        return a.createdAtMs < b.createdAtMs;
    case SortKey::Name:
        return a.name < b.name;
    case SortKey::Status:
        return statusName(a.status) < statusName(b.status);
    }
    return false;
}

} // namespace

Result<SandboxPage, ApiFailure> selectSandboxes(const QList<SandboxPtr> &all, const QByteArray &query)
{
    Selection selection;
    for (const auto &[name, value] : parseQuery(query)) {
        if (const QString problem = take(selection, name, value); !problem.isEmpty())
            return fail(ApiFailure{400, "bad_request", problem});
    }
    SandboxPage page;
    for (const SandboxPtr &sandbox : all) {
        if (matches(sandbox->meta(), selection))
            page.rows.append(sandbox);
    }
    std::stable_sort(page.rows.begin(), page.rows.end(), [&](const SandboxPtr &a, const SandboxPtr &b) {
        return selection.isAscending ? isLess(a->meta(), b->meta(), selection.sort)
                                     : isLess(b->meta(), a->meta(), selection.sort);
    });
    page.total = page.rows.size();
    page.rows = page.rows.mid(qMin(selection.offset, qint64(page.total)), selection.limit);
    return page;
}

} // namespace Pilothouse
