// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "model/modelclient.h"
#include "model/scenario.h"

#include <QHash>

namespace Pilothouse {

/// Plays a scenario as if it were a model: the same events, in the same order, in later turns of the event
/// loop. Not an AI. Which step is played follows from the request's history alone. Only faults are counted
/// here, for as long as the client lives.
class ScriptedClient final : public ModelClient {
public:
    explicit ScriptedClient(Scenario scenario);

    [[nodiscard]] QString provider() const override;
    [[nodiscard]] QString protocol() const override;
    ModelStream *start(const ModelRequest &request, QObject *parent) override;
    [[nodiscard]] std::optional<int> ownMaxSteps() const override { return m_scenario.maxSteps; }

    [[nodiscard]] const Scenario &scenario() const { return m_scenario; }

private:
    Scenario m_scenario;
    QHash<QString, int> m_faultsPlayed;
};

} // namespace Pilothouse
