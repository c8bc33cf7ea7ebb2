// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/keyrow.h"

#include "settings/breakinglayout.h"
#include "settings/columnslayout.h"
#include "theme/controls/button.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/errorblock.h"
#include "theme/focus.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestKey = 4000; // What is longer was pasted by mistake.
constexpr int KeyNameWidth = 184;
constexpr int VerdictWidth = 84;
constexpr int LeastKeyField = 240; // Both ends of what is pasted should fit.

/// Fits what any row shows, so that the columns of all rows stand under each other.
int actionsWidth()
{
    const auto wide = [](const QString &text) {
        Button button(text);
        button.setSmall(true);
        button.setTextStyle(TextStyle::Small);
        return button.sizeHint().width();
    };
    return wide(KeyRow::tr("Test")) + Metrics::SpaceS
        + std::max(wide(KeyRow::tr("Enter a key…")),
                   wide(KeyRow::tr("Replace…")) + Metrics::SpaceS + wide(KeyRow::tr("Forget")));
}

/// One line of the table of keys; `actions` may be null.
QWidget *makeLine(QLabel *name, QLabel *key, QLabel *glyph, QLabel *verdict, QLabel *seen, QLayout *actions,
                  int height)
{
    const Theme &theme = Theme::instance();
    auto *box = new QWidget;
    auto *line = new ColumnsLayout(box);
    line->setLineHeight(height);
    line->addColumn(name, theme.px(KeyNameWidth));
    line->addFilling(key, 3);
    glyph->setFixedSize(Metrics::IconSmall, Metrics::IconSmall);
    line->addColumn(glyph, Metrics::IconSmall);
    line->addColumn(verdict, theme.px(VerdictWidth));
    line->addFilling(seen, 2);
    auto *actionBox = new QWidget;
    if (actions) {
        actions->setContentsMargins(0, 0, 0, 0);
        actionBox->setLayout(actions);
    }
    line->addColumn(actionBox, actionsWidth());
    return box;
}

} // namespace

QWidget *KeyRow::makeHeader(const QString &what)
{
    const auto label = [](const QString &text) {
        auto *heading = new ElidedLabel(text, TextStyle::Section, Role::Text2);
        heading->setWords(text);
        return heading;
    };
    auto *row = new QWidget;
    auto *layout = new QVBoxLayout(row);
    layout->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceM, Metrics::SpaceS);
    layout->addWidget(makeLine(label(what), label(tr("Key")), new Label, label(tr("Last test")),
                               label(tr("Answer")), nullptr, 0));
    return row;
}

KeyRow::KeyRow(const ServiceInfo &info, QWidget *parent)
    : QWidget(parent)
    , m_name(new Label(info.name, TextStyle::Body))
    , m_key(new ElidedLabel(tr("Key"), TextStyle::Small, Role::Text2))
    , m_glyph(new Label)
    , m_verdict(new ElidedLabel(tr("Last test"), TextStyle::State, Role::Text2))
    , m_seen(new ElidedLabel(tr("Answer"), TextStyle::Small, Role::Text2))
    , m_test(new Button(tr("Test")))
    , m_enter(new Button(tr("Enter a key…")))
    , m_forget(new Button(tr("Forget")))
    , m_keep(new Button(tr("Keep in the keychain")))
    , m_again(new Button(tr("Ask the keychain again")))
    , m_unlist(new Button(tr("Remove from the list")))
    , m_fieldRow(new QWidget)
    , m_field(new QLineEdit)
    , m_use(new Button(tr("Use for this session")))
    , m_store(new Button(tr("Keep in the keychain"), Button::Kind::Primary))
    , m_error(new ErrorBlock)
{
    const Theme &theme = Theme::instance();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, 0);
    layout->setSpacing(0);
    auto *actions = new QHBoxLayout;
    actions->setSpacing(Metrics::SpaceS);
    actions->addStretch(1);
    for (Button *button : {m_test, m_enter, m_forget}) {
        button->setSmall(true);
        button->setTextStyle(TextStyle::Small);
        button->setAccessibleName(u"%1: %2"_s.arg(info.name, button->text()));
        actions->addWidget(button);
    }
    QWidget *columns =
        makeLine(m_name, m_key, m_glyph, m_verdict, m_seen, actions, theme.px(Metrics::SettingsRow));
    m_columns = qobject_cast<ColumnsLayout *>(columns->layout());
    layout->addWidget(columns);

    auto *field = new BreakingLayout(theme.px(LeastKeyField), m_fieldRow);
    field->setContentsMargins(0, 0, 0, Metrics::SpaceM);
    field->setIndent(theme.px(KeyNameWidth) + Metrics::SpaceS);
    field->setSpacing(Metrics::SpaceS);
    m_field->setEchoMode(QLineEdit::Password);
    m_field->setInputMethodHints(Qt::ImhHiddenText | Qt::ImhNoPredictiveText | Qt::ImhNoAutoUppercase
                                 | Qt::ImhSensitiveData);
    m_field->setPlaceholderText(tr("Paste the key"));
    m_field->setAccessibleName(tr("Key for %1").arg(info.name));
    m_field->setMaxLength(LongestKey);
    auto *cancel = new Button(tr("Cancel"));
    cancel->setAccessibleName(tr("Cancel entering a key"));
    for (Button *button : {m_use, m_store})
        button->setAccessibleName(u"%1: %2"_s.arg(info.name, button->text()));
    field->setLead(m_field);
    auto *answers = new QWidget;
    auto *line = new QHBoxLayout(answers);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(Metrics::SpaceS);
    for (Button *button : {m_store, m_use, cancel})
        line->addWidget(button);
    field->setTrail(answers);
    layout->addWidget(m_fieldRow);
    m_fieldRow->hide();
    m_error->hide();
    m_errorBox = new QHBoxLayout;
    m_errorBox->addWidget(m_error);
    layout->addLayout(m_errorBox);
    // What can be done about a key that the keychain does not have, or does not give.
    m_ways = new QWidget;
    auto *ways = new QHBoxLayout(m_ways);
    for (Button *button : {m_keep, m_again, m_unlist}) {
        button->setSmall(true);
        button->setTextStyle(TextStyle::Small);
        button->setAccessibleName(u"%1: %2"_s.arg(info.name, button->text()));
        button->hide();
        ways->addWidget(button);
    }
    ways->addStretch(1);
    layout->addWidget(m_ways);
    m_ways->hide();

    connect(m_test, &Button::clicked, this, [this] {
        if (m_test->isBusy())
            return;
        m_test->setBusy(true); // Disabled it would lose the keyboard's focus.
        setVerdict({}, Role::Text2, tr("asking"), {});
        m_error->hide();
        Q_EMIT testRequested(m_info.id);
    });
    connect(m_enter, &Button::clicked, this, [this] { openField(true); });
    connect(cancel, &Button::clicked, this, [this] { openField(false); });
    connect(m_use, &Button::clicked, this, [this] { takeKey(KeyRing::Place::Session); });
    connect(m_store, &Button::clicked, this, [this] { takeKey(KeyRing::Place::Keychain); });
    connect(m_field, &QLineEdit::returnPressed, this,
            [this] { takeKey(m_info.canKeep ? KeyRing::Place::Keychain : KeyRing::Place::Session); });
    connect(m_field, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_use->setEnabled(!text.trimmed().isEmpty());
        m_store->setEnabled(!text.trimmed().isEmpty());
    });
    connect(m_forget, &Button::clicked, this, [this] { Q_EMIT forgetRequested(m_info.keyFrom); });
    connect(m_keep, &Button::clicked, this, [this] {
        m_error->hide();
        Q_EMIT keepRequested(m_info.keyFrom);
    });
    connect(m_again, &Button::clicked, this, [this] {
        m_error->hide();
        Q_EMIT keychainRequested();
    });
    connect(m_unlist, &Button::clicked, this, [this] { Q_EMIT unwanted(m_info.id); });
    m_use->setEnabled(false);
    m_store->setEnabled(false);
    setInfo(info);
}

void KeyRow::setInfo(const ServiceInfo &info)
{
    const bool changed = info.keyHint != m_info.keyHint || info.keySource != m_info.keySource
        || m_verdict->text().isEmpty() || info.keyProblem.has_value() != m_info.keyProblem.has_value();
    m_info = info;
    if (changed) {
        setVerdict({}, Role::Text3, tr("not tested"), {});
        m_error->hide();
        m_error->parentWidget()->layout()->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, 0);
    }
    refresh();
    if (info.keyProblem)
        setKeyProblem(*info.keyProblem);
}

void KeyRow::refresh()
{
    QString key;
    switch (m_info.keySource) {
    case ServiceInfo::KeySource::NotNeeded:
        key = m_info.isOwn ? tr("none sent") : tr("none needed");
        break;
    case ServiceInfo::KeySource::None:
        key = m_info.keyProblem            ? tr("in the keychain, not given")
            : m_info.keyWithheld.isEmpty() ? tr("no key")
                                           : tr("no key for this address");
        break;
    case ServiceInfo::KeySource::Keychain:
        key = tr("%1, in the keychain").arg(m_info.keyHint);
        break;
    case ServiceInfo::KeySource::Environment:
        key = tr("%1 from %2").arg(m_info.keyHint, m_info.keyFrom);
        break;
    case ServiceInfo::KeySource::Session:
        key = tr("%1, for this session").arg(m_info.keyHint);
        break;
    }
    if (m_info.isKeychainSlow && m_info.keySource != ServiceInfo::KeySource::NotNeeded)
        key = tr("the keychain asks you in a window of its own");
    m_key->setWords(key);
    const bool isKeyless = m_info.keySource == ServiceInfo::KeySource::NotNeeded;
    const bool needs = !isKeyless || m_info.isOwn; // One's own may want one or not.
    const bool has = !isKeyless && m_info.keySource != ServiceInfo::KeySource::None;
    m_enter->setText(has ? tr("Replace…") : tr("Enter a key…"));
    m_enter->setVisible(needs);
    m_enter->setEnabled(m_usable);
    const bool isSession = m_info.keySource == ServiceInfo::KeySource::Session;
    const bool forgettable = isSession || m_info.keySource == ServiceInfo::KeySource::Keychain;
    if (!forgettable)
        passFocus(m_forget, m_enter);
    m_forget->setVisible(forgettable);
    m_forget->setEnabled(m_usable);
    m_store->setVisible(m_info.canKeep);
    m_use->setKind(m_info.canKeep ? Button::Kind::Plain : Button::Kind::Primary);
    const bool keepable = isSession && m_info.canKeep;
    const bool askable = m_info.keyProblem.has_value();
    for (const auto &[button, shown] :
         {std::pair(m_keep, keepable), std::pair(m_again, askable), std::pair(m_unlist, m_info.isChosen)}) {
        if (!shown)
            passFocus(button, m_enter);
        button->setVisible(shown);
        button->setEnabled(m_usable);
    }
    m_ways->setVisible(keepable || askable || m_info.isChosen);
    const bool testable = m_info.id != "demo"_L1; // It is built in: there is nothing to ask.
    m_test->setVisible(testable);
    if (!testable)
        m_verdict->setWords({});
    setEnabledKeeping(m_test, m_usable && (has || isKeyless), m_enter);
}

void KeyRow::setUsable(bool usable)
{
    m_usable = usable;
    if (!usable)
        m_test->setBusy(false); // Nobody will answer.
    refresh();
}

void KeyRow::setKeyProblem(const Error &error)
{
    m_error->setError(error);
    m_error->show();
    layout()->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, Metrics::SpaceM);
}

void KeyRow::setTested(const Result<ServiceTest, Error> &result)
{
    m_test->setBusy(false);
    refresh();
    if (result) {
        m_error->hide();
        setVerdict(u"finished"_s, Role::Finished, tr("works"), result->seen);
        m_seen->setToolTip(result->asked);
        return;
    }
    const Error &error = result.error();
    const bool refused = error.kind == ErrorKind::KeyMissing;
    setVerdict(refused ? u"failed"_s : u"exitbad"_s, Role::Failed, refused ? tr("refused") : tr("no answer"),
               {});
    m_error->setError(error);
    m_error->show();
    layout()->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, Metrics::SpaceM);
}

void KeyRow::setVerdict(const QString &glyph, Role color, const QString &word, const QString &seen)
{
    m_glyph->setPixmap(glyph.isEmpty() ? QPixmap()
                                       : iconPixmap(glyph, Metrics::IconSmall, color, devicePixelRatioF()));
    m_glyph->setAccessibleName(word);
    m_verdict->setLook(TextStyle::State, color);
    m_verdict->setWords(word);
    m_seen->setWords(seen);
    layout()->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, 0);
}

void KeyRow::resizeEvent(QResizeEvent *event)
{
    // What belongs to the key stands under it, where that is not below the name itself.
    const QRect inner = contentsRect().marginsRemoved(layout()->contentsMargins());
    const int indent =
        m_columns->isBroken(inner.width()) ? 0 : Theme::instance().px(KeyNameWidth) + Metrics::SpaceS;
    const bool isMirrored = layoutDirection() == Qt::RightToLeft;
    const int left = isMirrored ? 0 : indent;
    const int right = isMirrored ? indent : 0;
    m_errorBox->setContentsMargins(left, 0, right, 0);
    m_ways->layout()->setContentsMargins(left, Metrics::SpaceS, right, Metrics::SpaceS);
    QWidget::resizeEvent(event);
}

void KeyRow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && m_fieldRow->isVisible()) { // First the key, then the page.
        openField(false);
        return;
    }
    QWidget::keyPressEvent(event);
}

QString KeyRow::verdict() const { return m_verdict->text(); }

void KeyRow::openField(bool open)
{
    m_field->clear();
    m_fieldRow->setVisible(open);
    if (open)
        m_field->setFocus(Qt::OtherFocusReason);
    else
        m_enter->setFocus(Qt::OtherFocusReason);
}

void KeyRow::takeKey(KeyRing::Place place)
{
    const QByteArray key = m_field->text().trimmed().toUtf8();
    if (key.isEmpty() || m_info.keyVariables.isEmpty())
        return;
    openField(false);
    Q_EMIT keyEntered(m_info.keyVariables.constFirst(), Secret(key), place);
}

} // namespace Pilothouse
