// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/loopbackserver.h"

#include <QList>
#include <QPair>

#include <optional>

namespace Pilothouse::Tests {

enum class ModelProtocol { Anthropic = 1, Responses, Chat };

/// One answer of the scripted service, in any protocol. Built by chaining:
/// ModelReply().text(u"Hi"_s).call(…).
class ModelReply {
public:
    ModelReply &text(const QString &text); ///< One block, streamed in two pieces.
    ModelReply &thinking(const QString &text, const QString &signature);
    ModelReply &call(const QString &id, const QString &name, const QByteArray &argumentText);
    /// In Anthropic's words, "max_tokens" in the protocol's own. Default: tool_use with calls, else end_turn.
    ModelReply &stop(const QString &reason);
    ModelReply &usage(int input, int output, int cacheRead = 0, int cacheWrite = 0);
    ModelReply &cutAfter(int events); ///< The connection closes after so many events of the stream.
    ModelReply &split(int bytes); ///< Pieces on the wire; default: one for each event.
    ModelReply &holdBefore(int event); ///< Nothing is sent from this event on, and the connection stays open.

    static ModelReply raw(const QByteArray &body, const QByteArray &contentType = "text/event-stream");
    static ModelReply status(int status, const QByteArray &body, const LoopbackHeaders &headers = {});
    /// The vendor's error form with this type and message.
    static ModelReply failure(int status, const QByteArray &type, const QByteArray &message,
                              const LoopbackHeaders &headers = {});

    /// As they go over the wire.
    [[nodiscard]] QList<QByteArray> events(const QString &model, int number,
                                           ModelProtocol protocol = ModelProtocol::Anthropic) const;

private:
    friend class ModelServer;
    struct Block {
        enum class Kind { Text = 1, Thinking, Call };
        Kind kind = Kind::Text;
        QString text; ///< Argument text of calls.
        QString signature;
        QString id;
        QString name;
    };

    [[nodiscard]] QByteArray anthropicStream(const QString &model, int number) const;
    [[nodiscard]] QByteArray responsesStream(const QString &model, int number) const;
    [[nodiscard]] QByteArray chatStream(const QString &model, int number) const;

    QList<Block> m_blocks;
    QString m_stop;
    int m_input = 10;
    int m_output = 5;
    int m_cacheRead = 0;
    int m_cacheWrite = 0;
    int m_cutAfter = -1;
    int m_holdBefore = -1;
    int m_split = 0;
    int m_status = 200;
    bool m_hasCalls = false;
    std::optional<QByteArray> m_raw;
    QByteArray m_contentType = "text/event-stream";
    LoopbackHeaders m_headers;
};

} // namespace Pilothouse::Tests
