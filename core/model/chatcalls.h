// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/streamevent.h"

#include <QHash>
#include <QList>

namespace Pilothouse {

/// Puts the calls of one Chat answer together from pieces. Servers disagree on `index` and `id`: some give
/// both, some either, some neither, and some the same index to all.
class ChatCalls {
public:
    /// One entry of `delta.tool_calls`. New calls take their part from `nextPart`.
    void add(const Json &entry, int &nextPart, QList<StreamEvent> &out);
    [[nodiscard]] qsizetype size() const { return m_calls.size(); }

    /// Closes all: ids are made up where there was none or the same twice, the arguments are checked. Calls
    /// that never got a name are dropped.
    void close(QList<StreamEvent> &out);
    [[nodiscard]] bool hasCalls() const; ///< After close().
    /// For the message that goes back: an array, or null without calls. After close().
    [[nodiscard]] Json replay() const;

private:
    struct Call {
        QString id;
        QString name;
        QString text; ///< Joined argument text.
        QByteArray whole; ///< Arguments that came as an object.
        QByteArray args; ///< Once closed; empty: unusable.
        Json extra; ///< extra_content
        int part = 0;
        int depth = 0; ///< Of brackets in `text`, outside of its strings.
        bool isInString = false;
        bool isEscaped = false;

        void append(const QString &piece);
        [[nodiscard]] bool looksComplete() const;
    };

    [[nodiscard]] qsizetype slotFor(const Json &entry, const QString &id, const QString &name);
    [[nodiscard]] qsizetype openSlot();

    QList<Call> m_calls;
    QHash<qint64, qsizetype> m_newestOfIndex;
    QHash<QString, qsizetype> m_slotOfId;
};

} // namespace Pilothouse
