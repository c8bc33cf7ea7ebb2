// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "inspector/outputmodel.h"

#include <QObject>
#include <QString>

#include <vector>

namespace Pilothouse {

/// A place in an output: a row and a column of its grid.
struct OutputPlace {
    qint64 row = 0;
    int column = 0;
    auto operator<=>(const OutputPlace &other) const = default;
};

/// The text of one row between two columns, as shown; wide characters belong to a range that begins on them.
[[nodiscard]] QString rowText(const LineStore::Row &row, int fromColumn, int toColumn);
[[nodiscard]] QString rowText(const LineStore::Row &row);
/// Columns at which the lines begin when `row` is wrapped at `columns`: after white space where there is
/// some.
[[nodiscard]] std::vector<int> wrapStarts(const LineStore::Row &row, int columns);
/// "49938432 bytes of this line are not shown"
[[nodiscard]] QString hiddenText(qint64 bytes);

/// Collects the text of rows that may first have to be read, in slices. Deletes itself after finished(),
/// which comes exactly once.
class OutputCopier : public QObject {
    Q_OBJECT
public:
    /// A clipboard holds it twice or more, and nothing that is pasted into likes more.
    static constexpr qsizetype LongestText = 8 * 1024 * 1024;

    /// `to` is exclusive. The parent is the model.
    OutputCopier(OutputModel *model, const OutputPlace &from, const OutputPlace &to);

Q_SIGNALS:
    void finished(const QString &text, bool isCut);

private:
    void work();

    OutputModel *m_model;
    OutputPlace m_at;
    OutputPlace m_to;
    QString m_text;
    bool m_ended = false;
};

} // namespace Pilothouse
