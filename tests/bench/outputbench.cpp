// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include "core/store/eventscript.h"
#include "engine/historyservice.h"
#include "inspector/callmodel.h"
#include "inspector/callpane.h"
#include "inspector/outputview.h"
#include "platform/processusage.h"
#include "store/store.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>

namespace Pilothouse::Bench {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype Size = 50'000'000;
constexpr int Lines = 700'000;
constexpr int FrameMs = 33; // The engine hands over a batch at most this often.
constexpr qsizetype BatchBytes = 4'000'000; // In one batch at full speed.
constexpr double MostBlockMs = 50;
constexpr double MostGrowthMb = 60;

/// The longest time in which the thread answered no event.
class Stall : public QObject {
public:
    Stall()
    {
        connect(&m_timer, &QTimer::timeout, this, [this] {
            worstMs = std::max(worstMs, static_cast<double>(m_since.nsecsElapsed()) / 1e6);
            m_since.restart();
        });
        m_since.start();
        m_timer.start(0);
    }
    double worstMs = 0;

private:
    QTimer m_timer;
    QElapsedTimer m_since;
};

void wait(int ms)
{
    QEventLoop loop;
    QTimer::singleShot(ms, &loop, &QEventLoop::quit);
    loop.exec();
}

template <typename Condition>
void waitFor(Condition condition)
{
    while (!condition())
        wait(1);
}

double memoryMb()
{
    const auto usage = ProcessUsage::read();
    return usage ? static_cast<double>(usage->memoryBytes) / 1e6 : 0;
}

QByteArray oneLine()
{
    QByteArray line;
    line.reserve(Size);
    const QByteArray part = "0123456789 abcdefghij \xf0\x9f\x98\x80 ";
    while (line.size() + part.size() <= Size - 2)
        line += part;
    line.insert(Size / 3, "\xff\xfe");
    line.append(QByteArray(Size - line.size(), '.'));
    return line;
}

QByteArray manyLines()
{
    QByteArray text;
    text.reserve(Size + 100);
    for (int i = 0; i < Lines; ++i)
        text += (i % 5 == 0 ? "\x1b[32mok\x1b[0m   line " : "built object ") + QByteArray::number(i)
            + " with some words about it and a path/to/it\n";
    return text;
}

QList<Figure> measure(const QString &name, const QByteArray &bytes)
{
    QTemporaryDir folder;
    auto store = Store::open(folder.path(), u"bench"_s);
    if (!store)
        qFatal("%s", qPrintable(store.error().toText()));
    HistoryService history(folder.path());
    CallModel model(&history);
    CallPane pane(&model);
    pane.resize(540, 800);
    pane.show();
    Tests::EventScript script;
    const QString id = u"0e9f8a52-7d0e-4c50-9a37-0d6f0c2b9a11"_s;
    const QByteArray own = "{\"turn\":1,\"step\":1,\"callId\":\"" + id.toUtf8() + "\"";
    script.add(EventKind::ToolCall, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
    script.add(EventKind::ToolStart, own + ",\"toolName\":\"bash\",\"args\":{\"command\":\"x\"}}");
    (*store)->append(script.all(), false);
    wait(200);
    model.open(script.conversation(), id, 1);
    waitFor([&] { return model.facts().isRunning(); });
    wait(200);

    // Live, at full speed.
    const double before = memoryMb();
    double most = before;
    double liveMs = 0;
    Stall live;
    QElapsedTimer timer;
    timer.start();
    for (qsizetype at = 0; at < bytes.size(); at += BatchBytes) {
        const QByteArray piece = bytes.mid(at, BatchBytes);
        {
            auto event = std::make_shared<Event>();
            event->conversation = script.conversation();
            event->seq = 3 + at / BatchBytes;
            event->kind = EventKind::ToolOutput;
            event->payload = own + ",\"channel\":\"stdout\",\"offset\":" + QByteArray::number(at)
                + ",\"length\":" + QByteArray::number(piece.size()) + "}";
            const EventBatch batch = {{event, piece}};
            model.takeEvents(batch);
            (*store)->append(batch, false);
        }
        wait(FrameMs);
        most = std::max(most, memoryMb());
    }
    waitFor([&] { return model.output()->store().byteCount() == bytes.size(); });
    liveMs = static_cast<double>(timer.elapsed());
    wait(300);
    most = std::max(most, memoryMb());
    const double worstLive = live.worstMs;

    // Looking around in it.
    Stall look;
    QScrollBar *bar = pane.outputView()->verticalScrollBar();
    for (int i = 0; i < 60; ++i) {
        bar->setValue(static_cast<int>((qint64(bar->maximum()) * ((i * 37) % 60)) / 60));
        wait(5);
        pane.outputView()->setWrap(i % 10 < 5);
        pane.resize(400 + (i % 7) * 40, 800);
    }
    const double worstLook = look.worstMs;

    // Exact bytes.
    const QString target = folder.filePath(u"saved"_s);
    pane.setAskFileName(
        [&](QWidget *, const QString &, const std::function<void(const QString &)> &then) { then(target); });
    bool isSaved = false;
    QObject::connect(&pane, &CallPane::saved, &pane, [&] { isSaved = true; });
    Stall save;
    timer.restart();
    pane.saveOutput(CallPane::What::All);
    waitFor([&] { return isSaved; });
    const auto saveMs = static_cast<double>(timer.elapsed());
    const double worstSave = save.worstMs;
    QFile file(target);
    if (!file.open(QIODevice::ReadOnly) || file.readAll() != bytes)
        qFatal("the saved bytes differ");

    // From the log, as after a restart.
    CallModel again(&history);
    Stall load;
    timer.restart();
    again.open(script.conversation(), id, 1);
    waitFor([&] { return again.output()->store().byteCount() == bytes.size(); });
    const auto loadMs = static_cast<double>(timer.elapsed());
    const double worstLoad = load.worstMs;
    const QString row = u"output."_s + name;
    return {{QString(row + u".live.block"), worstLive, u"ms"_s, MostBlockMs, false, {}, {}},
            {QString(row + u".look.block"), worstLook, u"ms"_s, MostBlockMs, false, {}, {}},
            {QString(row + u".save.block"), worstSave, u"ms"_s, MostBlockMs, false, {}, {}},
            {QString(row + u".open.block"), worstLoad, u"ms"_s, MostBlockMs, false, {}, {}},
            {QString(row + u".live"), liveMs, u"ms"_s, {}, false, {}, {}},
            {QString(row + u".open"), loadMs, u"ms"_s, {}, false, {}, {}},
            {QString(row + u".save"), saveMs, u"ms"_s, {}, false, {}, {}},
            {QString(row + u".growth"), most - before, u"MB"_s, MostGrowthMb, false, {}, {}},
            {QString(row + u".model"),
             static_cast<double>(model.output()->memoryBytes()) / 1e6,
             u"MB"_s,
             {},
             false,
             {},
             {}}};
}

} // namespace

QList<Figure> measureOutput()
{
    // The bytes themselves are made before anything is measured; memory is counted as growth.
    QList<Figure> out = measure(u"line"_s, oneLine());
    out += measure(u"lines"_s, manyLines());
    return out;
}

} // namespace Pilothouse::Bench
