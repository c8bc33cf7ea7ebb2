// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "theme/roles.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

namespace Pilothouse {

/// Lines of a file as a view paints them. Made in a worker thread, then only read; lines are made when asked
/// for, so a document costs its bytes and one number per line.
class PreviewDocument {
public:
    struct Color {
        qsizetype at = 0;
        qsizetype length = 0;
        Role role = Role::Text;
    };

    virtual ~PreviewDocument() = default;
    [[nodiscard]] virtual qsizetype lineCount() const = 0;
    /// As shown: inert, at most LongestLine units and a mark where it was cut.
    [[nodiscard]] virtual QString line(qsizetype index) const = 0;
    /// What stands in the gutter: a number, an offset.
    [[nodiscard]] virtual QString gutter(qsizetype index) const = 0;
    /// Length of the longest line in columns, roughly.
    [[nodiscard]] virtual qsizetype widest() const = 0;
    /// Colours of a line, as far as the language of the file is known.
    [[nodiscard]] virtual QList<Color> colors(qsizetype index) const;
    /// For the clipboard: whole lines, not cut, without what a terminal would obey.
    [[nodiscard]] virtual QString text(qsizetype firstLine, qsizetype lastLine) const = 0;

    static constexpr qsizetype LongestLine = 4000;

protected:
    PreviewDocument() = default;
    Q_DISABLE_COPY_MOVE(PreviewDocument)
};

/// UTF-8 text; bytes that are none are shown as U+FFFD.
class TextDocument final : public PreviewDocument {
public:
    TextDocument(QByteArray bytes, const QByteArray &fileName);
    ~TextDocument() override;
    [[nodiscard]] qsizetype lineCount() const override { return qsizetype(m_starts.size()); }
    [[nodiscard]] QString line(qsizetype index) const override;
    [[nodiscard]] QString gutter(qsizetype index) const override;
    [[nodiscard]] qsizetype widest() const override { return m_widest; }
    [[nodiscard]] QList<Color> colors(qsizetype index) const override;
    [[nodiscard]] QString text(qsizetype firstLine, qsizetype lastLine) const override;

private:
    class Colors;
    [[nodiscard]] QByteArrayView bytesOf(qsizetype index) const; ///< Without its end.

    QByteArray m_bytes;
    std::vector<quint32> m_starts;
    qsizetype m_widest = 0;
    std::unique_ptr<Colors> m_colors;
};

/// Sixteen bytes to the line: hexadecimal, and as characters where they are printable ASCII.
class HexDocument final : public PreviewDocument {
public:
    explicit HexDocument(QByteArray bytes)
        : m_bytes(std::move(bytes))
    { }
    [[nodiscard]] qsizetype lineCount() const override;
    [[nodiscard]] QString line(qsizetype index) const override;
    [[nodiscard]] QString gutter(qsizetype index) const override;
    [[nodiscard]] qsizetype widest() const override;
    [[nodiscard]] QList<Color> colors(qsizetype index) const override;
    [[nodiscard]] QString text(qsizetype firstLine, qsizetype lastLine) const override;

private:
    QByteArray m_bytes;
};

/// Whether bytes from the begin of a file are text: UTF-8 (a character may be cut at the end) with no more
/// than a few control characters.
[[nodiscard]] bool looksLikeText(const QByteArray &head);
/// "PNG" and so on by the first bytes, for formats that are previewed as images; empty for all else.
[[nodiscard]] QByteArray imageFormat(const QByteArray &head);

} // namespace Pilothouse
