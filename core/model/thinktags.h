// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

namespace Pilothouse {

/// Tells thinking from answer text where a server writes a <think> block at the very start of its text. Only
/// for show: what goes back stays as it came. Live: gives out what is certain and holds back what may still
/// become a tag.
class ThinkTags {
public:
    struct Piece {
        QString thinking; ///< Stands before `text`.
        QString text;
    };

    [[nodiscard]] Piece feed(const QString &text);
    [[nodiscard]] Piece finish(); ///< What was held back.

private:
    enum class State { Start = 1, Thinking, Space, Text }; ///< Space: between the block and the answer.

    [[nodiscard]] QString answer(const QString &text);

    State m_state = State::Start;
    QString m_held;
};

} // namespace Pilothouse
