// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelrequest.h"

namespace Pilothouse::Tests {

inline HistoryItem userItem(const QString &text)
{
    HistoryItem item;
    item.kind = HistoryItem::Kind::User;
    item.text = text;
    return item;
}

inline HistoryItem answerItem(const QString &protocol, const QString &provider, const QString &model,
                              const QByteArray &raw)
{
    HistoryItem item;
    item.kind = HistoryItem::Kind::Assistant;
    item.protocol = protocol;
    item.provider = provider;
    item.model = model;
    item.raw = raw;
    return item;
}

inline HistoryItem resultsItem(const QList<ToolOutcome> &outcomes)
{
    HistoryItem item;
    item.kind = HistoryItem::Kind::ToolResults;
    item.outcomes = outcomes;
    return item;
}

} // namespace Pilothouse::Tests
