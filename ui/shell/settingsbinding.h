// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"
#include "util/secret.h"

#include <QObject>

#include <functional>

namespace Pilothouse {

class SettingsPage;
class Workspace;

/// Joins the page of settings with the engine and with DATA/settings.ini. Owned by the page.
class SettingsBinding : public QObject {
    Q_OBJECT
public:
    SettingsBinding(Workspace *workspace, SettingsPage *page);

    /// The stored choice of colours, for the first frame.
    static void applyAppearance(const QString &dataDir);

private:
    void bindProviders();
    void enterKey(const QString &provider, const Secret &key);
    void useModel(const QString &provider, const QString &model); ///< For new conversations.
    void readStored();
    [[nodiscard]] std::function<void(const Result<Done, Error> &)> reporting(const QString &id);

    Workspace *m_workspace;
    SettingsPage *m_page;
};

} // namespace Pilothouse
