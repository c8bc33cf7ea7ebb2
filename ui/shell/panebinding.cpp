// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/panebinding.h"

#include "composer/composer.h"
#include "files/filespane.h"
#include "inspector/callmodel.h"
#include "inspector/callpane.h"
#include "shell/conversationpage.h"
#include "shell/panehost.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "transcript/transcriptimages.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <QFileInfo>

#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

const auto CallName = u"call"_s;
const auto FilesName = u"files"_s;

} // namespace

PaneBinding::PaneBinding(Workspace *workspace, ConversationPage *page, PaneHost *host, QObject *parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_page(page)
    , m_host(host)
    , m_call(new CallModel(workspace->history(), this))
    , m_callPane(new CallPane(m_call))
    , m_filesPane(new FilesPane(nullptr, workspace->history()))
{
    host->addPane(CallName, u"square-terminal"_s, tr("Call"), m_callPane);
    host->addPane(FilesName, u"folder-tree"_s, tr("Files"), m_filesPane);

    connect(page->transcript(), &TranscriptView::lookWanted, this, [this] { m_host->showPane(FilesName); });
    connect(page->transcript(), &TranscriptView::callActivated, this,
            [this](const QString &conversation, const QString &callId) {
                openCall(conversation, callId);
                if (const int place = m_workspace->transcript()->placeOfCall(callId); place >= 0)
                    m_chosenTurn = m_workspace->transcript()->rowAt(place).turn;
                m_host->showPane(CallName);
            });
    connect(m_callPane, &CallPane::stopCallRequested, workspace, &Workspace::stopCall);
    connect(m_callPane, &CallPane::problem, workspace, &Workspace::problem);
    connect(m_callPane, &CallPane::saved, this, [workspace](const QString &fileName, qint64) {
        Q_EMIT workspace->notice(tr("Saved %1.").arg(QFileInfo(fileName).fileName()));
    });
    connect(m_call, &CallModel::problem, workspace, &Workspace::problem);

    connect(m_filesPane, &FilesPane::changedCountChanged, this,
            [this](int count) { m_host->setPaneCount(FilesName, count); });
    connect(m_filesPane, &FilesPane::problem, workspace, &Workspace::problem);
    // What one place finds out is said in all.
    connect(m_filesPane, &FilesPane::machineFound, workspace->conversations(),
            &ConversationListModel::setMachineFound);
    connect(m_filesPane, &FilesPane::wakeRequested, this,
            [this] { m_workspace->changeMachine(m_workspace->current(), MachineChange::Resume); });
    connect(page->composer(), &Composer::filesDropped, this, [this](const QStringList &files) {
        m_host->showPane(FilesName);
        m_filesPane->uploadFiles(files);
    });

    connect(workspace, &Workspace::eventsTaken, m_call, &CallModel::takeEvents);
    connect(workspace, &Workspace::eventsTaken, m_filesPane, &FilesPane::takeEvents);
    connect(workspace, &Workspace::eventsMissed, m_call, &CallModel::reread);
    connect(workspace, &Workspace::currentChanged, this, &PaneBinding::onCurrentChanged);
    connect(workspace, &Workspace::availabilityChanged, this, [this] {
        m_filesPane->setService(m_workspace->engine() ? m_workspace->engine()->files() : nullptr);
        m_callPane->setCanStop(m_workspace->canWork());
        setPictureSources();
        updateMachine();
    });
    const ConversationListModel *list = workspace->conversations();
    connect(list, &QAbstractItemModel::dataChanged, this, &PaneBinding::updateMachine);
    connect(list, &QAbstractItemModel::rowsInserted, this, &PaneBinding::updateMachine);
    connect(list, &QAbstractItemModel::modelReset, this, &PaneBinding::updateMachine);
    const TranscriptModel *rows = workspace->transcript();
    connect(rows, &QAbstractItemModel::modelReset, this, &PaneBinding::followCalls);
    connect(rows, &TranscriptModel::settled, this, &PaneBinding::followCalls);
    connect(page, &ConversationPage::callAttended, this, [this](const QString &callId) {
        m_attended = callId;
        openCall(m_workspace->current(), callId); // What is being answered is what is looked at.
    });
    m_callPane->setCanStop(workspace->canWork());
    onCurrentChanged();
}

void PaneBinding::onCurrentChanged()
{
    m_chosenTurn = 0;
    m_attended.clear();
    m_call->close();
    m_page->transcript()->setActiveCall({});
    updateMachine();
    followCalls();
}

void PaneBinding::openCall(const QString &conversation, const QString &callId)
{
    const TranscriptModel *rows = m_workspace->transcript();
    const int place = rows->placeOfCall(callId);
    if (place < 0)
        return;
    m_call->open(conversation, callId, rows->rowAt(place).firstSeq);
    m_page->transcript()->setActiveCall(callId);
}

void PaneBinding::followCalls()
{
    const TranscriptModel *rows = m_workspace->transcript();
    const TranscriptModel::CallPlace watched = rows->placeOfCallToWatch();
    if (watched.place < 0)
        return;
    const CallFacts &shown = m_call->facts();
    const bool isOurs = shown.isOpen() && shown.conversation == rows->conversation();
    const TranscriptRow &row = rows->rowAt(watched.place);
    // What has ended stays until a later step calls, however short that call was.
    const bool isLater = std::pair(row.turn, row.step) > std::pair(shown.turn, shown.step);
    if (isOurs && ((!watched.isOpen && !isLater) || isHeld(row)))
        return;
    if (const QString callId = row.data[u"callId"].toString(); !isOurs || callId != shown.callId)
        openCall(rows->conversation(), callId);
}

bool PaneBinding::isHeld(const TranscriptRow &watched)
{
    const TranscriptModel *rows = m_workspace->transcript();
    const int answered = rows->placeOfCall(m_attended);
    if (answered >= 0 && rows->rowAt(answered).data[u"state"].toString() == "waiting"_L1)
        return true;
    m_attended.clear();
    if (watched.turn > m_chosenTurn)
        m_chosenTurn = 0; // That was for another turn.
    return m_chosenTurn > 0;
}

void PaneBinding::updateMachine()
{
    const ConversationSummary *summary = m_workspace->conversations()->summary(m_workspace->current());
    if (summary)
        m_filesPane->setConversation(summary->id, summary->backend, summary->sandboxId,
                                     summary->sandboxState);
    else
        m_filesPane->setConversation(m_workspace->current(), {}, {}, {});
}

void PaneBinding::setPictureSources()
{
    TranscriptImages::Sources sources;
    if (Engine *engine = m_workspace->engine()) {
        sources.remote = [engine](const QUrl &url, qint64 most, QObject *context,
                                  TranscriptImages::Reply reply) {
            engine->fetchPublic(url, most, context, std::move(reply));
        };
        sources.sandbox = [this, engine](const QString &path, qint64 most, QObject *context,
                                         TranscriptImages::Reply reply) {
            const ConversationSummary *summary =
                m_workspace->conversations()->summary(m_workspace->current());
            const MachinePlace place{summary ? summary->backend : QString(),
                                     summary ? summary->sandboxId : QString()};
            engine->files()->read(place, path.toUtf8(), 0, most, context,
                                  [reply](const Result<FilePart, FileFault> &part) {
                                      if (part)
                                          reply(part->bytes);
                                      else
                                          reply(fail(part.error().error));
                                  });
        };
    }
    m_page->transcript()->images()->setSources(std::move(sources));
}

} // namespace Pilothouse
