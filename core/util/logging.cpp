// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "util/logging.h"

namespace Pilothouse {

Q_LOGGING_CATEGORY(lcNet, "pilothouse.net", QtWarningMsg)
Q_LOGGING_CATEGORY(lcModel, "pilothouse.model", QtWarningMsg)
Q_LOGGING_CATEGORY(lcSandbox, "pilothouse.sandbox", QtWarningMsg)
Q_LOGGING_CATEGORY(lcAgent, "pilothouse.agent", QtWarningMsg)
Q_LOGGING_CATEGORY(lcStore, "pilothouse.store", QtWarningMsg)
Q_LOGGING_CATEGORY(lcEngine, "pilothouse.engine", QtWarningMsg)
Q_LOGGING_CATEGORY(lcSecrets, "pilothouse.secrets", QtWarningMsg)
Q_LOGGING_CATEGORY(lcUi, "pilothouse.ui", QtWarningMsg)

} // namespace Pilothouse
