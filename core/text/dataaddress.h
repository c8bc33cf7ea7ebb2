// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QString>

#include <optional>

namespace Pilothouse {

/// The address of a picture that stands in the text itself, "![words](data:…)": from "data:" to the bracket
/// or blank that ends it.
struct DataAddress {
    /// Of a longer one, read models keep no more than this begin (UTF-16 units); events have it whole.
    static constexpr qsizetype Kept = 64 * 1024;
    /// Enough to tell its type.
    static constexpr qsizetype Type = 40;

    qsizetype begin = 0; ///< In the text.
    qsizetype end = 0;
    bool closed = false; ///< Its end has come; otherwise it reaches to the end of the text.

    /// Whether a read model may have left out a part of it.
    [[nodiscard]] bool isShortened() const { return end - begin >= Kept; }
};

/// The first one that begins at `from` or later.
[[nodiscard]] std::optional<DataAddress> findDataAddress(QStringView text, qsizetype from = 0);

/// The one that comes after `before` others; empty if there are fewer.
[[nodiscard]] std::optional<DataAddress> nthDataAddress(QStringView text, qsizetype before);

/// `text` with at most `kept` units of each address, at most `most` units long. `mark` stands for what was
/// left out. Addresses of less than `least` units stay whole.
[[nodiscard]] QString shortenDataAddresses(QStringView text, qsizetype kept, qsizetype most,
                                           QStringView mark = {}, qsizetype least = 0);

/// Where the text must be looked at again when something is added to it: before an address that is still
/// open, or the marks that one begins with; the end of the text otherwise.
[[nodiscard]] qsizetype openDataAddress(QStringView text);

} // namespace Pilothouse
