// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/transcriptselection.h"

#include <QObject>
#include <QPointer>

#include <functional>

namespace Pilothouse {

class TranscriptModel;

/// Makes the text of a selection, also of rows that are not here: page by page, so that neither a long read
/// nor a long text holds up the window. Deletes itself when it has replied; destroyed before, it does not
/// reply. GUI thread.
class TranscriptCopier : public QObject {
    Q_OBJECT
public:
    /// `reply` is called later unless all rows are here; with the text up to where the log could be read.
    TranscriptCopier(TranscriptModel *model, TranscriptSelection selection,
                     std::function<void(const QString &)> reply, QObject *parent);
    void start();

private:
    void readFrom(qint64 row);
    void readPage(qint64 first, qint64 last, QList<TranscriptRow> after);
    void finish();

    QPointer<TranscriptModel> m_model;
    TranscriptSelection m_selection;
    std::function<void(const QString &)> m_reply;
    QString m_conversation;
    qint64 m_last = 0;
    QString m_text;
};

} // namespace Pilothouse
