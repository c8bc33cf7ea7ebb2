// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "model/scriptedclient.h"

#include "model/scriptedstream.h"

namespace Pilothouse {

using namespace Qt::StringLiterals;

ScriptedClient::ScriptedClient(Scenario scenario)
    : m_scenario(std::move(scenario))
{ }

QString ScriptedClient::provider() const { return u"demo"_s; }

QString ScriptedClient::protocol() const { return u"scripted"_s; }

ModelStream *ScriptedClient::start(const ModelRequest &request, QObject *parent)
{
    const Scenario::Position position = Scenario::position(request.history);
    ScenarioStep step;
    if (position.turn < 0) {
        ApiError error;
        error.category = ApiError::Category::Local;
        error.message = u"The conversation has no message yet, so the script has nothing to answer."_s;
        step.fault = ScenarioFault{error, 0, 1};
    } else {
        step = m_scenario.stepFor(request.history);
        if (step.fault) {
            int &played =
                m_faultsPlayed[u"%1/%2/%3"_s.arg(request.conversation).arg(position.turn).arg(position.step)];
            if (played < step.fault->times)
                ++played;
            else
                step.fault.reset();
        }
    }
    return new ScriptedStream(m_scenario.name, step, position.answers + 1, parent);
}

} // namespace Pilothouse
