// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "settings/localmodels.h"

#include "settings/breakinglayout.h"
#include "settings/modelitems.h"
#include "settings/settingscard.h"
#include "text/inerttext.h"
#include "theme/announcer.h"
#include "theme/controls/button.h"
#include "theme/controls/elidedlabel.h"
#include "theme/controls/label.h"
#include "theme/controls/wheelguard.h"
#include "theme/focus.h"
#include "theme/metrics.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {
constexpr int ModelBoxWidth = 280;
constexpr int LeastFacts = 160; // Beside them.
constexpr qsizetype LongestFound = 200; // Of what a server says.
constexpr int MostVisible = 20;
} // namespace

LocalModels::LocalModels(QWidget *parent)
    : QWidget(parent)
    , m_look(new Button(tr("Look on this computer"), Button::Kind::Primary))
    , m_message(new Label({}, TextStyle::Small, Role::Text2))
    , m_found(new SettingsCard(tr("Found")))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Metrics::SpaceL);
    auto *line = new QHBoxLayout;
    line->setSpacing(Metrics::SpaceM);
    m_look->setAccessibleName(tr("Look for model servers on this computer"));
    m_message->setWordWrap(true);
    line->addWidget(m_look);
    line->addWidget(m_message, 1);
    layout->addLayout(line);
    layout->addWidget(m_found);
    m_found->hide();
    connect(m_look, &Button::clicked, this, [this] {
        if (m_look->isBusy())
            return;
        m_look->setBusy(true);
        m_message->setText(tr("Looking…"));
        Q_EMIT lookRequested();
    });
    setUsable(false);
}

void LocalModels::setUsable(bool usable)
{
    m_usable = usable;
    if (!usable)
        m_look->setBusy(false); // Nobody will answer.
    m_look->setEnabled(usable);
    m_found->setEnabled(usable);
}

void LocalModels::setFound(const QList<FoundServer> &servers)
{
    m_look->setBusy(false);
    passFocus(m_found, m_look); // Its rows go.
    m_found->clear();
    for (const FoundServer &server : servers)
        addServer(server);
    m_found->setVisible(!servers.isEmpty());
    orderFocus(m_look, m_found);
    m_message->setText(
        servers.isEmpty()
            ? tr("Nothing answered. Start Ollama, LM Studio, llama.cpp or vLLM and look again; "
                 "a server on another port can be added under Endpoints.")
            : countedText(servers.size(), tr("One server answered."), tr("%1 servers answered.")));
    announce(m_message, m_message->text());
}

void LocalModels::addServer(const FoundServer &server)
{
    auto *row = new QWidget;
    row->setMinimumHeight(Theme::instance().px(Metrics::SettingsRow));
    auto *layout = new BreakingLayout(Theme::instance().px(LeastFacts), row);
    layout->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceM, Metrics::SpaceS);
    layout->setSpacing(Metrics::SpaceM);
    const QString name = inertLine(server.name, LongestFound);
    auto *words = new QVBoxLayout;
    words->setSpacing(0);
    auto *called = new ElidedLabel(tr("Server"), TextStyle::Body);
    called->setWords(name);
    words->addWidget(called);
    QString facts = inertLine(server.url, LongestFound) + u", "_s
        + countedText(server.models.size(), tr("1 model"), tr("%1 models"));
    if (server.models.isEmpty())
        facts = tr("%1, no model is loaded").arg(inertLine(server.url, LongestFound));
    else if (!server.withoutTools.isEmpty())
        facts += countedText(server.withoutTools.size(), tr(", 1 of them cannot use tools"),
                             tr(", %1 of them cannot use tools"));
    auto *told = new Label(facts, TextStyle::Small, Role::Text2);
    told->setWordWrap(true);
    words->addWidget(told);
    layout->setLead(words);
    auto *models = new QComboBox;
    leaveWheelToPage(models);
    models->setFixedWidth(Theme::instance().px(ModelBoxWidth));
    models->setMaxVisibleItems(MostVisible);
    models->setAccessibleName(tr("Model of %1").arg(name));
    for (const QString &id : server.models)
        addModelItem(models, id, id, !server.withoutTools.contains(id));
    chooseFirstEnabled(models);
    auto *use = new Button(tr("Use for new conversations"));
    use->setAccessibleName(tr("%1: use for new conversations").arg(name));
    use->setEnabled(isChosenEnabled(models));
    auto *choice = new QWidget;
    auto *line = new QHBoxLayout(choice);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(Metrics::SpaceM);
    line->addWidget(models);
    line->addWidget(use);
    layout->setTrail(choice);
    choice->setVisible(!server.models.isEmpty());
    connect(use, &Button::clicked, this, [this, server, models] {
        if (isChosenEnabled(models))
            Q_EMIT chosen(server, models->currentData().toString());
    });
    m_found->addRow(row);
}

void LocalModels::setChosen(const QString &model)
{
    m_message->setText(tr("New conversations use %1.").arg(inertLine(model, LongestFound)));
    announce(m_message, m_message->text());
}

void LocalModels::setProblem(const Error &error)
{
    m_message->setText(inertLine(error.toText(), LongestFound));
    announce(m_message, m_message->text());
}

QString LocalModels::message() const { return m_message->text(); }

} // namespace Pilothouse
