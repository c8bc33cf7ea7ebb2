// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/statusline.h"

#include "shell/iconlabel.h"
#include "theme/metrics.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QDateTime>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>

#include <chrono>

namespace Pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {
constexpr auto SampleInterval = 5s;
}

StatusLine::StatusLine(QWidget *parent)
    : QWidget(parent)
    , m_backend(new IconLabel(u"server"_s, tr("Sandbox")))
    , m_providers(new IconLabel(u"plug"_s, tr("Model providers in use")))
    , m_message(new ElidedLabel(tr("Last message"), TextStyle::Meta, Role::Text2))
    , m_cost(new Label({}, TextStyle::Meta, Role::Text2))
    , m_own(new Label({}, TextStyle::Meta, Role::Text2))
{
    setFixedHeight(Theme::instance().px(Metrics::StatusBar));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::SpaceM, 1, Metrics::SpaceM, 0);
    row->setSpacing(Metrics::SpaceL);
    row->addWidget(m_backend);
    row->addWidget(m_providers);
    row->addWidget(m_message, 1);
    row->addWidget(m_cost);
    row->addWidget(m_own);
    m_cost->setAccessibleName(tr("Spent today"));
    m_own->setAccessibleName(tr("What this program uses itself"));
    m_own->setToolTip(tr("Processor and memory of this program itself, read every five seconds"));
    m_cost->hide();
    m_timer.setInterval(SampleInterval);
    m_timer.setTimerType(Qt::VeryCoarseTimer);
    connect(&m_timer, &QTimer::timeout, this, &StatusLine::sample);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void StatusLine::setBackend(const QString &text) { m_backend->setWords(text); }

void StatusLine::setProviders(const QString &text) { m_providers->setWords(text); }

void StatusLine::setCost(std::optional<qint64> nanos)
{
    const QString text = nanos ? tr("Today %1").arg(costText(*nanos)) : QString();
    if (m_cost->text() != text)
        m_cost->setText(text);
    m_cost->setVisible(nanos.has_value());
}

void StatusLine::setMessage(const QString &text) { m_message->setWords(text); }

QString StatusLine::message() const { return m_message->text(); }

void StatusLine::sample()
{
    const auto usage = ProcessUsage::read();
    if (!usage)
        return;
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    QString text = u"Pilothouse "_s;
    if (m_last && now > m_lastMs) {
        const double percent =
            100.0 * static_cast<double>(usage->cpuMs - m_last->cpuMs) / static_cast<double>(now - m_lastMs);
        text += tr("%1 % CPU, ").arg(QString::number(std::max(percent, 0.0), 'f', 1));
    }
    text += tr("%1 MB").arg(usage->memoryBytes / 1'000'000);
    m_last = usage;
    m_lastMs = now;
    if (m_own->text() != text)
        m_own->setText(text); // Else nothing is painted.
}

void StatusLine::updateSampling()
{
    const bool seen = isVisible() && !window()->isMinimized();
    if (seen == m_timer.isActive())
        return;
    if (!seen) {
        m_timer.stop();
        return;
    }
    m_last.reset();
    sample();
    m_timer.start();
}

void StatusLine::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    window()->installEventFilter(this);
    updateSampling();
}

void StatusLine::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    updateSampling();
}

bool StatusLine::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::WindowStateChange)
        updateSampling();
    return QWidget::eventFilter(watched, event);
}

void StatusLine::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), Theme::instance().color(Role::Window));
    painter.fillRect(0, 0, width(), 1, Theme::instance().color(Role::Hair));
}

} // namespace Pilothouse
