// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/markdownplain.h"

#include "text/inerttext.h"
#include "text/markdownblocks.h"
#include "text/markdowninline.h"

#include <QStringList>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostRead = 8 * 1024; // What stands further down is nobody's first line.

QString words(QStringView text, bool inTable)
{
    MarkdownInlineOptions options;
    options.inTable = inTable;
    QString shown = parseMarkdownInline(text, options).text;
    shown.replace(QChar(QChar::LineSeparator), u'\n'); // Where a line was broken on purpose it ends.
    return shown;
}

QString blockText(QStringView source, const MarkdownBlock &block)
{
    QStringList lines;
    for (const MarkdownBlock::Line &line : block.lines)
        lines.append(source.mid(line.begin, line.end - line.begin).toString());
    return lines.join(u'\n');
}

QString headerText(QStringView source, const MarkdownBlock &block)
{
    if (block.lines.empty())
        return {};
    const MarkdownBlock::Line &header = block.lines.front();
    const QStringView line = source.mid(header.begin, header.end - header.begin);
    QStringList cells;
    for (const auto &[from, to] : markdownCells(line)) {
        if (to > from)
            cells.append(words(line.mid(from, to - from), true));
    }
    return cells.join(u", "_s);
}

QString shownText(QStringView source, const MarkdownBlock &block)
{
    switch (block.kind) {
    case MarkdownBlock::Kind::Paragraph:
    case MarkdownBlock::Kind::Heading:
        return words(blockText(source, block), false);
    case MarkdownBlock::Kind::Code:
        return blockText(source, block);
    case MarkdownBlock::Kind::Table:
        return headerText(source, block);
    case MarkdownBlock::Kind::Rule:
        break;
    }
    return {};
}

} // namespace

QString firstPlainLine(QStringView markdown, qsizetype maxLength)
{
    const QStringView source = markdown.left(MostRead);
    MarkdownBlocks scanner;
    scanner.update(source, true);
    for (const MarkdownBlock &block : scanner.blocks()) {
        if (const QString line = inertLine(shownText(source, block), maxLength); !line.isEmpty())
            return line;
    }
    return {};
}

} // namespace Pilothouse
