// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelclient.h"
#include "model/streamreader.h"
#include "util/secret.h"

#include <QPointer>

#include <memory>

namespace Pilothouse {

class HttpJob;

/// One model request over HTTP: hands the job's bytes to a reader and its events on. The reader decides what
/// the end is, not the connection: after its last event the connection is closed, and a loss after that is no
/// failure.
class HttpModelStream final : public ModelStream {
    Q_OBJECT
public:
    HttpModelStream(std::unique_ptr<StreamReader> reader, Secret key, QObject *parent);
    ~HttpModelStream() override;

    /// Exactly one of these, right after the making.
    void follow(HttpJob *job);
    void refuse(
        const ApiError &error); ///< Nothing was sent; the error comes on a later turn of the event loop.

    void abort() override;

private:
    void onHeaders();
    void onBody(const QByteArray &bytes);
    void onFinished();
    void release();
    void give(QList<StreamEvent> events); ///< May delete this.
    [[nodiscard]] ApiError connectionError() const;

    std::unique_ptr<StreamReader> m_reader;
    Secret m_key;
    QPointer<HttpJob> m_job;
    bool m_isOver = false;
};

} // namespace Pilothouse
