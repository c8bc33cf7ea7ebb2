// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include "model/anthropicreader.h"
#include "model/chatreader.h"
#include "model/responsesreader.h"
#include "net/sseparser.h"
#include "util/json.h"

#include <QElapsedTimer>

namespace Pilothouse::Bench {

using namespace Qt::StringLiterals;

namespace {

QByteArray longAnswer(int events)
{
    QByteArray body = "event: message_start\ndata: "
                      "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\",\"usage\":"
                      "{\"input_tokens\":1,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: "
                      "{\"type\":\"content_block_start\","
                      "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
    for (int i = 0; i < events; ++i)
        body += "event: content_block_delta\ndata: "
                "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
                "\"text\":\"token "
            + QByteArray::number(i) + " of the answer \"}}\n\n";
    body += "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: "
            "message_delta\ndata: "
            "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_"
            "tokens\":9}}\n\nevent: "
            "message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    return body;
}

template <typename Feed>
double megabytesPerSecond(const QByteArray &body, Feed feed)
{
    constexpr qsizetype Packet = 1460;
    QElapsedTimer timer;
    timer.start();
    for (qsizetype at = 0; at < body.size(); at += Packet)
        feed(QByteArrayView(body).sliced(at, std::min(Packet, body.size() - at)));
    return static_cast<double>(body.size()) / 1e6 / (static_cast<double>(timer.nsecsElapsed()) / 1e9);
}

QByteArray longResponse(int events, const QByteArray &text)
{
    QByteArray body;
    for (int i = 0; i < events; ++i)
        body += "event: response.output_text.delta\ndata: "
                "{\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":0,"
                "\"content_index\":0,\"delta\":\""
            + text + "\"}\n\n";
    return body
        + "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\","
          "\"status\":\"completed\",\"output\":[]}}\n\n";
}

QByteArray longCompletion(int events, const QByteArray &text)
{
    QByteArray body;
    for (int i = 0; i < events; ++i)
        body += "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"model\":\"m\","
                "\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
            + text + "\"},\"finish_reason\":null}]}\n\n";
    return body + "data: [DONE]\n\n";
}

template <typename Reader>
Figure readingSpeed(const QString &name, const QByteArray &body)
{
    Reader reader;
    AnswerHead head;
    head.contentType = "text/event-stream";
    reader.begin(head);
    StreamEvent last;
    const double speed = megabytesPerSecond(body, [&](QByteArrayView bytes) {
        const QList<StreamEvent> events = reader.feed(bytes);
        if (!events.isEmpty())
            last = events.last();
    });
    if (last.type != StreamEvent::Type::Stop)
        qFatal("the stream was not read");
    return {name, speed, u"MB/s"_s, {}, true, {}, {}};
}

} // namespace

QList<Figure> measureSse()
{
    const QByteArray body = longAnswer(200000);
    SseParser parser;
    qsizetype events = 0;
    const double parse =
        megabytesPerSecond(body, [&](QByteArrayView bytes) { events += parser.feed(bytes).size(); });
    if (events == 0)
        qFatal("the stream was not read");
    const QByteArray piece = "some words of the answer";
    const QByteArray large(5'000'000, 'x'); // One event in thousands of packets: time must grow linearly.
    return {{u"sse.parse"_s, parse, u"MB/s"_s, {}, true, {}, {}},
            readingSpeed<AnthropicReader>(u"sse.anthropic"_s, body),
            readingSpeed<ResponsesReader>(u"sse.responses"_s, longResponse(200000, piece)),
            readingSpeed<ResponsesReader>(u"sse.responses-large"_s, longResponse(1, large)),
            readingSpeed<ChatReader>(u"sse.chat"_s, longCompletion(200000, piece)),
            readingSpeed<ChatReader>(u"sse.chat-large"_s, longCompletion(1, large))};
}

} // namespace Pilothouse::Bench
