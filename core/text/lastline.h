// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QByteArrayView>
#include <QString>
#include <QStringDecoder>

namespace Pilothouse {

/// The last line with something in it of a byte stream, as a person would see it in a terminal: UTF-8 may be
/// split anywhere, escape sequences are dropped, a carriage return starts the line again, control and
/// direction characters are dropped. Memory is bounded whatever comes in.
class LastLine {
public:
    static constexpr qsizetype MaxLength = 200; ///< Longer lines are cut: it is one line of a card.

    void feed(QByteArrayView bytes);
    void reset();
    /// The line being written if it has something in it, else the last one that had.
    [[nodiscard]] QString text() const;

private:
    enum class State { Ground = 1, Escape, Intermediate, Csi, String, StringEscape };
    void character(char16_t c);
    void put(char16_t c);
    void endLine();
    void endCsi(char16_t final);

    QStringDecoder m_decoder{QStringDecoder::Utf8};
    State m_state = State::Ground;
    qsizetype m_sequenceLength = 0;
    bool m_eraseWhole = false; ///< The parameter read so far is "2" (erase the whole line).
    bool m_restart = false; ///< A carriage return came; the next character writes over the line.
    QString m_current;
    QString m_last;
};

} // namespace Pilothouse
