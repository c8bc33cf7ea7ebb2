// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/conversationpage.h"

#include "approval/approvalbar.h"
#include "composer/composer.h"
#include "composer/composeredit.h"
#include "shell/approvalnews.h"
#include "shell/approvalplaces.h"
#include "shell/conversationactions.h"
#include "shell/conversationheader.h"
#include "shell/welcomepage.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/statewords.h"
#include "theme/controls/emptystate.h"
#include "theme/metrics.h"
#include "theme/theme.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <QDesktopServices>
#include <QDir>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr int LeastTranscript = 72; // So that it is known what the calls belong to.
} // namespace

ConversationPage::ConversationPage(Workspace *workspace, ConversationActions *actions, QWidget *parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_header(new ConversationHeader(workspace, actions))
    , m_stack(new QStackedWidget)
    , m_transcript(new TranscriptView)
    , m_welcome(new WelcomePage)
    , m_empty(
          new EmptyState(tr("No messages yet"),
                         tr("It has its model and its settings, and gets a machine with its first turn.")))
    , m_approvals(new ApprovalBar)
    , m_composer(new Composer)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    m_stack->addWidget(m_welcome);
    m_stack->addWidget(m_transcript);
    m_stack->addWidget(m_empty);
    layout->addWidget(m_stack, 1);

    auto *foot = new QWidget;
    auto *footLayout = new QVBoxLayout(foot);
    footLayout->setContentsMargins(Metrics::ComposerMargin, Metrics::SpaceS, Metrics::ComposerMargin,
                                   Metrics::ComposerMargin);
    footLayout->setSpacing(Metrics::SpaceS);
    footLayout->addWidget(m_approvals);
    footLayout->addWidget(m_composer);
    layout->addWidget(foot);
    m_composer->installEventFilter(this);

    m_transcript->setModel(workspace->transcript());
    m_transcript->setLinkOpener([](const QUrl &url) { QDesktopServices::openUrl(url); });
    m_places = new ApprovalPlaces(workspace, m_transcript, m_approvals, this);
    connect(m_header, &ConversationHeader::focusLeft, this, &ConversationPage::focusComposer);
    connect(m_places, &ApprovalPlaces::answered, this, [this](const QString &callId, bool byMouse) {
        if (ApprovalCard *next = m_places->nextAfter(callId))
            next->takeFocus(byMouse);
        else
            focusComposer();
    });
    connect(m_places, &ApprovalPlaces::attended, this, &ConversationPage::callAttended);
    connect(m_header, &ConversationHeader::keysRequested, this, &ConversationPage::keysRequested);
    connect(m_welcome, &WelcomePage::keysRequested, this, &ConversationPage::keysRequested);
    connect(m_welcome, &WelcomePage::localModelsRequested, this, &ConversationPage::localModelsRequested);
    m_composer->setDraftFolder(QDir(workspace->dataDir()).filePath(u"drafts"_s));
    connect(m_composer, &Composer::submitted, workspace, &Workspace::send);
    connect(m_composer, &Composer::submitted, m_transcript, &TranscriptView::goToLatest);
    connect(m_composer, &Composer::problem, workspace, &Workspace::problem);
    connect(m_welcome, &WelcomePage::tourRequested, this, [this] {
        focusComposer(); // The button goes with its page, and the focus would with it.
        m_workspace->startTour();
    });
    connect(m_approvals, &ApprovalBar::answered, workspace, &Workspace::answer);
    connect(workspace, &Workspace::sendFailed, m_composer, &Composer::restore);
    connect(workspace, &Workspace::messageReturned, m_composer, &Composer::restore);
    connect(workspace, &Workspace::conversationMade, m_composer, &Composer::adoptConversation);
    connect(workspace, &Workspace::conversationMade, this, [this](const QString &id) { m_writtenTo = id; });
    connect(m_composer, &Composer::submitted, this, [this] {
        m_writtenTo = m_workspace->current();
        updateHeader();
    });
    connect(workspace, &Workspace::sendFailed, this, [this] { m_writtenTo.clear(); });
    connect(workspace, &Workspace::currentChanged, this, &ConversationPage::onCurrentChanged);
    connect(workspace, &Workspace::runningChanged, this, &ConversationPage::updateHeader);
    connect(workspace, &Workspace::pendingChanged, this, &ConversationPage::updateApprovals);
    connect(workspace, &Workspace::availabilityChanged, this, [this] {
        updateHeader();
        updateWelcome();
    });
    connect(workspace, &Workspace::defaultsChanged, this, [this] {
        updateHeader();
        updateWelcome();
    });
    const ConversationListModel *list = workspace->conversations();
    connect(list, &QAbstractItemModel::modelReset, this, &ConversationPage::updateHeader);
    connect(workspace->transcript(), &QAbstractItemModel::modelReset, m_header, &ConversationHeader::refresh);
    connect(workspace, &Workspace::servicesChanged, this, [this] {
        updateHeader();
        updateWelcome();
    });
    connect(list, &QAbstractItemModel::modelReset, this, &ConversationPage::updateWelcome);
    connect(list, &QAbstractItemModel::rowsInserted, this, &ConversationPage::updateWelcome);
    connect(list, &QAbstractItemModel::rowsRemoved, this, &ConversationPage::updateWelcome);
    connect(list, &QAbstractItemModel::rowsInserted, this, &ConversationPage::updateHeader);
    connect(list, &QAbstractItemModel::dataChanged, this, &ConversationPage::updateHeader);
    new ApprovalNews(workspace, this);
    onCurrentChanged();
}

void ConversationPage::focusComposer() { m_composer->edit()->setFocus(); }

void ConversationPage::typeMessage(const QString &text)
{
    if (m_composer->edit()->isReadOnly())
        return;
    focusComposer();
    m_composer->edit()->insertPlainText(text);
}

// What neither the transcript nor a card has a use for comes up here.
void ConversationPage::keyPressEvent(QKeyEvent *event)
{
    constexpr Qt::KeyboardModifiers Commands = Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
    const QString text = event->text();
    const bool isText = !text.isEmpty() && text.front().isPrint() && !text.front().isSpace();
    if (!isText || event->modifiers() & Commands) {
        QWidget::keyPressEvent(event);
        return;
    }
    typeMessage(text);
}

void ConversationPage::onCurrentChanged()
{
    const bool isNew = m_workspace->current().isEmpty();
    if (isNew)
        m_stack->setCurrentWidget(m_welcome);
    // The transcript takes what the others leave: what it or the first page would like must not make the
    // calls that wait scroll.
    m_stack->setSizePolicy(QSizePolicy::Preferred, isNew ? QSizePolicy::Preferred : QSizePolicy::Ignored);
    m_stack->setMinimumHeight(isNew ? 0 : Theme::instance().px(LeastTranscript));
    m_composer->setConversation(m_workspace->current());
    updateHeader();
    updateApprovals();
    updateWelcome();
}

// A copy of another one, say.
bool ConversationPage::isUnused() const
{
    const ConversationSummary *summary = m_workspace->conversations()->summary(m_workspace->current());
    return summary && summary->turns == 0 && summary->id != m_writtenTo
        && m_workspace->transcript()->rowCount() == 0;
}

void ConversationPage::updateHeader()
{
    if (!m_workspace->current().isEmpty())
        m_stack->setCurrentWidget(isUnused() ? static_cast<QWidget *>(m_empty) : m_transcript);
    m_composer->setState(composerState());
    const ConversationSummary *summary = m_workspace->conversations()->summary(m_workspace->current());
    m_composer->setCanUpload(m_workspace->canWork() && summary && summary->sandboxState == "active"_L1);
    m_composer->setDisabledReason(m_workspace->canWork() ? QString() : tr("Reading only"));
    m_header->refresh();
}

Composer::State ConversationPage::composerState() const
{
    const QString &current = m_workspace->current();
    if (current.isEmpty() || isUnused())
        return Composer::State::New;
    if (!m_workspace->isRunning(current))
        return Composer::State::Idle;
    return m_workspace->pendingCalls()->of(current).isEmpty() ? Composer::State::Running
                                                              : Composer::State::Waiting;
}

ApprovalCard *ConversationPage::waitingCard() const
{
    const QList<ApprovalCard *> cards = findChildren<ApprovalCard *>();
    const auto seen = std::find_if(cards.cbegin(), cards.cend(),
                                   [](const ApprovalCard *card) { return card->isVisible(); });
    return seen == cards.cend() ? nullptr : *seen;
}

QList<QWidget *> ConversationPage::zones() const
{
    QList<QWidget *> zones;
    if (m_transcript->isVisible())
        zones.append(m_transcript);
    if (ApprovalCard *card = waitingCard())
        zones.append(card);
    zones.append(m_composer->edit());
    return zones;
}

void ConversationPage::updateApprovals()
{
    // A card that goes unanswered must not take the focus with it, nor hand it to the next one, where a
    // letter allows.
    const QList<PendingCall> calls = m_workspace->pendingCalls()->of(m_workspace->current());
    for (const ApprovalCard *card : findChildren<ApprovalCard *>()) {
        const QWidget *focused = focusWidget();
        const bool isUsed = focused && (card == focused || card->isAncestorOf(focused));
        if (isUsed && std::none_of(calls.cbegin(), calls.cend(), [card](const PendingCall &call) {
                return call.callId == card->call().callId;
            }))
            focusComposer();
    }
    m_places->update();
    m_composer->setState(composerState());
}

// What is left of the column for calls that wait: the transcript keeps a few lines, and what a person writes
// grows.
void ConversationPage::updateRoom()
{
    const QMargins around = m_approvals->parentWidget()->layout()->contentsMargins();
    const int others = m_header->sizeHint().height() + around.top() + around.bottom() + Metrics::SpaceS
        + m_composer->height() + Theme::instance().px(LeastTranscript);
    m_approvals->setRoom(std::max(1, height() - others));
}

void ConversationPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    updateRoom();
}

bool ConversationPage::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_composer && event->type() == QEvent::Resize)
        updateRoom();
    return QWidget::eventFilter(watched, event);
}

void ConversationPage::updateWelcome()
{
    const ConversationSettings &defaults = m_workspace->draft();
    m_welcome->setFirstRun(m_workspace->conversations()->rowCount() == 0);
    m_welcome->setModel(defaults.provider.isEmpty() ? QString()
                                                    : QString(defaults.provider + u'/' + defaults.model),
                        isScripted(defaults.provider));
    m_welcome->setLacksTools(m_workspace->lacksTools(defaults.provider, defaults.model));
    m_welcome->setUsable(m_workspace->canWork(), m_workspace->isReadingOnly());
}

} // namespace Pilothouse
