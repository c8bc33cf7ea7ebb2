// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/conversationpage.h"

#include "composer/composer.h"
#include "composer/composeredit.h"
#include "approval/approvalbar.h"
#include "shell/elidedlabel.h"
#include "shell/welcomepage.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/statewords.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

ConversationPage::ConversationPage(Workspace *workspace, QWidget *parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_title(new ElidedLabel(tr("Title")))
    , m_state(new ElidedLabel(tr("State")))
    , m_model(new ElidedLabel(tr("Model")))
    , m_stop(new QPushButton(tr("Stop")))
    , m_stack(new QStackedWidget)
    , m_transcript(new TranscriptView)
    , m_welcome(new WelcomePage)
    , m_approvals(new ApprovalBar)
    , m_composer(new Composer)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);

    auto *header = new QWidget;
    auto *headerRow = new QHBoxLayout(header);
    headerRow->setContentsMargins(16, 8, 12, 8);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    m_title->setFont(bold);
    words->addWidget(m_title);
    auto *second = new QHBoxLayout;
    second->setSpacing(16);
    second->addWidget(m_state, 3);
    second->addWidget(m_model, 2);
    m_model->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    words->addLayout(second);
    headerRow->addLayout(words, 1);
    headerRow->addSpacing(12);
    headerRow->addWidget(m_stop, 0, Qt::AlignVCenter);
    layout->addWidget(header);

    auto *line = new QFrame;
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Mid);
    layout->addWidget(line);

    m_stack->addWidget(m_welcome);
    m_stack->addWidget(m_transcript);
    layout->addWidget(m_stack, 1);

    auto *foot = new QWidget;
    auto *footLayout = new QVBoxLayout(foot);
    footLayout->setContentsMargins(12, 8, 12, 8);
    footLayout->setSpacing(8);
    footLayout->addWidget(m_approvals);
    footLayout->addWidget(m_composer);
    layout->addWidget(foot);

    m_transcript->setModel(workspace->transcript());
    m_stop->setAccessibleName(tr("Stop"));
    m_stop->setToolTip(tr("Ctrl+."));

    connect(m_stop, &QPushButton::clicked, workspace, &Workspace::stop);
    connect(m_composer, &Composer::submitted, workspace, &Workspace::send);
    connect(m_composer, &Composer::problem, workspace, &Workspace::problem);
    connect(m_welcome, &WelcomePage::tourRequested, workspace, &Workspace::startTour);
    connect(m_approvals, &ApprovalBar::answered, workspace, &Workspace::answer);
    connect(workspace, &Workspace::answerFailed, m_approvals, &ApprovalBar::answerFailed);
    connect(workspace, &Workspace::sendFailed, m_composer, &Composer::restore);
    connect(workspace, &Workspace::conversationMade, m_composer, &Composer::adoptConversation);
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
    connect(list, &QAbstractItemModel::modelReset, this, &ConversationPage::updateWelcome);
    connect(list, &QAbstractItemModel::rowsInserted, this, &ConversationPage::updateHeader);
    connect(list, &QAbstractItemModel::dataChanged, this, &ConversationPage::updateHeader);
    onCurrentChanged();
}

void ConversationPage::focusComposer() { m_composer->edit()->setFocus(); }

void ConversationPage::onCurrentChanged()
{
    const bool isNew = m_workspace->current().isEmpty();
    m_stack->setCurrentWidget(isNew ? static_cast<QWidget *>(m_welcome) : m_transcript);
    m_composer->setConversation(m_workspace->current());
    updateHeader();
    updateApprovals();
    updateWelcome();
}

void ConversationPage::updateHeader()
{
    const QString current = m_workspace->current();
    const bool running = m_workspace->isRunning(current);
    const bool stopping = m_workspace->isStopping(current);
    m_stop->setEnabled(running && !stopping && m_workspace->canWork());
    m_composer->setRunning(running);
    m_composer->setDisabledReason(m_workspace->canWork() ? QString() : tr("Reading only"));
    const ConversationSummary *summary = m_workspace->conversations()->summary(current);
    if (!summary) {
        const ConversationSettings &defaults = m_workspace->defaults();
        m_title->setWords(tr("New conversation"));
        m_state->setWords(running ? stateWord(u"connecting"_s) : QString());
        m_model->setWords(defaults.provider.isEmpty() ? QString()
                                                      : modelText(defaults.provider, defaults.model));
        return;
    }
    const QString state = stopping ? u"stopping"_s : summary->state;
    const QString detail = stateDetailText(*summary);
    QString words = stateWord(state);
    if (stopping)
        words += u": "_s + tr("waiting until the command has ended or the machine is frozen");
    else if (!detail.isEmpty())
        words += u": "_s + detail;
    m_title->setWords(titleText(*summary));
    m_state->setWords(words);
    m_model->setWords(modelText(summary->provider, summary->model));
}

void ConversationPage::updateApprovals()
{
    const QWidget *focused = focusWidget();
    const bool wasThere = focused && m_approvals->isAncestorOf(focused);
    m_approvals->setCalls(m_workspace->pendingCalls()->of(m_workspace->current()));
    if (wasThere && m_approvals->cards().isEmpty())
        focusComposer();
}

void ConversationPage::updateWelcome()
{
    const ConversationSettings &defaults = m_workspace->defaults();
    m_welcome->setFirstRun(m_workspace->conversations()->rowCount() == 0);
    m_welcome->setModel(defaults.provider.isEmpty() ? QString()
                                                    : QString(defaults.provider + u'/' + defaults.model),
                        isScripted(defaults.provider));
    m_welcome->setUsable(m_workspace->canWork());
}

} // namespace Pilothouse
