// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/providerrow.h"

#include "settings/columnslayout.h"
#include "text/inerttext.h"
#include "theme/controls/button.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/errorblock.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int OwnNameWidth = 128;
constexpr int OwnVerdictWidth = 104;
constexpr qsizetype LongestOwn = 300; // Of a name or an address.

QString protocolWords(const QString &protocol)
{
    if (protocol == "anthropic-messages"_L1)
        return ProviderRow::tr("Anthropic messages");
    if (protocol == "openai-responses"_L1)
        return ProviderRow::tr("OpenAI responses");
    return ProviderRow::tr("OpenAI chat");
}

} // namespace

ProviderRow::ProviderRow(const ServiceInfo &info, QWidget *parent)
    : QWidget(parent)
    , m_name(new ElidedLabel(tr("Name"), TextStyle::Body))
    , m_address(new ElidedLabel(tr("Address"), TextStyle::Small, Role::Text2))
    , m_glyph(new Label)
    , m_verdict(new ElidedLabel(tr("Last test"), TextStyle::State, Role::Text2))
    , m_test(new Button(tr("Test")))
    , m_edit(new Button(tr("Edit…")))
    , m_remove(new Button(tr("Remove…")))
    , m_error(new ErrorBlock)
{
    const Theme &theme = Theme::instance();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, 0);
    layout->setSpacing(0);
    auto *box = new QWidget;
    auto *line = new ColumnsLayout(box);
    line->setLineHeight(theme.px(Metrics::SettingsRow));
    m_glyph->setFixedSize(Metrics::IconSmall, Metrics::IconSmall);
    line->addColumn(m_name, theme.px(OwnNameWidth));
    line->addFilling(m_address, 1);
    line->addColumn(m_glyph, Metrics::IconSmall);
    line->addColumn(m_verdict, theme.px(OwnVerdictWidth));
    for (Button *button : {m_test, m_edit, m_remove}) {
        button->setSmall(true);
        button->setTextStyle(TextStyle::Small);
        line->addColumn(button, button->sizeHint().width());
    }
    layout->addWidget(box);
    m_error->hide();
    layout->addWidget(m_error);
    connect(m_test, &Button::clicked, this, [this] {
        if (m_test->isBusy())
            return;
        m_test->setBusy(true); // Disabled it would lose the keyboard's focus.
        m_error->hide();
        setVerdict({}, Role::Text2, tr("asking"));
        Q_EMIT testRequested();
    });
    connect(m_edit, &Button::clicked, this, &ProviderRow::editRequested);
    connect(m_remove, &Button::clicked, this, &ProviderRow::removeRequested);
    setVerdict({}, Role::Text3, tr("not tested"));
    m_info = info;
    refresh();
}

void ProviderRow::setInfo(const ServiceInfo &info)
{
    if (info.endpoint != m_info.endpoint || info.protocol != m_info.protocol
        || info.keyHint != m_info.keyHint) {
        m_error->hide();
        layout()->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, 0);
        if (!m_test->isBusy())
            setVerdict({}, Role::Text3, tr("not tested"));
    }
    m_info = info;
    refresh();
}

void ProviderRow::refresh()
{
    const QString name = inertLine(m_info.name, LongestOwn);
    m_name->setWords(name);
    QStringList parts{inertLine(m_info.endpoint, LongestOwn), protocolWords(m_info.protocol)};
    if (!m_info.keyHint.isEmpty())
        parts.append(tr("key %1").arg(m_info.keyHint));
    if (!m_info.models.isEmpty())
        parts.append(countedText(m_info.models.size(), tr("1 model"), tr("%1 models")));
    m_address->setWords(parts.join(u", "_s));
    for (Button *button : {m_test, m_edit, m_remove})
        button->setAccessibleName(u"%1: %2"_s.arg(name, QString(button->text()).remove(u'…')));
}

void ProviderRow::setUsable(bool usable)
{
    if (!usable)
        m_test->setBusy(false); // Nobody will answer.
    for (Button *button : {m_test, m_edit, m_remove})
        button->setEnabled(usable);
}

void ProviderRow::setTested(const Result<ServiceTest, Error> &result)
{
    m_test->setBusy(false);
    if (result) {
        m_error->hide();
        layout()->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, 0);
        setVerdict(u"finished"_s, Role::Finished, tr("works"));
        m_verdict->setToolTip(inertLine(QString(result->asked + u": "_s + result->seen), LongestOwn));
        return;
    }
    const bool refused = result.error().kind == ErrorKind::KeyMissing;
    setVerdict(refused ? u"failed"_s : u"exitbad"_s, Role::Failed, refused ? tr("refused") : tr("no answer"));
    setProblem(result.error());
}

void ProviderRow::setProblem(const Error &error)
{
    m_error->setError(error);
    m_error->show();
    layout()->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, Metrics::SpaceM);
}

void ProviderRow::setVerdict(const QString &glyph, Role color, const QString &word)
{
    m_glyph->setPixmap(glyph.isEmpty() ? QPixmap()
                                       : iconPixmap(glyph, Metrics::IconSmall, color, devicePixelRatioF()));
    m_glyph->setAccessibleName(word);
    m_verdict->setLook(TextStyle::State, color);
    m_verdict->setWords(word);
}

QString ProviderRow::verdict() const { return m_verdict->text(); }

} // namespace Pilothouse
