// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/callpane.h"

#include "inspector/callheader.h"
#include "inspector/callmodel.h"
#include "inspector/calltexts.h"
#include "inspector/outputsaver.h"
#include "inspector/outputview.h"
#include "inspector/textbox.h"
#include "text/inerttext.h"
#include "theme/controls/button.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/emptystate.h"
#include "theme/controls/hairline.h"
#include "theme/controls/label.h"
#include "theme/controls/segmented.h"
#include "theme/controls/toolbutton.h"
#include "theme/metrics.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QAbstractButton>
#include <QDateTime>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int MostSubjectLines = 8; // Then the box scrolls, and the output stays in sight.
constexpr qint64 Hour = 60 * 60 * 1000;

void askWithDialog(QWidget *parent, const QString &suggestion,
                   const std::function<void(const QString &)> &then)
{
    auto *dialog = new QFileDialog(parent, CallPane::tr("Save output"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(suggestion);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, then);
    dialog->open();
}

QString countText(qint64 lines, qint64 bytes)
{
    const QString number = QLocale::c().toString(lines);
    const QString words = lines == 1 ? CallPane::tr("1 line") : CallPane::tr("%1 lines").arg(number);
    return QString(words + u", "_s + bytesText(bytes));
}

} // namespace

CallPane::CallPane(CallModel *model, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_ask(askWithDialog)
    , m_pages(new QStackedWidget)
    , m_empty(new EmptyState(tr("No call is selected"),
                             tr("Select a call in the conversation to see what it does and what it prints.")))
    , m_header(new CallHeader)
    , m_subjectLabel(new Label({}, TextStyle::Section, Role::Text2))
    , m_subject(new TextBox(tr("Command"), MostSubjectLines))
    , m_meta(new ElidedLabel(tr("Why it runs"), TextStyle::Small, Role::Text2))
    , m_startLabel(new Label({}, TextStyle::Small, Role::Text2))
    , m_tabs(new Segmented(tr("What is shown of the call"),
                           {tr("Output"), tr("Arguments"), tr("Model received")}))
    , m_counts(new Label({}, TextStyle::Small, Role::Text2))
    , m_wrap(new ToolButton(u"wrap-text"_s, tr("Wrap lines")))
    , m_copy(new ToolButton(u"copy"_s, tr("Copy")))
    , m_save(new ToolButton(u"download"_s, tr("Save output to a file")))
    , m_stack(new QStackedWidget)
    , m_view(new OutputView(tr("Output")))
    , m_bodyModel(new OutputModel(this))
    , m_body(new OutputView(tr("Text")))
    , m_argsModel(new OutputModel(this))
    , m_args(new OutputView(tr("Arguments, as the model sent them")))
    , m_receivedPage(new QWidget)
    , m_receivedNote(new Label({}, TextStyle::Small, Role::Text2))
    , m_receivedModel(new OutputModel(this))
    , m_received(new OutputView(tr("What the model received")))
    , m_nothing(new EmptyState)
    , m_foot(new QWidget)
    , m_following(new Button(tr("Following"), Button::Kind::Plain))
    , m_stderrMark(new Label(tr("! stderr"), TextStyle::Small, Role::Text2))
    , m_exit(new Label({}, TextStyle::Small, Role::Text2))
{
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_pages);
    m_pages->addWidget(m_empty);
    auto *call = new QWidget;
    m_pages->addWidget(call);
    auto *layout = new QVBoxLayout(call);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(new HairLine);
    makeSubject();
    layout->addWidget(new HairLine);
    makeToolbar();
    layout->addWidget(m_stack, 1);

    m_view->setModel(model->output());
    for (const auto &[view, text] : {std::pair(m_body, m_bodyModel), std::pair(m_args, m_argsModel),
                                     std::pair(m_received, m_receivedModel)}) {
        view->setModel(text);
        view->setFollowing(false);
        view->setWrap(view != m_body);
        view->setGutterShown(view == m_body);
        view->setIndent(Metrics::SpaceM);
    }
    auto *received = new QVBoxLayout(m_receivedPage);
    received->setContentsMargins(0, 0, 0, 0);
    received->setSpacing(0);
    m_receivedNote->setWordWrap(true);
    m_receivedNote->setContentsMargins(Metrics::SpaceM, Metrics::SpaceXs, Metrics::SpaceM, Metrics::SpaceS);
    received->addWidget(m_receivedNote);
    received->addWidget(m_received, 1);
    for (QWidget *page : {static_cast<QWidget *>(m_view), static_cast<QWidget *>(m_body),
                          static_cast<QWidget *>(m_args), m_receivedPage, static_cast<QWidget *>(m_nothing)})
        m_stack->addWidget(page);

    layout->addWidget(new HairLine);
    layout->addWidget(m_foot);
    m_foot->setFixedHeight(Theme::instance().px(Metrics::ButtonHeight));
    auto *foot = new QHBoxLayout(m_foot);
    foot->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, 0);
    foot->setSpacing(Metrics::SpaceM);
    m_following->setSmall(true);
    m_following->setTextStyle(TextStyle::Small);
    m_following->setTextRole(Role::Text2);
    m_following->setIconName(u"arrow-down-to-line"_s, Metrics::IconSmall);
    foot->addWidget(m_following);
    m_stderrMark->setToolTip(tr("Lines with this mark were written to stderr"));
    foot->addWidget(m_stderrMark);
    foot->addStretch(1);
    foot->addWidget(m_exit);

    m_tick.setInterval(1s);
    connect(&m_tick, &QTimer::timeout, this, [this] {
        m_header->updateTime(m_model->facts());
        updateTick();
    });
    connect(m_header, &CallHeader::stopClicked, this,
            [this] { Q_EMIT stopCallRequested(m_model->facts().conversation, m_model->facts().callId); });
    connect(m_header, &CallHeader::focusLeft, this, &CallPane::focusContent);
    connect(m_following, &Button::clicked, this, [this] { m_view->setFollowing(true); });
    connect(m_view, &OutputView::followingChanged, this, &CallPane::updateFoot);
    connect(model, &CallModel::opened, this, &CallPane::onOpened);
    connect(model, &CallModel::changed, this, &CallPane::onChanged);
    connect(model, &CallModel::problem, this, &CallPane::problem);
    connect(model->output(), &OutputModel::changed, this, [this] {
        updateCounts();
        updatePage();
    });
    connect(&Theme::instance(), &Theme::changed, this,
            [this] { m_foot->setFixedHeight(Theme::instance().px(Metrics::ButtonHeight)); });
    onOpened();
}

void CallPane::makeSubject()
{
    auto *box = new QWidget;
    auto *layout = new QVBoxLayout(box);
    layout->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceM, Metrics::SpaceM);
    layout->setSpacing(Metrics::SpaceXs);
    auto *head = new QHBoxLayout;
    head->addWidget(m_subjectLabel, 1);
    auto *copy = new ToolButton(u"copy"_s, tr("Copy the command"));
    copy->setSmall(true);
    connect(copy, &ToolButton::clicked, this, [this] {
        m_subject->view()->clearSelection();
        m_subject->copy();
    });
    head->addWidget(copy);
    layout->addLayout(head);
    layout->addWidget(m_subject);
    auto *meta = new QHBoxLayout;
    meta->setContentsMargins(0, Metrics::SpaceXs, 0, 0);
    meta->addWidget(m_meta, 1);
    meta->addWidget(m_startLabel);
    layout->addLayout(meta);
    m_pages->widget(1)->layout()->addWidget(box);
}

void CallPane::makeToolbar()
{
    auto *bar = new QWidget;
    bar->setFixedHeight(Theme::instance().px(Metrics::ColumnHeader));
    connect(&Theme::instance(), &Theme::changed, bar,
            [bar] { bar->setFixedHeight(Theme::instance().px(Metrics::ColumnHeader)); });
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceS, 0);
    row->setSpacing(Metrics::SpaceXs);
    row->addWidget(m_tabs);
    row->addStretch(1);
    row->addWidget(m_counts);
    row->addSpacing(Metrics::SpaceXs);
    m_wrap->setCheckable(true);
    for (ToolButton *button : {m_wrap, m_copy, m_save})
        row->addWidget(button);
    m_pages->widget(1)->layout()->addWidget(bar);
    connect(m_tabs, &Segmented::chosen, this, [this](int index) {
        m_tabChosen = true;
        setTab(static_cast<Tab>(index));
    });
    connect(m_wrap, &ToolButton::toggled, this, [this](bool wrap) {
        if (OutputView *view = shownView())
            view->setWrap(wrap);
    });
    connect(m_copy, &ToolButton::clicked, this, [this] {
        if (OutputView *view = shownView())
            view->copy();
    });
    connect(m_save, &ToolButton::clicked, this, &CallPane::onSaveClicked);
}

void CallPane::setAskFileName(AskFileName ask) { m_ask = std::move(ask); }

void CallPane::setCanStop(bool canStop)
{
    m_canStop = canStop;
    m_header->setFacts(m_model->facts(), m_canStop);
}

void CallPane::onOpened()
{
    m_tabChosen = false;
    m_pages->setCurrentIndex(m_model->facts().isOpen() ? 1 : 0);
    // Of a command the end matters, and while it runs it is what is new.
    m_view->setFollowing(true);
    m_bodyModel->setText({});
    m_argsModel->setText({});
    m_receivedModel->setText({});
    setTab(Tab::Output);
    onChanged();
}

void CallPane::onChanged()
{
    const CallFacts &facts = m_model->facts();
    m_header->setFacts(facts, m_canStop);
    updateSubject();
    updateTexts();
    updateCounts();
    updateFoot();
    updateTick();
    // Before it runs there is nothing to see but what was asked for.
    if (!m_tabChosen && facts.state == "waiting"_L1)
        setTab(Tab::Arguments);
    else if (!m_tabChosen && facts.startedMs > 0 && m_tab == Tab::Arguments)
        setTab(Tab::Output);
    else
        updatePage();
}

void CallPane::updateSubject()
{
    const CallFacts &facts = m_model->facts();
    const CallSubject subject = callSubject(facts);
    m_subjectLabel->setText(subject.label);
    m_subject->view()->setAccessibleName(subject.label);
    m_subject->setText(subject.text);
    m_tabs->button(0)->setText(subject.bodyLabel);
    m_tabs->button(0)->setAccessibleName(subject.bodyLabel);
    m_tabs->updateGeometry();
    QString meta = approvalWords(facts);
    if (!facts.receipt.isEmpty())
        meta = inertLine(facts.receipt, 300);
    m_meta->setWords(meta);
    m_startLabel->setText(
        facts.startedMs == 0
            ? QString()
            : QLocale::c().toString(QDateTime::fromMSecsSinceEpoch(facts.startedMs).time(), u"HH:mm:ss"_s));
    m_startLabel->setToolTip(facts.startedMs == 0 ? QString() : tr("When it started"));
}

void CallPane::updateTexts()
{
    const CallFacts &facts = m_model->facts();
    const auto show = [](OutputModel *model, const QByteArray &text) {
        if (model->store().byteCount() != text.size())
            model->setText(text);
    };
    const CallSubject subject = callSubject(facts);
    show(m_bodyModel, subject.body.value_or(QByteArray()));
    show(m_argsModel, facts.proposed.isNull() ? facts.rawArguments.toUtf8() : jsonForShow(facts.proposed));
    show(m_receivedModel, modelReceived(facts));
    m_receivedNote->setText(modelReceivedNote(facts, m_model->output()->store().byteCount()));
    m_receivedNote->setVisible(!m_receivedNote->text().isEmpty());
}

OutputView *CallPane::shownView() const
{
    QWidget *page = m_stack->currentWidget();
    if (page == m_receivedPage)
        return m_received;
    return qobject_cast<OutputView *>(page);
}

void CallPane::setTab(Tab tab)
{
    m_tab = tab;
    m_tabs->setCurrent(static_cast<int>(tab));
    updatePage();
    updateCounts();
    updateFoot();
}

void CallPane::updatePage()
{
    const CallFacts &facts = m_model->facts();
    const bool hasOutput = m_model->output()->rowCount() > 0;
    QWidget *page = m_nothing;
    if (m_tab == Tab::Arguments) {
        page = m_args;
    } else if (m_tab == Tab::Received) {
        if (facts.isEnded())
            page = m_receivedPage;
        else
            m_nothing->setTexts(tr("The model has received nothing yet"),
                                tr("It gets the result when the call has ended."));
    } else if (hasOutput) {
        page = m_view;
    } else if (m_bodyModel->rowCount() > 0) {
        page = m_body;
    } else if (facts.state == "waiting"_L1) {
        m_nothing->setTexts(
            tr("Nothing has run yet"),
            tr("Output appears here when you allow it. There is no deadline, and no answer is "
               "sent for you."));
    } else if (facts.isRunning()) {
        m_nothing->setTexts(tr("No output yet"), tr("What the call prints appears here at once."));
    } else if (facts.isEnded() && facts.startedMs == 0) {
        m_nothing->setTexts(tr("It did not run"), inertLine(facts.error, 500));
    } else if (facts.isEnded()) {
        m_nothing->setTexts(tr("It printed nothing"),
                            facts.state == "unknown"_L1
                                ? tr("Its outcome is unknown: look on the machine before you repeat it.")
                                : QString());
    } else {
        m_nothing->setTexts(tr("Nothing has run yet"), tr("Output appears here when the call runs."));
    }
    m_stack->setCurrentWidget(page);
    const OutputView *view = shownView();
    for (ToolButton *button : {m_wrap, m_copy})
        button->setEnabled(view != nullptr);
    m_wrap->blockSignals(true);
    m_wrap->setChecked(view && view->wrap());
    m_wrap->blockSignals(false);
    m_save->setVisible(m_tab == Tab::Output);
    // Until the log is read to its end nobody knows all of what there is to save.
    m_save->setEnabled((page == m_view || page == m_body) && !m_model->isLoading());
}

void CallPane::updateCounts()
{
    const OutputModel *shown = m_tab == Tab::Output
        ? (m_model->output()->rowCount() > 0 ? m_model->output() : m_bodyModel)
        : nullptr;
    const bool hasText = shown && shown->rowCount() > 0;
    QString counts;
    if (hasText)
        counts = countText(shown->store().lineCount(), shown->store().byteCount());
    if (hasText && m_model->facts().isEnded() && (m_model->isLoading() || !shown->isSettled()))
        counts = tr("%1 so far, reading").arg(counts);
    m_counts->setText(counts);
    const bool hasErrors = shown && shown->store().byteCount(LineStore::Channel::Stderr) > 0;
    if (hasErrors != m_stderrMark->isVisibleTo(m_foot)) {
        m_stderrMark->setVisible(hasErrors);
        updateFoot();
    }
}

void CallPane::updateFoot()
{
    const CallFacts &facts = m_model->facts();
    const bool isLive = facts.isRunning() && m_tab == Tab::Output;
    m_following->setVisible(isLive);
    m_following->setText(m_view->isFollowing() ? tr("Following") : tr("Follow"));
    m_following->setToolTip(m_view->isFollowing() ? tr("The end is shown as it comes")
                                                  : tr("Go to the end and stay there"));
    m_following->setAccessibleName(m_following->text());
    QStringList parts;
    if (facts.exitCode)
        parts.append(tr("exit %1").arg(*facts.exitCode));
    if (facts.durationMs)
        parts.append(durationText(*facts.durationMs));
    m_exit->setText(parts.join(u"   "_s));
    m_foot->setVisible(isLive || !m_exit->text().isEmpty() || m_stderrMark->isVisibleTo(m_foot));
}

void CallPane::updateTick()
{
    const CallFacts &facts = m_model->facts();
    const bool isNeeded = isVisible() && facts.isRunning();
    if (!isNeeded) {
        m_tick.stop();
        return;
    }
    const bool isLong = QDateTime::currentMSecsSinceEpoch() - facts.startedMs >= Hour;
    const auto interval = isLong ? 60'000ms : 1000ms;
    if (!m_tick.isActive() || m_tick.intervalAsDuration() != interval)
        m_tick.start(interval);
}

void CallPane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    m_header->updateTime(m_model->facts());
    updateTick();
}

void CallPane::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    m_tick.stop();
}

void CallPane::focusContent()
{
    if (OutputView *view = shownView())
        view->setFocus();
    else
        m_tabs->button(static_cast<int>(m_tab))->setFocus();
}

void CallPane::onSaveClicked()
{
    const LineStore &store = m_model->output()->store();
    const bool hasBoth =
        store.byteCount(LineStore::Channel::Stdout) > 0 && store.byteCount(LineStore::Channel::Stderr) > 0;
    if (!hasBoth) {
        saveOutput(What::All);
        return;
    }
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Save all, in the order it came…"), this, [this] { saveOutput(What::All); });
    menu->addAction(tr("Save stdout only…"), this, [this] { saveOutput(What::Stdout); });
    menu->addAction(tr("Save stderr only…"), this, [this] { saveOutput(What::Stderr); });
    menu->popup(m_save->mapToGlobal(QPoint(0, m_save->height())));
}

void CallPane::saveOutput(What what)
{
    OutputModel *model = m_model->output()->rowCount() > 0 ? m_model->output() : m_bodyModel;
    std::vector<LineStore::Range> ranges;
    for (const LineStore::Range &range : model->arrivalOrder()) {
        const bool isError = range.channel == LineStore::Channel::Stderr;
        if (what == What::All || (what == What::Stderr) == isError)
            ranges.push_back(range);
    }
    const QString suggestion = what == What::Stderr ? u"stderr.txt"_s : u"output.txt"_s;
    m_ask(this, suggestion, [this, reader = model->reader(), ranges](const QString &fileName) {
        if (fileName.isEmpty() || !reader)
            return;
        auto *saver = new OutputSaver(reader, ranges, fileName, this);
        connect(saver, &OutputSaver::finished, this,
                [this, fileName](qint64 bytes, const std::optional<Error> &error) {
                    if (error)
                        Q_EMIT problem(*error);
                    else
                        Q_EMIT saved(fileName, bytes);
                });
    });
}

} // namespace Pilothouse
