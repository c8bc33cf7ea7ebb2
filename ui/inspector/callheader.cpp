// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/callheader.h"

#include "inspector/callmodel.h"
#include "text/inerttext.h"
#include "theme/controls/button.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/label.h"
#include "theme/metrics.h"
#include "theme/statelook.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype LongestTool = 60;

QString clockText(qint64 ms)
{
    return QLocale::c().toString(QDateTime::fromMSecsSinceEpoch(ms).time(), u"HH:mm:ss"_s);
}

} // namespace

/// The state's shape; its word stands beside it.
class CallHeader::Glyph : public QWidget {
public:
    Glyph() { setFixedSize(Metrics::IconNormal, Metrics::IconNormal); }
    void setLook(const StateLook &look)
    {
        m_look = look;
        update();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        if (!m_look.glyph.isEmpty())
            paintIcon(&painter, QRectF(rect()), m_look.glyph, m_look.color, Role::Canvas);
    }

private:
    StateLook m_look;
};

CallHeader::CallHeader(QWidget *parent)
    : QWidget(parent)
    , m_glyph(new Glyph)
    , m_tool(new Label({}, TextStyle::ToolName))
    , m_state(new Label({}, TextStyle::State))
    , m_place(new ElidedLabel(tr("Place of the call"), TextStyle::Small, Role::Text2))
    , m_time(new Label({}, TextStyle::Small))
    , m_stop(new Button(tr("Stop call")))
{
    setFixedHeight(Theme::instance().px(Metrics::SecondHeader));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::SpaceM, 0, Metrics::SpaceM, 0);
    row->setSpacing(Metrics::SpaceS);
    row->addWidget(m_glyph);
    row->addWidget(m_tool);
    row->addWidget(m_state);
    row->addWidget(m_place, 1);
    row->addWidget(m_time);
    row->addWidget(m_stop);
    m_stop->setSmall(true);
    m_stop->setIconName(u"stop"_s, Metrics::IconInline);
    m_stop->setTextStyle(TextStyle::Small);
    m_stop->setAccessibleName(tr("Stop call"));
    m_stop->setToolTip(tr("Ends this call; the turn goes on and the model is told"));
    connect(m_stop, &Button::clicked, this, [this] {
        m_stopping = m_call;
        updateStop(true, false);
        Q_EMIT stopClicked();
    });
    connect(&Theme::instance(), &Theme::changed, this,
            [this] { setFixedHeight(Theme::instance().px(Metrics::SecondHeader)); });
}

void CallHeader::setFacts(const CallFacts &facts, bool canStop)
{
    m_call = facts.callId;
    const StateLook look = callLook(facts.state, facts.exitCode);
    m_glyph->setLook(look);
    m_tool->setText(inertLine(facts.toolName, LongestTool));
    QString word = look.word;
    if (word.isEmpty() && facts.exitCode)
        word = tr("exit %1").arg(*facts.exitCode);
    else if (word.isEmpty())
        word = facts.isEnded() ? tr("Done") : QString();
    if (facts.timedOut && facts.durationMs)
        word = timedOutText(*facts.durationMs);
    const bool isDenied = facts.state == "denied"_L1;
    if (isDenied && (facts.approvalBy == "user"_L1 || facts.approvalBy == "cli"_L1))
        word = tr("Denied by you");
    else if (isDenied)
        word = tr("Denied by a rule");
    m_state->setText(word);
    m_state->setLook(TextStyle::State, look.color);
    QString place = facts.step > 0 ? tr("step %1").arg(facts.step) : QString();
    if (facts.number > 0)
        place += tr(", call %1 of %2").arg(facts.number).arg(facts.count);
    m_place->setWords(place);
    updateStop(facts.isRunning(), canStop && m_stopping != facts.callId);
    updateTime(facts);
}

void CallHeader::updateStop(bool visible, bool enabled)
{
    // Qt would hand the focus to whatever comes next.
    if (m_stop->hasFocus() && !(visible && enabled))
        Q_EMIT focusLeft();
    m_stop->setVisible(visible);
    m_stop->setEnabled(enabled);
    m_stop->setText(m_stopping == m_call ? tr("Stopping") : tr("Stop call"));
}

void CallHeader::updateTime(const CallFacts &facts)
{
    QString text;
    if (facts.durationMs)
        text = durationText(*facts.durationMs);
    else if (facts.isRunning())
        text = elapsedText(QDateTime::currentMSecsSinceEpoch() - facts.startedMs);
    else if (facts.state == "waiting"_L1)
        text = tr("asked %1").arg(clockText(facts.askedMs));
    m_time->setText(text);
}

} // namespace Pilothouse
