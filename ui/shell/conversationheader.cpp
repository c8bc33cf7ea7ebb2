// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/conversationheader.h"

#include "shell/conversationactions.h"
#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/statewords.h"
#include "text/inerttext.h"
#include "theme/controls/button.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/meter.h"
#include "theme/controls/toolbutton.h"
#include "theme/metrics.h"
#include "theme/statelook.h"
#include "theme/theme.h"
#include "theme/units.h"
#include "transcript/transcriptmodel.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestTitle = 200;
constexpr int EnoughForWords = 200; // "Retrying: in 18 s: " and what it is about.

QString tokensWords(qint64 tokens)
{
    return tokens == 1 ? ConversationHeader::tr("1 token")
                       : ConversationHeader::tr("%1 tokens").arg(tokensText(tokens));
}

} // namespace

ConversationHeader::ConversationHeader(Workspace *workspace, ConversationActions *actions, QWidget *parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_actions(actions)
    , m_titleStack(new QStackedWidget)
    , m_title(new ElidedLabel(tr("Title"), TextStyle::Title))
    , m_titleEdit(new QLineEdit)
    , m_more(new ToolButton(u"ellipsis"_s, tr("More")))
    , m_stop(new Button(tr("Stop")))
    , m_model(new Button({}, Button::Kind::Plain))
    , m_machine(new Button({}, Button::Kind::Plain))
    , m_state(new ElidedLabel(tr("State"), TextStyle::Small, Role::Text2))
    , m_steps(new Label({}, TextStyle::Small, Role::Text2))
    , m_context(new Meter(tr("Context")))
    , m_contextWords(new Label({}, TextStyle::Small, Role::Text2))
    , m_tokens(new Label({}, TextStyle::Small, Role::Text2))
    , m_cost(new Label({}, TextStyle::Small, Role::Text))
    , m_moreMenu(new QMenu(this))
    , m_modelMenu(new QMenu(this))
    , m_machineMenu(new QMenu(this))
{
    const Theme &theme = Theme::instance();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto *first = new QWidget;
    first->setFixedHeight(theme.px(Metrics::ColumnHeader));
    auto *firstRow = new QHBoxLayout(first);
    firstRow->setContentsMargins(Metrics::SpaceL, 0, Metrics::SpaceS, 1);
    firstRow->setSpacing(Metrics::SpaceS);
    m_titleStack->addWidget(m_title);
    m_titleStack->addWidget(m_titleEdit);
    m_titleStack->setFixedHeight(theme.px(Metrics::Input));
    m_titleEdit->setAccessibleName(tr("Title"));
    m_titleEdit->setMaxLength(LongestTitle);
    firstRow->addWidget(m_titleStack, 1);
    firstRow->addWidget(m_more);
    firstRow->addWidget(m_stop);
    layout->addWidget(first);
    auto *second = new QWidget;
    second->setFixedHeight(theme.px(Metrics::SecondHeader));
    auto *secondRow = new QHBoxLayout(second);
    secondRow->setContentsMargins(Metrics::SpaceS, 0, Metrics::SpaceL, 1);
    secondRow->setSpacing(Metrics::SpaceXs);
    for (Button *button : {m_model, m_machine}) {
        button->setSmall(true);
        button->setChevron(true);
        button->setTextStyle(TextStyle::Small);
        button->setMayShrink(true);
        secondRow->addWidget(button);
    }
    secondRow->addWidget(m_state, 1);
    secondRow->addSpacing(Metrics::SpaceS);
    secondRow->addWidget(m_steps);
    secondRow->addSpacing(Metrics::SpaceS);
    secondRow->addWidget(m_context);
    secondRow->addWidget(m_contextWords);
    for (Label *label : {m_tokens, m_cost}) {
        secondRow->addSpacing(Metrics::SpaceS);
        secondRow->addWidget(label);
    }
    layout->addWidget(second);

    m_stop->setIconName(u"stop"_s);
    m_stop->setAccessibleName(tr("Stop"));
    m_stop->setToolTip(tr("Stop the turn (Ctrl+.)"));
    m_title->installEventFilter(this);
    m_titleEdit->installEventFilter(this);
    connect(m_stop, &Button::clicked, workspace, &Workspace::stop);
    connect(m_titleEdit, &QLineEdit::returnPressed, this, [this] { endEdit(true); });
    connect(m_moreMenu, &QMenu::aboutToShow, this, &ConversationHeader::fillMenu);
    connect(m_modelMenu, &QMenu::aboutToShow, this, &ConversationHeader::fillModelMenu);
    connect(m_machineMenu, &QMenu::aboutToShow, this,
            [this] { m_actions->fillMachineMenu(m_machineMenu, m_workspace->current()); });
    // A button that has the menu itself would run it in an event loop of its own.
    const auto popUp = [](QWidget *button, QMenu *menu) {
        menu->popup(button->mapToGlobal(QPoint(0, button->height())));
    };
    connect(m_more, &ToolButton::clicked, this, [this, popUp] { popUp(m_more, m_moreMenu); });
    connect(m_model, &Button::clicked, this, [this, popUp] { popUp(m_model, m_modelMenu); });
    connect(m_machine, &Button::clicked, this, [this, popUp] { popUp(m_machine, m_machineMenu); });
    connect(workspace, &Workspace::machineChanging, this, [this](const QString &id, bool changing) {
        if (id != m_workspace->current())
            return;
        m_machineChanging = changing;
        refresh();
    });
    connect(workspace, &Workspace::currentChanged, this, [this] {
        m_machineChanging = false;
        endEdit(false);
    });
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void ConversationHeader::refresh()
{
    const QString current = m_workspace->current();
    const ConversationSummary *summary = m_workspace->conversations()->summary(current);
    const bool running = m_workspace->isRunning(current);
    const bool stopping = m_workspace->isStopping(current);
    const bool canStop = running && !stopping && m_workspace->canWork();
    if (m_stop->hasFocus() && !canStop)
        Q_EMIT focusLeft(); // Qt would hand the focus to whatever comes next.
    m_stop->setEnabled(canStop);
    m_more->setEnabled(summary != nullptr);
    m_title->setWords(summary ? titleText(*summary) : tr("New conversation"));
    const QString provider = summary ? summary->provider : m_workspace->draft().provider;
    const QString model = summary ? summary->model : m_workspace->draft().model;
    m_model->setText(provider.isEmpty()         ? tr("No model yet")
                         : isScripted(provider) ? modelText(provider, model)
                                                : inertLine(model, LongestTitle));
    m_model->setAccessibleName(tr("Model: %1").arg(m_model->text()));
    m_model->setToolTip(
        provider.isEmpty() ? QString()
            : m_workspace->lacksTools(provider, model)
            ? tr("%1 cannot use tools, so it can do nothing in a sandbox").arg(modelText(provider, model))
            : tr("%1, for the next turn").arg(modelText(provider, model)));
    m_model->setEnabled(m_workspace->canWork());
    refreshMachine(summary);

    QString words;
    StateLook look = conversationLook(stopping      ? u"stopping"_s
                                          : summary ? summary->state
                                          : running ? u"connecting"_s
                                                    : u"idle"_s);
    if (stopping)
        words = tr("%1: waiting until the command has ended or the machine is frozen").arg(look.word);
    else if (summary
             && (summary->state == "failed"_L1 || summary->state == "interrupted"_L1
                 || summary->state == "retrying"_L1)) {
        // What goes on is told by the transcript and the list; cut to a few letters here it tells nothing.
        const QString detail = stateDetailText(*summary);
        words = detail.isEmpty() ? look.word : QString(look.word + u": "_s + detail);
    }
    m_hasWords = !words.isEmpty();
    m_state->setWords(words);
    m_state->setLook(TextStyle::Small, look.color);
    refreshFigures(summary);
    dropItems();
}

void ConversationHeader::refreshMachine(const ConversationSummary *summary)
{
    const QString backend = summary ? summary->backend : m_workspace->draft().backend;
    const StateLook machine = machineLook(summary ? summary->sandboxState : QString());
    QString word = machine.word;
    if (!summary || summary->sandboxState.isEmpty())
        word = backend.isEmpty()    ? machine.word
            : backend == "local"_L1 ? tr("local sandbox")
                                    : tr("Superserve");
    else if (summary->state == "waiting"_L1 && summary->sandboxState == "paused"_L1)
        word = tr("paused, free");
    m_machine->setIconName(machine.glyph, Metrics::IconInline);
    m_machine->setIconRole(machine.color);
    m_machine->setText(word);
    m_machine->setAccessibleName(tr("Machine: %1").arg(word));
    m_machine->setToolTip(backendText(backend));
    m_machine->setEnabled(m_workspace->canWork() && !m_machineChanging);
}

void ConversationHeader::refreshFigures(const ConversationSummary *summary)
{
    QString steps;
    QString tokens;
    QString cost;
    if (summary && summary->steps > 0)
        steps = summary->maxSteps > 0 ? tr("step %1 of %2").arg(summary->steps).arg(summary->maxSteps)
                                      : tr("step %1").arg(summary->steps);
    if (summary && (summary->inputTokens || summary->outputTokens))
        tokens = tokensWords(summary->inputTokens.value_or(0) + summary->outputTokens.value_or(0));
    if (summary && summary->costNanos)
        cost = costText(*summary->costNanos);
    const auto show = [](Label *label, const QString &text) {
        if (label->text() != text)
            label->setText(text);
    };
    refreshContext(summary);
    show(m_steps, steps);
    show(m_tokens, tokens);
    show(m_cost, cost);
}

// What the last request and its answer took of what the model can hold: the next one takes that and more.
void ConversationHeader::refreshContext(const ConversationSummary *summary)
{
    m_part.reset();
    if (summary && m_workspace->transcript()->conversation() == summary->id) {
        const std::optional<qint64> used = m_workspace->transcript()->lastContextTokens();
        for (const ServiceInfo &service : m_workspace->services()) {
            const std::optional<qint64> room =
                service.id == summary->provider ? service.contextOf(summary->model) : std::nullopt;
            if (!used || !room || *room <= 0)
                continue;
            m_part = static_cast<double>(*used) / static_cast<double>(*room);
            m_context->setToolTip(tr("The last step took %1 of the %2 tokens that the model can hold.")
                                      .arg(tokensText(*used), tokensText(*room)));
        }
    }
    if (!m_part)
        return;
    m_context->setPart(*m_part);
    const Role role = *m_part >= 1 ? Role::Failed : Meter::isNearLimit(*m_part) ? Role::Waiting : Role::Text2;
    if (std::exchange(m_contextRole, role) != role)
        m_contextWords->setLook(TextStyle::Small, role);
    m_contextWords->setToolTip(m_context->toolTip());
}

void ConversationHeader::dropItems()
{
    const bool isWide = width() >= Metrics::DropTokensFromHeader;
    m_tokens->setVisible(isWide && !m_tokens->text().isEmpty());
    m_steps->setVisible(!m_steps->text().isEmpty());
    const bool hasContext = m_part.has_value();
    if (hasContext) {
        const QString words = Meter::words(*m_part);
        const bool isShort = width() < Metrics::DropContextWordFromHeader || Meter::isNearLimit(*m_part);
        const QString text = isShort ? words : tr("%1 context").arg(words);
        if (m_contextWords->text() != text)
            m_contextWords->setText(text);
    }
    m_context->setVisible(hasContext);
    m_contextWords->setVisible(hasContext);
    m_cost->setVisible(!m_cost->text().isEmpty());
    keepStateWords();
    keepMachineWords();
}

// A state in words needs the room more than figures do. What does not fit any window stands in the
// transcript.
void ConversationHeader::keepStateWords()
{
    if (!m_hasWords)
        return;
    const int wanted = std::min(m_state->sizeHint().width(), Theme::instance().px(EnoughForWords));
    const QLayout *row = m_machine->parentWidget()->layout();
    for (QWidget *figure : QList<QWidget *>{m_tokens, m_contextWords, m_context, m_steps}) {
        if (row->sizeHint().width() + wanted <= width())
            break;
        figure->hide();
    }
}

// The name of a model may be long, and is known to who chose it; what the machine does is not, and is paid
// for.
void ConversationHeader::keepMachineWords()
{
    const int wanted = m_machine->sizeHint().width();
    const int name = m_model->sizeHint().width();
    const auto others = [&] {
        const int all = m_machine->parentWidget()->layout()->sizeHint().width();
        return all - name - std::max(wanted, m_machine->minimumWidth());
    };
    if (others() + name + wanted <= width()) {
        m_machine->setMinimumWidth(0); // On another screen it may need less.
        return;
    }
    const auto room = [&] { return width() - others() - m_model->minimumSizeHint().width(); };
    for (QWidget *figure : QList<QWidget *>{m_tokens, m_steps, m_contextWords, m_context, m_cost}) {
        if (room() >= wanted)
            break;
        figure->hide();
    }
    const int least = m_machine->minimumSizeHint().width();
    m_machine->setMinimumWidth(std::max(least, std::min(room(), wanted)));
}

void ConversationHeader::editTitle()
{
    const ConversationSummary *summary = m_workspace->conversations()->summary(m_workspace->current());
    if (!summary || !m_workspace->canWork())
        return;
    m_titleEdit->setText(titleText(*summary));
    m_titleStack->setCurrentWidget(m_titleEdit);
    m_titleEdit->setFocus(Qt::OtherFocusReason);
    m_titleEdit->selectAll();
}

void ConversationHeader::endEdit(bool take)
{
    if (m_titleStack->currentWidget() != m_titleEdit)
        return;
    m_titleStack->setCurrentWidget(m_title);
    const QString title = m_titleEdit->text().simplified();
    if (take && !title.isEmpty() && title != m_title->text())
        m_workspace->rename(m_workspace->current(), title);
}

bool ConversationHeader::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_title && event->type() == QEvent::MouseButtonDblClick) {
        editTitle();
        return true;
    }
    if (watched == m_titleEdit && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        endEdit(false);
        m_more->setFocus(Qt::OtherFocusReason);
        return true;
    }
    if (watched == m_titleEdit && event->type() == QEvent::FocusOut
        && static_cast<QFocusEvent *>(event)->reason() != Qt::PopupFocusReason)
        endEdit(true);
    return QWidget::eventFilter(watched, event);
}

void ConversationHeader::fillMenu()
{
    m_moreMenu->clear();
    m_actions->fillMenu(m_moreMenu, m_workspace->current());
}

void ConversationHeader::fillModelMenu()
{
    m_modelMenu->clear();
    const ConversationSummary *summary = m_workspace->conversations()->summary(m_workspace->current());
    const QString provider = summary ? summary->provider : m_workspace->draft().provider;
    const QString model = summary ? summary->model : m_workspace->draft().model;
    QStringList withoutKey; // After those that can be chosen.
    for (const ServiceInfo &service : m_workspace->services()) {
        if (service.kind != ServiceInfo::Kind::Model)
            continue;
        if (service.keySource == ServiceInfo::KeySource::None) {
            withoutKey.append(service.name);
            continue;
        }
        QMenu *models = m_modelMenu->addMenu(service.name);
        auto *group = new QActionGroup(models);
        if (service.models.isEmpty())
            models->addAction(tr("Test it under Keys: then its models are listed"))->setEnabled(false);
        for (const QString &id : service.models) {
            const QString shown = inertLine(id, LongestTitle);
            const bool isOfUse = !service.withoutTools.contains(id);
            QAction *action = models->addAction(isOfUse ? shown : tr("%1: cannot use tools").arg(shown));
            action->setEnabled(isOfUse);
            action->setCheckable(true);
            action->setChecked(service.id == provider && id == model);
            group->addAction(action);
            connect(action, &QAction::triggered, this,
                    [this, provider = service.id, id] { m_workspace->setModel(provider, id); });
        }
    }
    for (const QString &name : std::as_const(withoutKey))
        m_modelMenu->addAction(tr("%1: no key").arg(name))->setEnabled(false);
    if (m_modelMenu->isEmpty())
        m_modelMenu->addAction(tr("The list of models is not there yet"))->setEnabled(false);
    m_modelMenu->addSeparator();
    connect(m_modelMenu->addAction(tr("Keys…")), &QAction::triggered, this,
            &ConversationHeader::keysRequested);
}

void ConversationHeader::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    dropItems();
}

void ConversationHeader::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::instance();
    QPainter painter(this);
    painter.fillRect(rect(), theme.color(Role::Window));
    painter.fillRect(0, theme.px(Metrics::ColumnHeader) - 1, width(), 1, theme.color(Role::Hair));
    painter.fillRect(0, height() - 1, width(), 1, theme.color(Role::Hair));
}

} // namespace Pilothouse
