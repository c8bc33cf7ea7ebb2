// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include "core/store/eventscript.h"
#include "store/store.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"
#include "util/json.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QPaintEvent>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <ctime>

namespace Pilothouse::Bench {

using namespace Qt::StringLiterals;

namespace {

constexpr int Messages = 10'000;
constexpr qsizetype AnswerLength = 4200; // Makes 22 MB with the questions.
constexpr int FrameMs = 33; // The engine hands over a batch at most this often.
constexpr int TokensPerSecond = 200;

double threadCpuMs()
{
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void wait(int ms)
{
    QEventLoop loop;
    QTimer timer;
    timer.setTimerType(Qt::PreciseTimer);
    QObject::connect(&timer, &QTimer::timeout, &loop, &QEventLoop::quit);
    timer.start(ms);
    loop.exec();
}

template <typename Condition>
void waitFor(Condition condition)
{
    while (!condition())
        wait(1);
}

// Measures how long the thread is busy between waits: the longest time in which no key would be answered.
class BlockMeter : public QObject {
public:
    BlockMeter()
    {
        m_beat.setTimerType(Qt::PreciseTimer);
        connect(&m_beat, &QTimer::timeout, this, [this] {
            longestMs = std::max(longestMs, static_cast<double>(m_since.nsecsElapsed()) / 1e6 - BeatMs);
            m_since.restart();
        });
        m_since.start();
        m_beat.start(BeatMs);
    }
    double longestMs = 0;

private:
    static constexpr int BeatMs = 5;
    QTimer m_beat;
    QElapsedTimer m_since;
};

QString answer(int number)
{
    QString text =
        u"## Result %1\n\nThe *second* run is **faster** than the first, because `cache()` is warm.\n\n"
        u"- one point\n- another point with `code`\n\n```python\ndef f(x):\n    return x + 1  # comment\n"
        u"```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"_s.arg(number);
    while (text.size() < AnswerLength)
        text += u"A paragraph of an answer as models write them, long enough to take some lines of the "
                u"window and "
                u"with a few [links](https://example.org/a) and marks in it.\n\n"_s;
    return text;
}

QByteArray delta(int turn, const QString &text)
{
    QByteArray payload =
        "{\"turn\":" + QByteArray::number(turn) + ",\"step\":1,\"attempt\":1,\"part\":0,\"text\":";
    appendJsonString(payload, text);
    return payload + "}";
}

void addStart(Tests::EventScript &script, int turn, const QByteArray &messageId)
{
    script.add(EventKind::TurnStart,
               "{\"turn\":" + QByteArray::number(turn) + ",\"parent\":null,\"messageIds\":[" + messageId
                   + "],\"provider\":\"demo\",\"model\":\"x\",\"maxSteps\":9,\"afterTurn\":\"pause\"}");
    script.add(EventKind::StepStart, "{\"turn\":" + QByteArray::number(turn) + ",\"step\":1,\"attempt\":1}");
}

void writeConversation(Tests::EventScript &script, Store &store)
{
    script.addCreated();
    for (int turn = 1; turn <= Messages / 2; ++turn) {
        const QByteArray id = "\"" + newId().toUtf8() + "\"";
        script.add(EventKind::UserMessage,
                   "{\"messageId\":" + id + ",\"text\":\"Why is run " + QByteArray::number(turn)
                       + " slower than the one before?\",\"delivery\":\"now\"}");
        addStart(script, turn, id);
        script.add(EventKind::TextDelta, delta(turn, answer(turn)));
        const QByteArray where = "{\"turn\":" + QByteArray::number(turn) + ",\"step\":1,\"attempt\":1";
        script.add(
            EventKind::StepFinish,
            where
                + ",\"finishReason\":\"stop\",\"rawReason\":\"x\",\"usage\":{\"input\":100,\"output\":20},"
                  "\"costNanos\":1500,\"modelMs\":12,\"toolMs\":0}");
        script.add(
            EventKind::TurnFinish,
            "{\"turn\":" + QByteArray::number(turn)
                + ",\"reason\":\"finished\",\"text\":\"\",\"steps\":1,\"usage\":{},\"costNanos\":1500}");
    }
    bool committed = false;
    QObject::connect(&store, &Store::committed, &store, [&] { committed = true; });
    store.append(script.all(), false);
    waitFor([&] { return committed; });
}

struct Streamed {
    double p95 = 0;
    double cpuPercent = 0;
    double longestMs = 0;
};

// `next` adds what comes in one frame to the script.
template <typename Next>
Streamed stream(Tests::EventScript &script, TranscriptModel &model, int frames, int frameMs, Next next)
{
    QList<double> work;
    BlockMeter meter;
    QElapsedTimer wall;
    wall.start();
    const double cpuBefore = threadCpuMs();
    for (int i = 0; i < frames; ++i) {
        const qsizetype before = script.all().size();
        next(i);
        const double cpu = threadCpuMs();
        model.takeEvents(script.all().mid(before));
        wait(frameMs);
        work.append(threadCpuMs() - cpu);
    }
    Streamed out;
    out.p95 = percentile(work, 0.95);
    out.cpuPercent = (threadCpuMs() - cpuBefore) / static_cast<double>(wall.elapsed()) * 100;
    out.longestMs = meter.longestMs;
    return out;
}

} // namespace

QList<Figure> measureTranscript()
{
    QTemporaryDir dir;
    auto store = Store::open(dir.path(), u"bench"_s);
    if (!store)
        qFatal("%s", qPrintable(store.error().toText()));
    Tests::EventScript script;
    writeConversation(script, **store);
    HistoryService history(dir.path());
    TranscriptModel model(&history);
    TranscriptView view;
    view.setModel(&model);
    view.resize(700, 800);
    view.show();
    wait(200);
    // The first read of another conversation: threads and statements are there, as in a running program.
    model.open(newId());
    wait(100);

    QList<double> opens;
    for (int i = 0; i < 5; ++i) {
        model.open({});
        wait(50);
        QElapsedTimer timer;
        timer.start();
        model.open(script.conversation());
        waitFor([&] { return model.rowCount() > 0; });
        view.viewport()->repaint();
        opens.append(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }

    // The handle of the scroll bar is dragged to places all over it, and the rows there are awaited.
    QList<double> jumps;
    double jumpBlock = 0;
    int rowsHeld = 0;
    {
        BlockMeter meter;
        QScrollBar *bar = view.verticalScrollBar();
        for (const int place : {50, 10, 90, 30, 70, 20, 80, 40, 60, 0, 50}) {
            QElapsedTimer timer;
            timer.start();
            bar->setValue(static_cast<int>(qint64(bar->maximum()) * place / 100));
            waitFor([&] { return !view.isWaitingForRows(); });
            view.viewport()->repaint();
            jumps.append(static_cast<double>(timer.nsecsElapsed()) / 1e6);
            wait(100);
            rowsHeld = std::max(rowsHeld, model.rowsHere());
        }
        jumpBlock = meter.longestMs;
        view.goToEnd();
        waitFor([&] { return !view.isWaitingForRows(); });
    }

    // Tokens at the end of the long conversation.
    const int turn = Messages / 2 + 1;
    const qsizetype before = script.all().size();
    addStart(script, turn, {});
    model.takeEvents(script.all().mid(before));
    const QString words = answer(turn).repeated(4);
    const double charsPerFrame = 4.2 * TokensPerSecond * FrameMs / 1000.0;
    const Streamed tokens = stream(script, model, 20'000 / FrameMs, FrameMs, [&](int frame) {
        const auto from = static_cast<qsizetype>(frame * charsPerFrame);
        const auto to = static_cast<qsizetype>((frame + 1) * charsPerFrame);
        script.add(EventKind::TextDelta, delta(turn, words.mid(from % words.size(), to - from)));
    });

    // A table of 60 rows, one character per event at 200 characters a second.
    QString table = u"\n\n| id | name | what | when | who | note |\n|---|:--|--:|:-:|---|---|\n"_s;
    for (int row = 1; row <= 60; ++row)
        table += u"| %1 | a\\|b | %2 | `x` | **y** | %3 |\n"_s.arg(row).arg(row * 7).arg(
            row == 30 ? QString(300, u'w') : u"fine"_s);
    const auto tableEvents = [&](qsizetype from, qsizetype to) {
        return stream(script, model, static_cast<int>(to - from), 5, [&, from](int frame) {
            script.add(EventKind::TextDelta, delta(turn, QString(table[from + frame])));
        });
    };
    const qsizetype fifth = table.indexOf(u"\n| 5 "_s);
    const qsizetype sixth = table.indexOf(u"\n| 8 "_s);
    const qsizetype last = table.indexOf(u"\n| 58 "_s);
    tableEvents(0, fifth);
    const Streamed early = tableEvents(fifth, sixth);
    tableEvents(sixth, last);
    const Streamed late = tableEvents(last, table.size());

    // An open fence that grows: the cost of a line must not depend on how many there are.
    const auto code = [&](int frames) {
        return stream(script, model, frames, FrameMs, [&](int frame) {
            script.add(EventKind::TextDelta,
                       delta(turn, u"    value_%1 = compute(%1, \"text\")  # line\n"_s.arg(frame)));
        });
    };
    script.add(EventKind::TextDelta, delta(turn, u"\n\n```python\n"_s));
    model.takeEvents(script.all().mid(script.all().size() - 1));
    const Streamed codeEarly = code(100);
    script.add(EventKind::TextDelta, delta(turn, u"    x = 1  # more\n"_s.repeated(3000)));
    model.takeEvents(script.all().mid(script.all().size() - 1));
    const Streamed codeLate = code(100);

    // Pages up through the conversation.
    QList<double> pages;
    for (int i = 0; i < 100; ++i) {
        QElapsedTimer timer;
        timer.start();
        view.verticalScrollBar()->setValue(view.verticalScrollBar()->value() - 700);
        view.viewport()->repaint();
        pages.append(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        wait(16);
    }

    // Nothing happens: nothing is done.
    wait(500);
    const double restBefore = threadCpuMs();
    wait(2000);
    const double rest = (threadCpuMs() - restBefore) / 2000 * 100;

    const auto figure = [](const QString &row, double value, const QString &unit,
                           std::optional<double> target) {
        return Figure{row, value, unit, target, false, {}, {}};
    };
    return {
        figure(u"transcript.open.median"_s, percentile(opens, 0.5), u"ms"_s, 150),
        figure(u"transcript.jump.max"_s, percentile(jumps, 1.0), u"ms"_s, 100),
        figure(u"transcript.jump.block"_s, jumpBlock, u"ms"_s, 50),
        figure(u"transcript.jump.rowsheld"_s, rowsHeld, u"rows"_s, RowPages::MostRows),
        figure(u"transcript.stream.p95"_s, tokens.p95, u"ms"_s, 8),
        figure(u"transcript.stream.cpu"_s, tokens.cpuPercent, u"%"_s, 15),
        figure(u"transcript.stream.block"_s, tokens.longestMs, u"ms"_s, 50),
        figure(u"transcript.table.row5.p95"_s, early.p95, u"ms"_s, 8),
        figure(u"transcript.table.row60.p95"_s, late.p95, u"ms"_s, 8),
        figure(u"transcript.code.line100.cpu"_s, codeEarly.cpuPercent, u"%"_s, {}),
        figure(u"transcript.code.line3000.cpu"_s, codeLate.cpuPercent, u"%"_s,
               codeEarly.cpuPercent * 1.2 + 1),
        figure(u"transcript.page.p95"_s, percentile(pages, 0.95), u"ms"_s, 16),
        figure(u"transcript.rest.cpu"_s, rest, u"%"_s, 0.5),
    };
}

} // namespace Pilothouse::Bench
