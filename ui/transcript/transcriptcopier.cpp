// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/transcriptcopier.h"

#include "transcript/rowpages.h"
#include "transcript/transcriptmodel.h"

#include <algorithm>
#include <utility>

namespace Pilothouse {

TranscriptCopier::TranscriptCopier(TranscriptModel *model, TranscriptSelection selection,
                                   std::function<void(const QString &)> reply, QObject *parent)
    : QObject(parent)
    , m_model(model)
    , m_selection(std::move(selection))
    , m_reply(std::move(reply))
    , m_conversation(model->conversation())
    , m_last(std::min<qint64>(m_selection.to().row, model->rowCount()))
{ }

void TranscriptCopier::start() { readFrom(std::max<qint64>(1, m_selection.from().row)); }

void TranscriptCopier::readFrom(qint64 row)
{
    while (m_model && m_model->conversation() == m_conversation && row <= m_last) {
        const int place = m_model->placeOf(row);
        if (place >= 0 && !m_model->isHere(place)) {
            readPage(row, std::min(m_last, row + RowPages::PageRows - 1), {});
            return;
        }
        if (place >= 0 && !m_selection.addTo(m_text, m_model->rowAt(place)))
            break;
        ++row;
    }
    finish();
}

// Long rows come in several answers, the last ones first.
void TranscriptCopier::readPage(qint64 first, qint64 last, QList<TranscriptRow> after)
{
    m_model->readRows(first, last, this,
                      [this, first, last, after](const Result<QList<TranscriptRow>, Error> &read) {
                          if (!read || !m_model || m_model->conversation() != m_conversation) {
                              finish();
                              return;
                          }
                          const QList<TranscriptRow> rows = *read + after;
                          if (!read->isEmpty() && read->first().row > first) {
                              readPage(first, read->first().row - 1, rows);
                              return;
                          }
                          for (const TranscriptRow &row : rows) {
                              if (!m_selection.addTo(m_text, row)) {
                                  finish();
                                  return;
                              }
                          }
                          readFrom(std::max(last, rows.isEmpty() ? last : rows.last().row) + 1);
                      });
}

void TranscriptCopier::finish()
{
    m_reply(m_text);
    deleteLater();
}

} // namespace Pilothouse
