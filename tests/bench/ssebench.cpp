// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include "model/anthropicreader.h"
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

} // namespace

QList<Figure> measureSse()
{
    const QByteArray body = longAnswer(200000);
    SseParser parser;
    qsizetype events = 0;
    const double parse =
        megabytesPerSecond(body, [&](QByteArrayView bytes) { events += parser.feed(bytes).size(); });
    AnthropicReader reader;
    AnswerHead head;
    head.contentType = "text/event-stream";
    reader.begin(head);
    const double read =
        megabytesPerSecond(body, [&](QByteArrayView bytes) { events += reader.feed(bytes).size(); });
    if (events == 0 || !reader.isFinished())
        qFatal("the stream was not read");
    return {{u"sse.parse"_s, parse, u"MB/s"_s, {}, true, {}, {}},
            {u"sse.anthropic"_s, read, u"MB/s"_s, {}, true, {}, {}}};
}

} // namespace Pilothouse::Bench
