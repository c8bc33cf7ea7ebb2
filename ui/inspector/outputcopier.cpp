// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/outputcopier.h"

#include "text/charwidth.h"

#include <QElapsedTimer>
#include <QLocale>
#include <QTimer>

#include <limits>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qint64 CopySliceMs = 8;
// Longer rows are wrapped at the edge: looking for words in them takes longer than painting.
constexpr int LongestWordWrapped = 2000;
} // namespace

QString hiddenText(qint64 bytes)
{
    return bytes == 1
        ? OutputModel::tr("1 byte of this line is not shown")
        : OutputModel::tr("%1 bytes of this line are not shown").arg(QLocale::c().toString(bytes));
}

QString rowText(const LineStore::Row &row, int fromColumn, int toColumn)
{
    if (row.kind == LineStore::Block::Kind::Gap)
        return QString(u"[… "_s + hiddenText(row.hiddenBytes) + u" …]");
    QString out;
    for (const AnsiSpan &span : row.spans) {
        if (span.column >= toColumn || span.column + span.columns <= fromColumn)
            continue;
        int column = span.column;
        bool isTaken = false;
        for (qsizetype i = 0; i < span.text.size();) {
            char32_t c = span.text[i].unicode();
            qsizetype size = 1;
            if (span.text[i].isHighSurrogate() && i + 1 < span.text.size()) {
                c = QChar::surrogateToUcs4(span.text[i], span.text[i + 1]);
                size = 2;
            }
            const int width = charWidth(c);
            if (width > 0) {
                isTaken = column >= fromColumn && column < toColumn;
                column += width;
            }
            if (isTaken)
                out += QStringView(span.text).sliced(i, size);
            i += size;
        }
    }
    return out;
}

QString rowText(const LineStore::Row &row) { return rowText(row, 0, std::numeric_limits<int>::max()); }

std::vector<int> wrapStarts(const LineStore::Row &row, int columns)
{
    std::vector<int> out = {0};
    if (row.columns <= columns)
        return out;
    if (row.columns > LongestWordWrapped) {
        for (int start = columns; start < row.columns; start += columns)
            out.push_back(start);
        return out;
    }
    std::vector<bool> isSpace(static_cast<size_t>(row.columns), false);
    for (const AnsiSpan &span : row.spans) {
        int column = span.column;
        for (qsizetype i = 0; i < span.text.size(); ++i) {
            const bool isPair = span.text[i].isHighSurrogate() && i + 1 < span.text.size();
            const char32_t c =
                isPair ? QChar::surrogateToUcs4(span.text[i], span.text[i + 1]) : span.text[i].unicode();
            if (c == U' ' && column < row.columns)
                isSpace[static_cast<size_t>(column)] = true;
            column += charWidth(c);
            i += isPair ? 1 : 0;
        }
    }
    for (int start = 0; start + columns < row.columns;) {
        int next = start + columns;
        while (next > start && !isSpace[static_cast<size_t>(next)])
            --next;
        start = next > start ? next + 1 : start + columns;
        if (start < row.columns)
            out.push_back(start);
    }
    return out;
}

OutputCopier::OutputCopier(OutputModel *model, const OutputPlace &from, const OutputPlace &to)
    : QObject(model)
    , m_model(model)
    , m_at(from)
    , m_to(to)
{
    connect(model, &OutputModel::loaded, this, &OutputCopier::work);
    connect(model, &OutputModel::wasReset, this, &QObject::deleteLater);
    QTimer::singleShot(0, this, &OutputCopier::work);
}

void OutputCopier::work()
{
    if (m_ended)
        return;
    QElapsedTimer timer;
    timer.start();
    bool isCut = false;
    while (m_at < m_to && m_at.row < m_model->rowCount() && !isCut) {
        if (timer.elapsed() >= CopySliceMs) {
            QTimer::singleShot(0, this, &OutputCopier::work);
            return;
        }
        const LineStore::Row *row = m_model->row(m_at.row);
        if (!row) {
            if (!m_model->readError())
                return; // Goes on when it is loaded.
            isCut = true;
            break;
        }
        const bool isLast = m_at.row == m_to.row;
        QString text = rowText(*row, m_at.column, isLast ? m_to.column : std::numeric_limits<int>::max());
        while (text.endsWith(u' ') && !isLast)
            text.chop(1);
        m_text += text;
        if (!isLast)
            m_text += u'\n';
        m_at = {m_at.row + 1, 0};
        isCut = m_text.size() > LongestText;
    }
    m_ended = true;
    deleteLater();
    Q_EMIT finished(m_text, isCut && m_at < m_to);
}

} // namespace Pilothouse
