// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/store/eventscript.h"
#include "store/store.h"
#include "transcript/transcriptimages.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace Pilothouse::Tests {

/// A conversation in a store of its own and a view of it. Events after show() come live.
class TranscriptFixture {
public:
    static constexpr int Patience = 20'000;

    EventScript script;
    std::unique_ptr<Store> store;
    std::unique_ptr<HistoryService> history;
    std::unique_ptr<TranscriptModel> model;
    std::unique_ptr<TranscriptView> view;

    /// Writes what is in the script and opens it.
    bool show(QSize size = {600, 400})
    {
        auto opened = Store::open(m_dir.path(), QStringLiteral("test"));
        if (!opened)
            return false;
        store = std::move(*opened);
        if (script.all().isEmpty())
            script.addCreated();
        QSignalSpy committed(store.get(), &Store::committed);
        store->append(script.all(), false);
        if (!committed.wait(Patience))
            return false;
        m_shown = script.all().size();
        history = std::make_unique<HistoryService>(m_dir.path());
        model = std::make_unique<TranscriptModel>(history.get());
        view = std::make_unique<TranscriptView>();
        view->setModel(model.get());
        view->resize(size);
        view->show();
        if (!QTest::qWaitForWindowExposed(view.get()))
            return false;
        QSignalSpy read(model.get(), &QAbstractItemModel::modelReset);
        model->open(script.conversation());
        if (!QTest::qWaitFor([&] { return read.size() >= 2; }, Patience))
            return false;
        QCoreApplication::processEvents(); // The scroll bar takes its place.
        return true;
    }
    /// Shows what was added to the script since, as one batch.
    void live()
    {
        const qsizetype from = std::exchange(m_shown, script.all().size());
        model->takeEvents(script.all().mid(from));
    }
    /// The same and into the store, so that it can be read.
    bool liveAndStored()
    {
        const EventBatch batch = script.all().mid(m_shown);
        QSignalSpy committed(store.get(), &Store::committed);
        store->append(batch, false);
        if (!committed.wait(Patience))
            return false;
        live();
        return true;
    }

    /// Shown before the store has it, as a window sees events.
    bool liveBeforeStored()
    {
        const EventBatch batch = script.all().mid(m_shown);
        live();
        QSignalSpy committed(store.get(), &Store::committed);
        store->append(batch, false);
        return committed.wait(Patience);
    }

    void startTurn(int turn)
    {
        m_turn = turn;
        m_step = 0;
        script.add(
            EventKind::TurnStart,
            "{\"turn\":" + QByteArray::number(turn)
                + ",\"parent\":null,\"messageIds\":[],\"provider\":\"demo\",\"model\":\"x\",\"maxSteps\":"
                  "9,\"afterTurn\":\"pause\"}");
        startStep();
    }
    void startStep()
    {
        ++m_step;
        ++m_part;
        script.add(EventKind::StepStart, place() + ",\"attempt\":1}");
    }
    void text(const QString &words, EventKind kind = EventKind::TextDelta)
    {
        QByteArray payload = place() + ",\"attempt\":1,\"part\":" + QByteArray::number(m_part) + ",\"text\":";
        appendJsonString(payload, words);
        script.add(kind, payload + "}");
    }
    void nextPart() { ++m_part; }
    void endText()
    {
        script.add(
            EventKind::ModelMessage,
            place()
                + ",\"attempt\":1,\"protocol\":\"demo\",\"provider\":\"demo\",\"model\":\"x\",\"raw\":\"{}\","
                  "\"calls\":[],\"finishReason\":\"stop\",\"rawReason\":\"x\",\"usage\":{\"input\":18200,"
                  "\"output\":640,\"cacheRead\":16500,\"cacheWrite\":null,\"reasoning\":null},\"costNanos\":"
                  "21000000,\"modelMs\":7400}");
    }
    void call(const QString &callId, const QString &command)
    {
        QByteArray payload = place() + ",\"attempt\":1,\"callId\":\"" + callId.toUtf8()
            + "\",\"providerCallId\":\"p\",\"toolName\":\"bash\",\"args\":{\"command\":";
        appendJsonString(payload, command);
        script.add(EventKind::ToolCall, payload + "}}");
    }
    /// The same of any tool, with its arguments as JSON.
    void callWith(const QString &callId, const QByteArray &tool, const QByteArray &arguments)
    {
        script.add(EventKind::ToolCall,
                   place() + ",\"attempt\":1,\"callId\":\"" + callId.toUtf8()
                       + "\",\"providerCallId\":\"p\",\"toolName\":\"" + tool + "\",\"args\":" + arguments
                       + "}");
    }
    void deny(const QString &callId, const QByteArray &reason)
    {
        script.add(EventKind::ToolApproval,
                   place() + ",\"callId\":\"" + callId.toUtf8()
                       + "\",\"state\":\"denied\",\"by\":\"user\",\"rule\":\"\",\"reason\":\"" + reason
                       + "\"}");
    }
    void ask(const QString &callId)
    {
        script.add(EventKind::ToolApproval,
                   place() + ",\"callId\":\"" + callId.toUtf8()
                       + "\",\"state\":\"asked\",\"by\":\"policy\",\"rule\":\"*\",\"reason\":\"\"}");
    }
    void allow(const QString &callId)
    {
        script.add(EventKind::ToolApproval,
                   place() + ",\"callId\":\"" + callId.toUtf8()
                       + "\",\"state\":\"approved\",\"by\":\"user\",\"rule\":\"\",\"reason\":\"\"}");
    }
    void run(const QString &callId)
    {
        script.add(EventKind::ToolStart,
                   place() + ",\"callId\":\"" + callId.toUtf8() + "\",\"toolName\":\"bash\"}");
    }
    void output(const QString &callId, const QByteArray &bytes, const QByteArray &channel = "stdout")
    {
        script.addOutput(m_turn, m_step, callId, bytes, channel);
    }
    void result(const QString &callId, int exitCode, qint64 bytes)
    {
        script.add(EventKind::ToolResult,
                   place() + ",\"callId\":\"" + callId.toUtf8()
                       + "\",\"toolName\":\"bash\",\"result\":{\"exitCode\":" + QByteArray::number(exitCode)
                       + "},\"exitCode\":" + QByteArray::number(exitCode)
                       + ",\"durationMs\":900,\"truncated\":false,\"outcome\":\"known\",\"stdoutBytes\":"
                       + QByteArray::number(bytes) + ",\"stderrBytes\":0}");
    }

    /// How a call ended, with members of our own: "\"timedOut\":true".
    void resultWith(const QString &callId, const QByteArray &members)
    {
        script.add(EventKind::ToolResult,
                   place() + ",\"callId\":\"" + callId.toUtf8()
                       + "\",\"toolName\":\"bash\",\"result\":{},\"truncated\":false," + members + "}");
    }

    [[nodiscard]] int placeOfCall(const QString &callId) const
    {
        for (int i = 0; i < model->rowCount(); ++i) {
            if (model->rowAt(i).data[u"callId"].toString() == callId)
                return i;
        }
        return -1;
    }
    [[nodiscard]] QScrollBar *bar() const { return view->verticalScrollBar(); }
    [[nodiscard]] QImage picture(const QRect &rect = {}) const
    {
        return (rect.isValid() ? view->viewport()->grab(rect) : view->viewport()->grab()).toImage();
    }

private:
    [[nodiscard]] QByteArray place() const
    {
        return "{\"turn\":" + QByteArray::number(m_turn) + ",\"step\":" + QByteArray::number(m_step);
    }
    QTemporaryDir m_dir;
    qsizetype m_shown = 0;
    int m_turn = 1;
    int m_step = 0;
    int m_part = 0;
};

} // namespace Pilothouse::Tests
