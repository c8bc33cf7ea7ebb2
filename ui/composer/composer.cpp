// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "composer/composer.h"

#include "composer/composeredit.h"
#include "theme/controls/button.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/toolbutton.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLocale>
#include <QMimeData>
#include <QPainter>
#include <QRegularExpression>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto StoreAfter = 1s; // Of the last key.

void askWithDialog(QWidget *parent, const std::function<void(const QStringList &)> &then)
{
    auto *dialog = new QFileDialog(parent, Composer::tr("Upload into the sandbox"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    QObject::connect(dialog, &QFileDialog::filesSelected, parent, then);
    dialog->open();
}

} // namespace

Composer::Composer(QWidget *parent)
    : QWidget(parent)
    , m_edit(new ComposerEdit)
    , m_send(new Button({}, Button::Kind::Primary))
    , m_attach(new ToolButton(u"paperclip"_s, tr("Upload files into the sandbox")))
    , m_hint(new ElidedLabel(tr("Hint"), TextStyle::Small, Role::Text2))
    , m_ask(askWithDialog)
{
    setAcceptDrops(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceS, Metrics::SpaceS);
    layout->setSpacing(Metrics::SpaceXs);
    layout->addWidget(m_edit);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Metrics::SpaceS);
    row->addWidget(m_attach);
    row->addWidget(m_hint, 1);
    row->addWidget(m_send);
    layout->addLayout(row);
    m_attach->hide();
    m_edit->setAccessibleName(tr("Message"));
    m_storeSoon.setSingleShot(true);
    m_storeSoon.setInterval(StoreAfter);
    connect(&m_storeSoon, &QTimer::timeout, this, &Composer::storeDraft);
    connect(m_edit, &ComposerEdit::submitRequested, this, &Composer::submit);
    connect(m_edit, &ComposerEdit::focusChanged, this, [this] { update(); });
    connect(m_edit, &ComposerEdit::filesPasted, this, &Composer::filesDropped);
    connect(m_send, &Button::clicked, this, &Composer::submit);
    connect(m_attach, &ToolButton::clicked, this, [this] {
        m_ask(this, [this](const QStringList &files) {
            if (!files.isEmpty())
                Q_EMIT filesDropped(files);
        });
    });
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
        updateLook();
        if (m_store)
            m_storeSoon.start();
    });
    connect(m_edit, &ComposerEdit::pasteRefused, this, [this](qsizetype length) {
        Error error;
        error.kind = ErrorKind::Usage;
        error.message = tr("What you pasted has %1 characters; a message that is written here holds %2.")
                            .arg(QLocale().toString(length), QLocale().toString(ComposerEdit::LongestPaste));
        error.kept = tr("The clipboard still has it.");
        error.todo = tr("Put it into a file in the sandbox and say where it is.");
        Q_EMIT problem(error);
    });
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
    setFocusProxy(m_edit);
    updateLook();
}

Composer::~Composer() { storeDraft(); }

void Composer::setDraftFolder(const QString &folder)
{
    m_store.emplace(folder);
    if (m_edit->document()->isEmpty()) {
        m_edit->setPlainText(takeDraft(m_conversation));
        m_edit->moveCursor(QTextCursor::End);
    }
}

void Composer::storeDraft()
{
    m_storeSoon.stop();
    if (m_store)
        m_store->save(m_conversation, m_edit->toPlainText());
}

QString Composer::takeDraft(const QString &id)
{
    const auto known = m_drafts.constFind(id);
    if (known != m_drafts.cend())
        return m_drafts.take(id);
    return m_store ? m_store->load(id) : QString();
}

void Composer::setConversation(const QString &id)
{
    if (id == m_conversation)
        return;
    storeDraft();
    const QString draft = m_edit->toPlainText();
    if (draft.isEmpty())
        m_drafts.remove(m_conversation);
    else
        m_drafts[m_conversation] = draft;
    m_conversation = id;
    m_edit->setPlainText(takeDraft(id));
    m_edit->moveCursor(QTextCursor::End);
    m_storeSoon.stop();
}

void Composer::adoptConversation(const QString &id)
{
    if (m_store)
        m_store->save(m_conversation, {});
    m_conversation = id;
    storeDraft();
}

void Composer::forgetConversation(const QString &id)
{
    m_drafts.remove(id);
    if (m_store && !id.isEmpty())
        m_store->save(id, {});
    if (id == m_conversation)
        m_edit->clear();
}

void Composer::setRunning(bool running)
{
    setState(running ? State::Running : m_conversation.isEmpty() ? State::New : State::Idle);
}

void Composer::setState(State state)
{
    m_state = state;
    updateLook();
}

void Composer::setDisabledReason(const QString &reason)
{
    m_disabledReason = reason;
    m_edit->setReadOnly(!reason.isEmpty());
    updateLook();
}

void Composer::setCanUpload(bool canUpload)
{
    m_canUpload = canUpload;
    m_edit->setTakesFiles(canUpload);
    m_attach->setVisible(canUpload);
}

void Composer::setAskFiles(AskFiles ask) { m_ask = std::move(ask); }

void Composer::restore(const QString &conversation, const QString &text)
{
    if (conversation != m_conversation) {
        const QString draft = takeDraft(conversation);
        const QString both = draft.isEmpty() ? text : QString(text + QLatin1Char('\n') + draft);
        m_drafts[conversation] = both;
        if (m_store)
            m_store->save(conversation, both);
        return;
    }
    QTextCursor cursor(m_edit->document());
    cursor.insertText(m_edit->document()->isEmpty() ? text : QString(text + QLatin1Char('\n')));
}

void Composer::submit()
{
    const QString text = m_edit->toPlainText();
    if (!m_disabledReason.isEmpty() || text.trimmed().isEmpty())
        return;
    m_edit->clear();
    storeDraft(); // What was sent is no draft any more, also if the program ends now.
    Q_EMIT submitted(text);
}

void Composer::updateLook()
{
    const bool steers = m_state == State::Running || m_state == State::Waiting;
    m_send->setText(steers ? tr("Steer") : tr("Send"));
    m_send->setIconName(steers ? u"corner-down-right"_s : u"arrow-up"_s, Metrics::IconSmall);
    m_send->setKeyCap(u"\u23CE"_s);
    m_send->setAccessibleName(steers ? tr("Steer: send after the current step") : tr("Send"));
    m_send->setToolTip(steers ? tr("Enter: the agent gets it after the step that runs now")
                              : tr("Enter sends"));
    static const QRegularExpression letter(u"\\S"_s);
    m_send->setEnabled(m_disabledReason.isEmpty() && !m_edit->document()->find(letter).isNull());
    QString placeholder;
    QString hint = tr("Shift+Enter for a new line");
    switch (m_state) {
    case State::New:
        placeholder = tr("What should the agent do?");
        break;
    case State::Idle:
        placeholder = tr("What should happen next?");
        break;
    case State::Running:
        placeholder = tr("Steer this turn");
        break;
    case State::Waiting:
        placeholder = tr("Steer this turn");
        hint = tr("The turn goes on when you answer above");
        break;
    }
    if (!m_disabledReason.isEmpty()) {
        placeholder = m_disabledReason;
        hint.clear();
    }
    m_hint->setWords(hint);
    if (placeholder != m_edit->placeholderText()) {
        m_edit->setPlaceholderText(placeholder);
        m_edit->viewport()->update(); // Qt 6.4 leaves the old words standing.
    }
}

void Composer::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QRectF box(rect());
    paintBox(&painter, box, m_dragging ? Role::AccentSoft : Role::Raised, Role::Control,
             Metrics::RadiusComposer);
    if (m_edit->hasFocus() || m_dragging)
        paintFocusRing(&painter, box, Metrics::RadiusComposer);
}

void Composer::mousePressEvent(QMouseEvent *) { m_edit->setFocus(Qt::MouseFocusReason); }

void Composer::dragEnterEvent(QDragEnterEvent *event)
{
    if (!m_canUpload || localFiles(event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    m_dragging = true;
    update();
}

void Composer::dragLeaveEvent(QDragLeaveEvent *)
{
    m_dragging = false;
    update();
}

void Composer::dropEvent(QDropEvent *event)
{
    m_dragging = false;
    update();
    const QStringList files = localFiles(event->mimeData());
    if (!m_canUpload || files.isEmpty())
        return;
    event->acceptProposedAction();
    Q_EMIT filesDropped(files);
}

} // namespace Pilothouse
