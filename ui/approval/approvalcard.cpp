// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "approval/approvalcard.h"

#include "approval/commandfield.h"
#include "approval/wraplayout.h"
#include "text/inerttext.h"
#include "theme/accessiblerole.h"
#include "theme/controls/button.h"
#include "theme/controls/label.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDateTime>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QVBoxLayout>

#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr qsizetype LongestEdit = 256 * 1024; // An editable line is laid out as a whole at every key.
constexpr qsizetype LongestDiff = 16 * 1024; // Compared at every key.
constexpr int LongestReason = 32'767; // The field's own: what is pasted is not cut without a word.
constexpr qsizetype LongestTool = 60;
constexpr int MaxHeadReason = 300;

Label *wrapped(const QString &text = {}, TextStyle style = TextStyle::Small, Role role = Role::Text)
{
    auto *label = new Label(text, style, role);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::NoTextInteraction);
    return label;
}

QString withFurther(const ApprovalText &text)
{
    return text.further.isEmpty() ? text.shown : QString(text.shown + u"\n\n"_s + text.further);
}

} // namespace

/// An icon of a line; its words stand beside it.
class ApprovalCard::Machine : public QWidget {
public:
    Machine(QString name, Role role, int size)
        : m_name(std::move(name))
        , m_role(role)
    {
        setFixedSize(size, size);
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        paintIcon(&painter, QRectF(rect()), m_name, m_role, Role::WaitingSoft);
    }

private:
    QString m_name;
    Role m_role;
};

ApprovalCard::ApprovalCard(const PendingCall &call, QWidget *parent)
    : QWidget(parent)
    , m_call(call)
    , m_text(approvalText(call.args))
    , m_head(new Label(tr("Waiting for you"), TextStyle::BodyStrong))
    , m_position(new Label({}, TextStyle::Small, Role::Text2))
    , m_machine(new QWidget)
    , m_machineWords(new Label(tr("machine paused, costs nothing"), TextStyle::Small, Role::Text2))
    , m_age(new Label({}, TextStyle::Small, Role::Text2))
    , m_proposedLabel(new Label(tr("The model proposed"), TextStyle::Small, Role::Text2))
    , m_shown(new CommandField)
    , m_editLabel(new Label(tr("You will run instead"), TextStyle::Small, Role::Text2))
    , m_edited(new CommandField)
    , m_facts(new QWidget)
    , m_factsGrid(new QGridLayout(m_facts))
    , m_because(wrapped())
    , m_reach(wrapped())
    , m_told(wrapped())
    , m_note(wrapped({}, TextStyle::Small, Role::Text2))
    , m_reason(new QLineEdit)
    , m_buttons(new WrapLayout(Metrics::SpaceS))
    , m_allow(new Button(tr("Allow once")))
    , m_edit(new Button(tr("Edit and run")))
    , m_deny(new Button(tr("Deny…")))
    , m_runEdited(new Button(tr("Run edited"), Button::Kind::Primary))
    , m_denyNow(new Button(tr("Deny")))
    , m_back(new Button(tr("Back")))
{
    setAccessibleRole(this, QAccessible::Grouping);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceM, Metrics::SpaceS);
    layout->setSpacing(Metrics::SpaceXs);
    makeHead();
    layout->addWidget(m_proposedLabel);
    layout->addWidget(m_shown);
    layout->addWidget(m_editLabel);
    layout->addWidget(m_edited);
    makeFacts();
    layout->addWidget(m_note);
    m_reason->setPlaceholderText(tr("Why not? The model is told this."));
    m_reason->setAccessibleName(tr("Reason for the model"));
    m_reason->setMaxLength(LongestReason);
    layout->addWidget(m_reason);
    layout->addSpacing(Metrics::SpaceXs);
    makeButtons();

    m_shown->setAccessibleName(m_text.isCommand ? tr("Command") : tr("Arguments"));
    m_edited->setEditable(true);
    m_edited->setAccessibleName(tr("What you will run instead"));
    connect(m_edited, &QPlainTextEdit::textChanged, this, [this] {
        updateDiff();
        Q_EMIT draftChanged();
    });
    for (const CommandField *field : {m_shown, m_edited})
        connect(field, &CommandField::wantedHeightChanged, this, &ApprovalCard::fit);
    connect(m_edited, &CommandField::submitRequested, this, [this] {
        m_isByMouse = false;
        runEdited();
    });
    connect(m_reason, &QLineEdit::returnPressed, this, [this] {
        m_isByMouse = false; // Whoever wrote a reason has the hands on the keys.
        deny();
    });
    connect(m_reason, &QLineEdit::textChanged, this, &ApprovalCard::draftChanged);
    connect(&m_tick, &QTimer::timeout, this, &ApprovalCard::updateAge);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
    setMode(Mode::Ask);
}

void ApprovalCard::makeHead()
{
    auto *row = new WrapLayout(Metrics::SpaceS);
    row->setContentsMargins(0, 0, 0, Metrics::SpaceXs);
    row->addWidget(new Machine(u"approval"_s, Role::Waiting, Metrics::IconNormal));
    row->addWidget(m_head);
    // A command says itself what it is; other arguments need the name of their tool.
    if (!m_text.isCommand)
        row->addWidget(new Label(inertLine(m_call.toolName, LongestTool), TextStyle::ToolName));
    row->addWidget(m_position);
    row->endLeading();
    auto *machine = new QHBoxLayout(m_machine);
    machine->setContentsMargins(0, 0, 0, 0);
    machine->setSpacing(Metrics::SpaceS);
    machine->addWidget(new Machine(u"machine-paused"_s, Role::Text2, Metrics::IconInline));
    machine->addWidget(m_machineWords);
    // A machine is paused a while after the question; that must not break the line and move the buttons.
    QSizePolicy keeps = m_machine->sizePolicy();
    keeps.setRetainSizeWhenHidden(true);
    m_machine->setSizePolicy(keeps);
    row->addWidget(m_machine);
    row->addWidget(m_age);
    static_cast<QVBoxLayout *>(layout())->addLayout(row);
}

void ApprovalCard::makeFacts()
{
    m_factsGrid->setContentsMargins(0, Metrics::SpaceXs, 0, 0);
    m_factsGrid->setHorizontalSpacing(Metrics::SpaceS);
    m_factsGrid->setVerticalSpacing(Metrics::SpaceXs);
    m_factsGrid->setColumnStretch(1, 1);
    const auto add = [this](int row, Label *label, Label *value) {
        m_factsGrid->addWidget(label, row, 0, Qt::AlignTop);
        m_factsGrid->addWidget(value, row, 1);
    };
    add(0, new Label(tr("Asked because"), TextStyle::Small, Role::Text2), m_because);
    add(1, new Label(tr("Can reach"), TextStyle::Small, Role::Text2), m_reach);
    add(2, new Label(tr("Model is told"), TextStyle::Small, Role::Text2), m_told);
    layout()->addWidget(m_facts);
}

void ApprovalCard::makeButtons()
{
    for (Button *button : {m_allow, m_edit, m_runEdited, m_denyNow, m_back, m_deny}) {
        button->setAccessibleName(button->text().remove(u'…'));
        button->setEnterPresses(false); // Enter is typed by habit; nothing is allowed by it.
        button->installEventFilter(this);
        m_buttons->addWidget(button);
    }
    m_allow->setKeyCap(u"A"_s);
    m_edit->setKeyCap(u"E"_s);
    m_runEdited->setKeyCap(tr("Ctrl+Enter"));
    m_runEdited->setIconName(u"play"_s, Metrics::IconSmall);
    m_denyNow->setKeyCap(tr("Enter"));
    m_back->setKeyCap(tr("Esc"));
    if (!canEdit())
        m_edit->setToolTip(tr("Too long to edit here"));
    connect(m_allow, &Button::clicked, this, &ApprovalCard::allow);
    connect(m_edit, &Button::clicked, this, [this] { setMode(Mode::Edit); });
    connect(m_deny, &Button::clicked, this, [this] { setMode(Mode::Deny); });
    connect(m_runEdited, &Button::clicked, this, &ApprovalCard::runEdited);
    connect(m_denyNow, &Button::clicked, this, &ApprovalCard::deny);
    connect(m_back, &Button::clicked, this, [this] { setMode(Mode::Ask); });
    static_cast<QVBoxLayout *>(layout())->addLayout(m_buttons);
}

bool ApprovalCard::canEdit() const { return m_text.editable.size() <= LongestEdit; }

void ApprovalCard::setPosition(int number, int count)
{
    m_number = number;
    m_count = count;
    updateHead();
    updateFacts();
    fit();
}

void ApprovalCard::setContext(const ApprovalContext &context)
{
    m_context = context;
    updateHead();
    updateFacts();
}

void ApprovalCard::updateHead()
{
    QString position = m_count > 1 ? tr("%1 of %2").arg(m_number).arg(m_count) : QString();
    if (m_mode == Mode::Edit)
        position += position.isEmpty() ? tr("editing") : tr(", editing");
    else if (m_mode == Mode::Sent)
        position += position.isEmpty() ? tr("answer sent") : tr(", answer sent");
    m_position->setText(position);
    m_position->setVisible(!position.isEmpty());
    m_machine->setVisible(m_context.isMachinePaused);
    QString name = tr("Waiting for you: %1").arg(spokenCall(m_call.toolName, m_text));
    if (m_count > 1)
        name += tr(" (%1 of %2)").arg(m_number).arg(m_count);
    setAccessibleName(name);
    setAccessibleDescription(tr("A allows once, E edits, D denies"));
}

void ApprovalCard::updateFacts()
{
    const QString rule = inertLine(m_call.rule, MaxHeadReason);
    const QString reason = inertLine(m_call.reason, MaxHeadReason);
    m_because->setText(!rule.isEmpty()        ? rule
                           : reason.isEmpty() ? tr("this conversation asks before it runs something")
                                              : reason);
    // The row is there before it is known: a row that came later would push the buttons away under the
    // pointer.
    m_reach->setText(m_context.canReach.isEmpty() ? tr("not known yet") : inertText(m_context.canReach));
    m_told->setText(m_mode == Mode::Deny       ? tr("that you did not allow it, and your reason")
                        : m_mode == Mode::Edit ? tr("the result of what you run")
                                               : tr("the result, when you allow it"));
    // Several cards at once are short, so that all are seen; editing one tells the rest.
    m_facts->setVisible(
        !m_isTight
        && (m_mode == Mode::Edit || m_mode == Mode::Deny || (m_mode == Mode::Ask && m_count == 1)));
    m_note->setText(m_text.hasHidden
                        ? tr("Characters that do not show are written out as \\u{…}; an edited command runs "
                             "as it is shown.")
                        : QString());
    m_note->setVisible(m_text.hasHidden);
}

void ApprovalCard::setMode(Mode mode)
{
    const Mode before = m_mode;
    const bool isByMouse = m_isByMouse; // A button that goes hands the focus on as if by Tab.
    m_mode = mode;
    const bool isEdit = mode == Mode::Edit;
    const bool isAsking = mode == Mode::Ask || mode == Mode::Sent;
    if (isEdit && before != Mode::Edit && m_edited->document()->isEmpty())
        m_edited->setPlainText(m_text.editable);
    m_proposedLabel->setVisible(isEdit);
    m_editLabel->setVisible(isEdit);
    m_edited->setVisible(isEdit);
    m_allow->setVisible(isAsking);
    m_edit->setVisible(isAsking);
    m_deny->setVisible(isAsking || isEdit);
    m_deny->setKeyCap(isEdit ? tr("Alt+D") : u"D"_s);
    m_allow->setEnabled(mode == Mode::Ask);
    m_edit->setEnabled(mode == Mode::Ask && canEdit());
    m_deny->setEnabled(mode == Mode::Ask || isEdit);
    m_runEdited->setVisible(isEdit);
    m_denyNow->setVisible(mode == Mode::Deny);
    m_reason->setVisible(mode == Mode::Deny);
    m_back->setVisible(isEdit || mode == Mode::Deny);
    m_back->setText(isEdit ? tr("Back to proposed") : tr("Back"));
    m_back->setAccessibleName(m_back->text());
    m_back->updateGeometry();
    updateHead();
    updateFacts();
    updateDiff();
    fit();
    const bool takesFocus = !m_isFollowing;
    if (takesFocus && isEdit) {
        m_edited->setFocus();
        m_edited->moveCursor(QTextCursor::End);
    } else if (takesFocus && mode == Mode::Deny) {
        m_reason->setFocus();
    } else if (takesFocus && mode == Mode::Ask && before != Mode::Ask) {
        m_isByMouse = isByMouse;
        setFocus(isByMouse ? Qt::MouseFocusReason : Qt::OtherFocusReason);
    }
    if (before != mode)
        Q_EMIT draftChanged();
    if (takesFocus && before != mode && (isEdit || mode == Mode::Deny))
        Q_EMIT attended();
}

// Removed words are struck in what the model proposed, added ones underlined in what will run.
void ApprovalCard::updateDiff()
{
    const bool isEdit = m_mode == Mode::Edit;
    const QString proposed = isEdit ? m_text.editable : withFurther(m_text);
    const QString text = m_text.isCommand ? withFurther(m_text) : proposed;
    if (m_shownText != text) {
        m_shownText = text;
        m_shown->setPlainText(text);
    }
    const QString edited = m_edited->toPlainText();
    // Where a long line was cut for show, places in it are other ones.
    const bool isComparable = isEdit && proposed.size() + edited.size() <= LongestDiff
        && (!m_text.isCommand || m_text.shown == m_text.editable);
    const WordDiff diff = isComparable ? wordDiff(proposed, edited) : WordDiff();
    m_shown->mark(diff.removed, CommandField::Mark::Removed);
    m_edited->mark(diff.added, CommandField::Mark::Added);
}

void ApprovalCard::setRoom(int height)
{
    if (std::exchange(m_room, height) != height)
        fit();
}

// What does not scroll keeps its height; what would run, and what will run instead, share the rest.
void ApprovalCard::fit()
{
    const bool isEdit = m_mode == Mode::Edit;
    if (m_room <= 0 || width() <= 0) {
        m_shown->setRoom(0);
        m_edited->setRoom(0);
        return;
    }
    const bool isActive = isEdit || m_mode == Mode::Deny;
    const int room = m_count > 1 && !isActive ? (m_room - Metrics::SpaceXs) / 2 : m_room;
    const int fields = m_shown->minimumHeight() + (isEdit ? m_edited->minimumHeight() : 0);
    const int least = m_shown->leastHeight() + (isEdit ? m_edited->leastHeight() : 0);
    int rest = room - (layout()->heightForWidth(width()) - fields);
    if (isActive) {
        const QMargins margins = layout()->contentsMargins();
        const int facts =
            m_factsGrid->heightForWidth(width() - margins.left() - margins.right()) + layout()->spacing();
        const int withFacts = m_isTight ? rest - facts : rest;
        const bool isTight = withFacts < least;
        if (isTight != m_isTight)
            rest += isTight ? facts : -facts;
        if (std::exchange(m_isTight, isTight) != isTight)
            updateFacts();
    } else if (std::exchange(m_isTight, false)) {
        updateFacts();
        rest = room - (layout()->heightForWidth(width()) - fields);
    }
    int shown = rest;
    if (isEdit) {
        shown = std::max(rest / 2, rest - m_edited->wantedHeight());
        shown = std::max(m_shown->leastHeight(), std::min(shown, m_shown->wantedHeight()));
        m_edited->setRoom(std::max(1, rest - shown));
    }
    m_shown->setRoom(std::max(1, shown));
}

void ApprovalCard::updateAge()
{
    const qint64 age = QDateTime::currentMSecsSinceEpoch() - m_call.askedMs;
    m_age->setText(m_call.askedMs > 0 ? ageText(age) : QString());
    m_age->setToolTip(tr("How long it has waited. There is no deadline."));
    if (isVisible() && m_call.askedMs > 0)
        m_tick.start(static_cast<int>(ageChangesIn(age)) + 20); // Just after it, never just before.
    else
        m_tick.stop();
}

ApprovalDraft ApprovalCard::draft() const
{
    if (m_mode == Mode::Edit)
        return {ApprovalDraft::Kind::Edit, m_edited->toPlainText()};
    if (m_mode == Mode::Deny)
        return {ApprovalDraft::Kind::Deny, m_reason->text()};
    return {};
}

void ApprovalCard::setDraft(const ApprovalDraft &draft)
{
    if (m_mode == Mode::Sent)
        return;
    const QScopedValueRollback<bool> guard(m_isFollowing, true);
    switch (draft.kind) {
    case ApprovalDraft::Kind::None:
        setMode(Mode::Ask);
        break;
    case ApprovalDraft::Kind::Edit:
        m_edited->setPlainText(draft.text);
        setMode(Mode::Edit);
        break;
    case ApprovalDraft::Kind::Deny:
        m_reason->setText(draft.text);
        setMode(Mode::Deny);
        break;
    }
}

void ApprovalCard::takeFocus(bool byMouse)
{
    setFocus(byMouse ? Qt::MouseFocusReason : Qt::OtherFocusReason);
    m_isByMouse = byMouse;
    update();
}

bool ApprovalCard::hasFocusWithin() const
{
    const QWidget *focused = window()->focusWidget();
    return focused == this || isAncestorOf(focused);
}

void ApprovalCard::goOnFrom(const ApprovalCard &other)
{
    const QWidget *focused = window()->focusWidget();
    if (m_mode == Mode::Edit && focused == other.m_edited) {
        QTextCursor cursor = m_edited->textCursor();
        cursor.setPosition(other.m_edited->textCursor().anchor());
        cursor.setPosition(other.m_edited->textCursor().position(), QTextCursor::KeepAnchor);
        m_edited->setTextCursor(cursor);
        m_edited->setFocus(Qt::OtherFocusReason);
        m_edited->ensureCursorVisible();
    } else if (m_mode == Mode::Deny && focused == other.m_reason) {
        m_reason->setFocus(Qt::OtherFocusReason);
        m_reason->setCursorPosition(other.m_reason->cursorPosition());
    } else {
        takeFocus(other.m_isByMouse);
    }
}

void ApprovalCard::send(const Answer &answer)
{
    // What had the focus is about to go or to be disabled; Qt would hand it to whatever comes next.
    if (isAncestorOf(QApplication::focusWidget()))
        takeFocus(m_isByMouse);
    setMode(Mode::Sent);
    Q_EMIT answered(m_call.conversation, m_call.callId, answer);
}

void ApprovalCard::allow()
{
    if (m_mode != Mode::Ask)
        return;
    Answer answer;
    answer.kind = Answer::Kind::Approve;
    answer.by = u"user"_s;
    send(answer);
}

void ApprovalCard::runEdited()
{
    if (m_mode != Mode::Edit)
        return;
    const auto args = editedArguments(m_call.args, m_edited->toPlainText());
    if (!args) {
        m_note->setText(args.error());
        m_note->show();
        return;
    }
    Answer answer;
    answer.kind = Answer::Kind::Edit;
    answer.by = u"user"_s;
    answer.args = *args;
    send(answer);
}

void ApprovalCard::deny()
{
    if (m_mode != Mode::Deny)
        return;
    Answer answer;
    answer.kind = Answer::Kind::Deny;
    answer.by = u"user"_s;
    answer.reason = m_reason->text().trimmed();
    send(answer);
}

void ApprovalCard::answerFailed()
{
    if (m_mode == Mode::Sent)
        setMode(Mode::Ask);
}

void ApprovalCard::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && (m_mode == Mode::Edit || m_mode == Mode::Deny)) {
        m_isByMouse = false;
        setMode(Mode::Ask);
        return;
    }
    if (event->key() == Qt::Key_D && event->modifiers() == Qt::AltModifier && m_mode == Mode::Edit) {
        setMode(Mode::Deny);
        return;
    }
    // Keys that a field did not use come up here as well; letters act on the card itself and on its buttons,
    // which show them.
    const bool isPlain = event->modifiers() == Qt::NoModifier && !event->isAutoRepeat();
    const bool isOurs =
        !m_isByMouse && (hasFocus() || qobject_cast<const QAbstractButton *>(QApplication::focusWidget()));
    if (m_mode == Mode::Ask && isOurs && isPlain) {
        switch (event->key()) {
        case Qt::Key_A:
            allow();
            return;
        case Qt::Key_E:
            if (canEdit())
                setMode(Mode::Edit);
            return;
        case Qt::Key_D:
            setMode(Mode::Deny);
            return;
        default:
            break;
        }
    }
    QWidget::keyPressEvent(event);
}

void ApprovalCard::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::instance();
    QPainter painter(this);
    const QRectF box(rect());
    paintBox(&painter, box, Role::WaitingSoft, Role::WaitingLine, Metrics::RadiusCard);
    // The edge follows the rounding of the card.
    QPainterPath card;
    card.addRoundedRect(box, Metrics::RadiusCard, Metrics::RadiusCard);
    painter.setRenderHint(QPainter::Antialiasing);
    const int edge = Metrics::StrokeApprovalEdge;
    const qreal left = layoutDirection() == Qt::RightToLeft ? box.right() - edge : box.left();
    painter.setClipRect(QRectF(left, box.top(), edge, box.height()));
    painter.fillPath(card, theme.color(Role::WaitingSolid));
    painter.setClipping(false);
    if (hasFocus() && !m_isByMouse) // It tells where keys go.
        paintFocusRing(&painter, box, Metrics::RadiusCard);
}

void ApprovalCard::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    updateAge();
}

void ApprovalCard::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    m_tick.stop();
}

bool ApprovalCard::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::MouseButtonPress)
        m_isByMouse = true;
    else if (event->type() == QEvent::FocusIn)
        noteFocus(static_cast<QFocusEvent *>(event)->reason());
    return QWidget::eventFilter(watched, event);
}

// A window that becomes active again gives the focus back as it was.
void ApprovalCard::noteFocus(Qt::FocusReason reason)
{
    if (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason
        || reason == Qt::OtherFocusReason)
        m_isByMouse = false;
}

bool ApprovalCard::event(QEvent *event)
{
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest)
        fit();
    return done;
}

void ApprovalCard::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fit();
}

void ApprovalCard::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    noteFocus(event->reason());
    update();
    Q_EMIT attended();
}

void ApprovalCard::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace Pilothouse
