// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "text/markdownblocks.h"

#include <QStringList>

#include <md4c.h>

namespace Pilothouse::Tests {

/// Blocks of a text as md4c finds them, one line each: containers, kind, level, words without marks and white
/// space. To compare block boundaries, so only letters and digits of the words count.
class MarkdownOracle {
public:
    static QStringList blocks(const QString &markdown)
    {
        MarkdownOracle oracle;
        MD_PARSER parser = {};
        parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML | MD_FLAG_TASKLISTS;
        parser.enter_block = [](MD_BLOCKTYPE type, void *detail, void *self) {
            return static_cast<MarkdownOracle *>(self)->enter(type, detail);
        };
        parser.leave_block = [](MD_BLOCKTYPE type, void *, void *self) {
            return static_cast<MarkdownOracle *>(self)->leave(type);
        };
        parser.enter_span = [](MD_SPANTYPE, void *, void *) { return 0; };
        parser.leave_span = [](MD_SPANTYPE, void *, void *) { return 0; };
        parser.text = [](MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *self) {
            auto *reader = static_cast<MarkdownOracle *>(self);
            if (type != MD_TEXT_SOFTBR && type != MD_TEXT_BR)
                reader->words(QString::fromUtf8(text, static_cast<qsizetype>(size)));
            return 0;
        };
        const QByteArray utf8 = markdown.toUtf8();
        md_parse(utf8.constData(), static_cast<MD_SIZE>(utf8.size()), &parser, &oracle);
        oracle.flush();
        return oracle.m_blocks;
    }

    /// The same of our scanner.
    static QStringList ours(const std::vector<MarkdownBlock> &blocks, const QString &source)
    {
        QStringList out;
        for (const MarkdownBlock &block : blocks) {
            QString line;
            for (const MarkdownBlock::Container container : block.containers)
                line += container == MarkdownBlock::Container::Quote ? QLatin1Char('>') : QLatin1Char('-');
            switch (block.kind) {
            case MarkdownBlock::Kind::Paragraph:
                line += QLatin1Char('p');
                break;
            case MarkdownBlock::Kind::Heading:
                line += QLatin1Char('h') + QString::number(block.level);
                break;
            case MarkdownBlock::Kind::Code:
                line += QLatin1Char('c');
                break;
            case MarkdownBlock::Kind::Table:
                line += QLatin1Char('t') + QString::number(block.columns.size());
                break;
            case MarkdownBlock::Kind::Rule:
                line += QLatin1Char('r');
                break;
            }
            line += QLatin1Char(' ');
            for (const MarkdownBlock::Line &part : block.lines)
                line += essence(source.mid(part.begin, part.end - part.begin));
            if (block.kind != MarkdownBlock::Kind::Paragraph || !line.endsWith(QLatin1Char(' ')))
                out.append(line);
        }
        return out;
    }

private:
    static QString essence(const QString &text)
    {
        QString out;
        for (const QChar c : text) {
            if (c.isLetterOrNumber())
                out += c;
        }
        return out;
    }
    int enter(MD_BLOCKTYPE type, void *detail)
    {
        switch (type) {
        case MD_BLOCK_QUOTE:
            flush();
            m_containers += QLatin1Char('>');
            break;
        case MD_BLOCK_LI:
            flush();
            m_containers += QLatin1Char('-');
            break;
        case MD_BLOCK_P:
            flush();
            break;
        case MD_BLOCK_H:
            flush();
            m_kind = QLatin1Char('h') + QString::number(static_cast<MD_BLOCK_H_DETAIL *>(detail)->level);
            break;
        case MD_BLOCK_CODE:
            flush();
            m_kind = QStringLiteral("c");
            break;
        case MD_BLOCK_TABLE:
            flush();
            m_kind =
                QLatin1Char('t') + QString::number(static_cast<MD_BLOCK_TABLE_DETAIL *>(detail)->col_count);
            break;
        case MD_BLOCK_HR:
            flush();
            m_kind = QStringLiteral("r");
            break;
        default:
            break;
        }
        return 0;
    }
    int leave(MD_BLOCKTYPE type)
    {
        if (type == MD_BLOCK_QUOTE || type == MD_BLOCK_LI) {
            flush();
            m_containers.chop(1);
        } else if (type == MD_BLOCK_P || type == MD_BLOCK_H || type == MD_BLOCK_CODE || type == MD_BLOCK_TABLE
                   || type == MD_BLOCK_HR) {
            flush();
        }
        return 0;
    }
    void words(const QString &text) { m_words += essence(text); }
    void flush()
    {
        if (!m_kind.isEmpty() || !m_words.isEmpty())
            m_blocks.append(QString(m_containers + (m_kind.isEmpty() ? QStringLiteral("p") : m_kind)
                                    + QLatin1Char(' ') + m_words));
        m_kind.clear();
        m_words.clear();
    }

    QStringList m_blocks;
    QString m_containers;
    QString m_kind;
    QString m_words;
};

} // namespace Pilothouse::Tests
