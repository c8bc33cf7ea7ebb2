// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelrequest.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace Pilothouse {

/// One part of a recorded answer in a form that every protocol can take.
struct AssistantPart {
    enum class Kind { Text = 1, Call };
    Kind kind = Kind::Text;
    QString text; ///< Never blank.
    QString id; ///< Calls: as recorded.
    QString name; ///< Calls: a valid one.
    QByteArray args; ///< Calls: JSON object text.
};

/// What of a recorded answer may go to another provider or protocol: text and calls, in order. Thinking is
/// dropped, since it is only valid where it came from; what ran at the provider becomes a line of text. Of a
/// record that cannot be read, HistoryItem::text is left.
[[nodiscard]] QList<AssistantPart> assistantParts(const HistoryItem &item);

/// Nothing but white space.
[[nodiscard]] bool isBlankText(const QString &text);

} // namespace Pilothouse
