// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// Pictures of the Call pane, the approval cards and the composer in their states, to be looked at:
// pilothouse-call-gallery FOLDER

#include "approval/approvalbar.h"
#include "composer/composer.h"
#include "composer/composeredit.h"
#include "core/store/eventscript.h"
#include "engine/historyservice.h"
#include "inspector/callmodel.h"
#include "inspector/callpane.h"
#include "theme/theme.h"

#include <QApplication>
#include <QDateTime>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QTimer>
#include <QVBoxLayout>

using namespace Pilothouse;
using namespace Qt::StringLiterals;

namespace {

QByteArray pytestOutput()
{
    QByteArray out;
    for (int run = 1; run <= 22; ++run)
        out += "\x1b[1mrun " + QByteArray::number(run)
            + "/50\x1b[0m  ........................  \x1b[32m24 passed\x1b[0m in "
              "2.3s\n";
    out += "\x1b[1mrun 23/50\x1b[0m  .................F......  \x1b[1;31m1 failed\x1b[0m, \x1b[32m23 "
           "passed\x1b[0m in "
           "2.52s\n";
    out += "\x1b[31m========================= FAILURES =========================\x1b[0m\n";
    out += "\x1b[1;31m_________ test_replay_is_rejected[late-delivery] _________\x1b[0m\n";
    out += "\x1b[2m[gw2] linux -- Python 3.12.7 .venv/bin/python\x1b[0m\n\n";
    out += "    \x1b[34mdef\x1b[0m \x1b[36mtest_replay_is_rejected\x1b[0m(clock, signer, late):\n";
    out += "        body = signer.sign(\"evt_81\", at=clock())\n";
    out += "\x1b[31m>       assert not verify(body, now=clock())\x1b[0m\n";
    out += "\x1b[31mE       AssertionError: assert not Verified(age=301)\x1b[0m\n\n";
    out += "\x1b[33mWARNING\x1b[0m  checkout.webhooks:webhooks.py:71 tolerance 300 s, age 301 s: accepted "
           "\xff\xfe\n";
    out += "\x1b[7m reverse \x1b[0m \x1b[41m on red \x1b[0m \x1b[38;5;208morange\x1b[0m "
           "\x1b[38;2;200;200;255mpale\x1b[0m "
           "\x1b[3mitalic\x1b[0m \x1b[4munderlined\x1b[0m \x1b[9mstruck\x1b[0m \u6f22\u5b57 \U0001F600 "
           "e\u0301 \u05e9\u05dc\u05d5\u05dd\n";
    return out;
}

PendingCall pending(const QByteArray &args, const QString &tool = u"bash"_s)
{
    PendingCall call;
    call.conversation = newId();
    call.callId = newId();
    call.toolName = tool;
    call.args = parseJson(args).value_or(Json());
    call.rule = u"this conversation asks before every call"_s;
    call.askedMs = QDateTime::currentMSecsSinceEpoch() - 12 * 60 * 1000;
    return call;
}

void settle()
{
    QEventLoop loop;
    QTimer::singleShot(400, &loop, &QEventLoop::quit);
    loop.exec();
}

} // namespace

int main(int argc, char *argv[])
{
    QApplication app(argc, argv);
    const QString folder = QCoreApplication::arguments().value(1, u"."_s);
    Theme::install(app);
    QTemporaryDir data;
    HistoryService history(data.path());
    for (const Scheme scheme : {Scheme::Light, Scheme::Dark}) {
        Theme::instance().force(scheme);
        const QString name = scheme == Scheme::Light ? u"light"_s : u"dark"_s;
        const auto grab = [&](QWidget *widget, const QString &what) {
            settle();
            widget->grab().save(folder + u'/' + what + u'-' + name + u".png"_s);
        };

        CallModel model(&history);
        CallPane pane(&model);
        pane.resize(540, 790);
        pane.show();
        grab(&pane, u"call-empty"_s);
        Tests::EventScript script;
        const QString id = newId();
        const QByteArray own = ",\"callId\":\"" + id.toUtf8() + "\"";
        const QByteArray step = "{\"turn\":1,\"step\":4,\"attempt\":1" + own;
        const QByteArray args =
            "{\"command\":\"python tools/soak.py tests/test_webhooks.py --runs 50 -n 4 --keep-going "
            "--verbose\"}";
        const auto feed = [&](EventKind kind, const QByteArray &payload) {
            auto event = std::make_shared<Event>(*script.add(kind, payload).event);
            event->atMs = QDateTime::currentMSecsSinceEpoch() - 72'000;
            model.takeEvents({{event, {}}});
        };
        model.open(script.conversation(), id, 1);
        settle();
        feed(EventKind::ToolCall, step + ",\"toolName\":\"bash\",\"args\":" + args + "}");
        feed(EventKind::ModelMessage,
             "{\"turn\":1,\"step\":4,\"calls\":[{\"callId\":\"" + id.toUtf8() + "\"}]}");
        feed(EventKind::ToolApproval,
             step
                 + ",\"state\":\"asked\",\"by\":\"policy\",\"rule\":\"this conversation asks before every "
                   "call\"}");
        grab(&pane, u"call-waiting"_s);
        feed(EventKind::ToolApproval, step + ",\"state\":\"approved\",\"by\":\"user\",\"rule\":\"\"}");
        feed(EventKind::ToolStart, step + ",\"toolName\":\"bash\",\"args\":" + args + "}");
        model.takeEvents({script.addOutput(1, 4, id, pytestOutput())});
        model.takeEvents(
            {script.addOutput(1, 4, id, "soak: run 23 failed, going on (--keep-going)\n", "stderr")});
        model.takeEvents(
            {script.addOutput(1, 4, id, "run 24/50  ............\n" + QByteArray(60'000, 'x') + "\n")});
        model.takeEvents(
            {script.addOutput(1, 4, id, "\x1b[33mPytestCacheWarning\x1b[0m: not writable\n", "stderr")});
        model.takeEvents({script.addOutput(1, 4, id, "run 31/50  .............")});
        grab(&pane, u"call-running"_s);
        feed(EventKind::ToolResult,
             step
                 + ",\"toolName\":\"bash\",\"result\":{\"stdout\":\"run 1/50 24 passed\\nrun 2/50 24 "
                   "passed\\n\","
                   "\"stderr\":\"\",\"exitCode\":1},\"exitCode\":1,\"durationMs\":72345,\"truncated\":true,"
                   "\"leftOutBytes\":30000,\"outcome\":\"known\"}");
        grab(&pane, u"call-done"_s);
        pane.setTab(CallPane::Tab::Received);
        grab(&pane, u"call-received"_s);

        QWidget column;
        column.resize(614, 640);
        column.setAutoFillBackground(true);
        QPalette colors = column.palette();
        colors.setColor(QPalette::Window, Theme::instance().color(Role::Canvas));
        column.setPalette(colors);
        auto *layout = new QVBoxLayout(&column);
        layout->setContentsMargins(12, 12, 12, 12);
        auto *bar = new ApprovalBar;
        auto *composer = new Composer;
        layout->addStretch(1);
        layout->addWidget(bar);
        layout->addWidget(composer);
        column.show();
        ApprovalContext context;
        context.isMachinePaused = true;
        context.canReach = u"nothing: a local sandbox has no network"_s;
        bar->setContext(context);
        bar->setCalls(
            {pending("{\"command\":\"rm -rf build .pytest_cache\"}"),
             pending("{\"command\":\"git push --force-with-lease origin HEAD:fix/webhook-replay-window\"}")});
        bar->cards()[1]->setDraft(
            {ApprovalDraft::Kind::Edit, u"git push --dry-run origin HEAD:fix/webhook-replay-window"_s});
        composer->setState(Composer::State::Waiting);
        composer->setCanUpload(true);
        grab(&column, u"approval"_s);
        bar->setCalls(
            {pending("{\"path\":\"/home/user/a.txt\",\"content\":\"one\\ntwo\\u202e\"}", u"writeFile"_s)});
        bar->cards()[0]->setDraft({ApprovalDraft::Kind::Deny, {}});
        composer->setState(Composer::State::Running);
        composer->edit()->setPlainText(u"Keep the cache, it takes 20 minutes to fill.\nAnd one more line"_s);
        composer->edit()->setFocus();
        grab(&column, u"deny"_s);
    }
    return 0;
}
