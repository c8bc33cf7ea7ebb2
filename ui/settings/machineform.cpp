// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/machineform.h"

#include "settings/breakinglayout.h"
#include "settings/settingscard.h"
#include "theme/controls/errorblock.h"
#include "theme/controls/label.h"
#include "theme/controls/wheelguard.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int MachineControlWidth = 280;
constexpr int LeastMachineWords = 200; // Beside a control.
constexpr int LongestTyped = 400; // What is too long is refused with words.
constexpr int HostLines = 4;

/// The outline of a field of several lines, with the ring while it has the focus.
class FieldBox : public QWidget {
public:
    explicit FieldBox(QPlainTextEdit *field)
        : m_field(field)
    {
        auto *layout = new QVBoxLayout(this);
        layout->setContentsMargins(Metrics::SpaceXs, Metrics::SpaceXs, Metrics::SpaceXs, Metrics::SpaceXs);
        layout->addWidget(field);
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        paintBox(&painter, QRectF(rect()), Role::Canvas, Role::Control, Metrics::RadiusControl);
        if (m_field->hasFocus())
            paintFocusRing(&painter, QRectF(rect()), Metrics::RadiusControl);
    }

private:
    QPlainTextEdit *m_field;
};

/// A row of words at the left and a control; what is wrong stands below.
QWidget *settingRow(const QString &name, const QString &hint, QWidget *control, QLayout *below)
{
    auto *row = new QWidget;
    auto *layout = new QVBoxLayout(row);
    layout->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceM, Metrics::SpaceS);
    layout->setSpacing(Metrics::SpaceS);
    auto *line = new BreakingLayout(Theme::instance().px(LeastMachineWords));
    auto *words = new QVBoxLayout;
    words->setSpacing(0);
    auto *label = new Label(name, TextStyle::Body);
    label->setBuddy(control);
    words->addWidget(label);
    auto *explained = new Label(hint, TextStyle::Small, Role::Text2);
    explained->setWordWrap(true);
    words->addWidget(explained);
    line->setLead(words);
    control->setAccessibleName(name);
    control->setAccessibleDescription(hint);
    line->setTrail(control);
    layout->addLayout(line);
    layout->addLayout(below);
    return row;
}

} // namespace

MachineForm::MachineForm(QWidget *parent)
    : QWidget(parent)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *card = new SettingsCard(tr("Machines of Superserve"));
    layout->addWidget(card);
    m_template = addEntry(card, tr("Template"), tr("Name or id of what they are copied from."),
                          tr("not set: the service's own"));
    m_timeout =
        addEntry(card, tr("Pause after running for"),
                 tr("Also while something runs on it. Like 30m, 2h, 7d or never."), tr("not set: 1h"));
    m_autoDelete = addEntry(card, tr("Delete after being paused for"),
                            tr("Its files are lost then. Like 12h, 7d or never; 0s: with the first pause."),
                            tr("not set: 30d"));
    addNetwork(card);
    updateNetwork();
}

MachineForm::Entry MachineForm::addEntry(SettingsCard *card, const QString &name, const QString &hint,
                                         const QString &placeholder)
{
    const Theme &theme = Theme::instance();
    Entry entry{new QLineEdit, new ErrorBlock};
    entry.field->setFixedWidth(theme.px(MachineControlWidth));
    entry.field->setMinimumHeight(theme.px(Metrics::Input));
    entry.field->setMaxLength(LongestTyped);
    entry.field->setPlaceholderText(placeholder);
    entry.error->hide();
    auto *below = new QVBoxLayout;
    below->addWidget(entry.error);
    card->addRow(settingRow(name, hint, entry.field, below));
    connect(entry.field, &QLineEdit::editingFinished, this, &MachineForm::take);
    return entry;
}

void MachineForm::addNetwork(SettingsCard *card)
{
    const Theme &theme = Theme::instance();
    m_network = new QComboBox;
    leaveWheelToPage(m_network);
    m_network->setFixedWidth(theme.px(MachineControlWidth));
    m_network->addItem(tr("Everything public"), false);
    m_network->addItem(tr("Only these hosts"), true);
    m_hosts = new QPlainTextEdit;
    m_hosts->setFrameShape(QFrame::NoFrame);
    m_hosts->setFont(theme.font(TextStyle::Mono));
    m_hosts->setFixedHeight(HostLines * theme.lineHeight(TextStyle::Mono) + 2 * Metrics::SpaceS);
    m_hosts->setTabChangesFocus(true);
    m_hosts->setPlaceholderText(tr("for example:\npypi.org\n*.pythonhosted.org\n203.0.113.0/24"));
    m_hosts->setAccessibleName(tr("Hosts that machines may reach"));
    m_hosts->verticalScrollBar()->setAccessibleName(tr("Scroll the hosts"));
    m_hosts->horizontalScrollBar()->setAccessibleName(tr("Scroll the hosts sideways"));
    m_hosts->installEventFilter(this);
    m_hostsNote = new Label({}, TextStyle::Small, Role::Text2);
    m_hostsNote->setWordWrap(true);
    m_hostsError = new ErrorBlock;
    m_hostsError->hide();
    auto *below = new QVBoxLayout;
    below->setSpacing(Metrics::SpaceXs);
    m_hostsBox = new FieldBox(m_hosts);
    below->addWidget(m_hostsBox);
    below->addWidget(m_hostsNote);
    below->addWidget(m_hostsError);
    card->addRow(settingRow(
        tr("Network"),
        tr("What programs on the machine may connect to. Private addresses are always closed to them."),
        m_network, below));
    connect(m_network, &QComboBox::activated, this, [this] {
        updateNetwork();
        take();
        if (m_network->currentData().toBool())
            m_hosts->setFocus(Qt::OtherFocusReason);
    });
    connect(m_hosts, &QPlainTextEdit::textChanged, this, &MachineForm::updateNetwork);
    connect(&theme, &Theme::changed, this,
            [this] { m_hosts->setFont(Theme::instance().font(TextStyle::Mono)); });
}

void MachineForm::setChoices(const MachineChoices &choices)
{
    if (choices == m_choices)
        return; // What is being typed stays.
    m_choices = choices;
    showTaken();
}

void MachineForm::setUsable(bool usable)
{
    for (QLineEdit *field : {m_template.field, m_timeout.field, m_autoDelete.field})
        field->setReadOnly(!usable);
    m_network->setEnabled(usable);
    m_hosts->setReadOnly(!usable);
}

void MachineForm::showTaken()
{
    const QScopedValueRollback<bool> guard(m_filling, true);
    m_template.field->setText(m_choices.fromTemplate);
    m_timeout.field->setText(timeLimitText(m_choices.timeoutSeconds));
    m_autoDelete.field->setText(timeLimitText(m_choices.autoDeleteSeconds));
    m_network->setCurrentIndex(m_network->findData(m_choices.isNetworkLimited));
    m_hosts->setPlainText(m_choices.allowed.join(u'\n'));
    for (ErrorBlock *error : {m_template.error, m_timeout.error, m_autoDelete.error, m_hostsError})
        error->hide();
    updateNetwork();
}

bool MachineForm::isChanged() const
{
    return m_template.field->text() != m_choices.fromTemplate
        || m_timeout.field->text() != timeLimitText(m_choices.timeoutSeconds)
        || m_autoDelete.field->text() != timeLimitText(m_choices.autoDeleteSeconds)
        || m_hosts->toPlainText() != m_choices.allowed.join(u'\n');
}

void MachineForm::updateNetwork()
{
    const bool isLimited = m_network->currentData().toBool();
    m_hostsBox->setVisible(isLimited);
    m_hostsNote->setVisible(isLimited);
    if (!isLimited)
        m_hostsError->hide();
    const QString note = m_hosts->toPlainText().trimmed().isEmpty()
        ? tr("No host is listed: machines reach nothing.")
        : tr("One host on a line: a domain, *.domain for what is below it, an IPv4 address or a range.");
    if (m_hostsNote->text() != note)
        m_hostsNote->setText(note);
}

void MachineForm::take()
{
    if (m_filling)
        return;
    MachineChoices wanted = m_choices;
    // What is right is taken, also while another field is wrong.
    const auto keep = [](ErrorBlock *error, const auto &checked, auto &target) {
        error->setVisible(!checked);
        if (checked)
            target = *checked;
        else
            error->setError(checked.error());
    };
    keep(m_template.error, checkedTemplate(m_template.field->text()), wanted.fromTemplate);
    keep(m_timeout.error, checkedTimeLimit(TimeLimit::Active, m_timeout.field->text()),
         wanted.timeoutSeconds);
    keep(m_autoDelete.error, checkedTimeLimit(TimeLimit::Paused, m_autoDelete.field->text()),
         wanted.autoDeleteSeconds);
    wanted.isNetworkLimited = m_network->currentData().toBool();
    if (wanted.isNetworkLimited)
        keep(m_hostsError, checkedHosts(m_hosts->toPlainText()), wanted.allowed);
    if (wanted == m_choices)
        return;
    m_choices = wanted;
    Q_EMIT chosen(m_choices);
}

bool MachineForm::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_hosts && (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut))
        m_hostsBox->update();
    if (watched == m_hosts && event->type() == QEvent::FocusOut
        && static_cast<QFocusEvent *>(event)->reason() != Qt::PopupFocusReason)
        take();
    return QWidget::eventFilter(watched, event);
}

void MachineForm::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && isChanged()) { // First what was typed, then the page.
        showTaken();
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace Pilothouse
