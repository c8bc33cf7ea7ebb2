// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/answerfold.h"
#include "model/streamreader.h"
#include "net/sseparser.h"

namespace Pilothouse {

/// What the readers of all protocols have in common: the decision by status and content type between an event
/// stream, a whole JSON answer (a server that ignores `stream`), an error body and a web page; their bounds;
/// and the words for what went wrong. A protocol adds its events and its fold.
class AnswerReader : public StreamReader {
public:
    /// Of an answer that is no event stream: the text that a fold takes, and its escapes.
    static constexpr qsizetype LargestBody = 16 * 1024 * 1024;
    static constexpr qsizetype LargestErrorBody = 64 * 1024; ///< Reasons are short; more is cut off.

    void begin(const AnswerHead &head) final;
    [[nodiscard]] QList<StreamEvent> feed(QByteArrayView bytes) final;
    [[nodiscard]] QList<StreamEvent> finish() final;
    [[nodiscard]] bool isFinished() const final { return m_isFinished; }
    [[nodiscard]] bool hasContent() const final { return m_fold.hasContent(); }
    [[nodiscard]] bool mayFinish() const final { return !m_isFinished && m_fold.hasEnd(); }

protected:
    /// `protocolName` is for people; `fold` belongs to the reader that is derived from this one.
    AnswerReader(QLatin1StringView protocolName, AnswerFold &fold)
        : m_protocolName(protocolName)
        , m_fold(fold)
    { }

    virtual void onEvent(const SseEvent &event, const Json &json, QList<StreamEvent> &out) = 0;
    /// A whole JSON answer that is no error. False when it is none of this protocol.
    virtual bool takeWhole(const Json &answer, QList<StreamEvent> &out) = 0;
    /// The marker [DONE]. Gateways add it to protocols that do not have it.
    virtual void onDoneMarker(QList<StreamEvent> &) { }

    void stop(QList<StreamEvent> &out);
    void failFromFault(const Json &json, QList<StreamEvent> &out);
    void failProtocol(const QString &what, QList<StreamEvent> &out);

private:
    enum class Form { EventStream = 1, Whole, ErrorBody, Page };

    void onSseEvent(const SseEvent &event, QList<StreamEvent> &out);
    void finishWhole(QList<StreamEvent> &out);
    void finishErrorBody(QList<StreamEvent> &out);
    void finishStream(QList<StreamEvent> &out);
    void fail(const ApiError &error, QList<StreamEvent> &out);

    QLatin1StringView m_protocolName;
    AnswerFold &m_fold;
    AnswerHead m_head;
    Form m_form = Form::EventStream;
    SseParser m_parser;
    QByteArray m_body;
    bool m_hasBytes = false;
    bool m_hasEvent = false;
    bool m_isFinished = false;
};

} // namespace Pilothouse
