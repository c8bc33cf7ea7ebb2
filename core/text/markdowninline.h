// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QFlags>
#include <QList>
#include <QString>

namespace Pilothouse {

/// Text inside one block of Markdown, as it is shown: marks gone, unsafe characters written out.
struct MarkdownInline {
    enum class Style {
        Bold = 1,
        Italic = 2,
        Code = 4,
        Strike = 8,
        Link = 16,
        Image = 32, ///< The words that stand for an image.
        Written = 64, ///< A character that may not be shown itself, written as \u{HEX}.
    };
    Q_DECLARE_FLAGS(Styles, Style)
    /// A piece of the shown text with one style. Runs cover the whole text, in order.
    struct Run {
        qsizetype at = 0; ///< In `text`.
        qsizetype length = 0;
        qsizetype source = 0; ///< In the input.
        qsizetype sourceLength = 0; ///< Differs from `length` where something else is shown than was written.
        Styles styles;
        int target = -1; ///< Link: index into `targets`; Image: into `images`.
    };
    struct Image {
        QString target; ///< As written, bounded; of a data: image only its begin.
        QString words; ///< What it shows, bounded.
        qsizetype source = 0; ///< Where it begins in the input.
        qsizetype sourceEnd = 0;
    };
    QString text; ///< Line breaks are U+2028, so that one layout can take it.
    QList<Run> runs;
    QList<QString> targets; ///< Of links, whole; each isOpenableTarget().
    QList<Image> images;

    /// Place in the input of a place in `text`, and back. Both clamp.
    [[nodiscard]] qsizetype toSource(qsizetype at) const;
    [[nodiscard]] qsizetype fromSource(qsizetype source) const;
};

Q_DECLARE_OPERATORS_FOR_FLAGS(MarkdownInline::Styles)

struct MarkdownInlineOptions {
    bool keepLineBreaks = false; ///< A person's words; otherwise a line end without two spaces is a space.
    bool marks = true; ///< False: only code spans and links that stand in the text are known.
    bool inTable = false; ///< "\|" is "|" also inside code.
};

/// Emphasis, code, strike-through, links, images, bare http(s) addresses, escapes, the common entities. HTML
/// is text. Of a link that isOpenableTarget() does not allow only words are shown, and where it leads. The
/// time is about linear in the length; callers give pieces of some kilobytes.
[[nodiscard]] MarkdownInline parseMarkdownInline(QStringView text, const MarkdownInlineOptions &options = {});

/// `text` as it is, unsafe characters written out: one style, for code.
[[nodiscard]] MarkdownInline plainInline(QStringView text);

/// True for http, https and mailto addresses without white space or unsafe characters: what may be opened.
[[nodiscard]] bool isOpenableTarget(QStringView target);

} // namespace Pilothouse
