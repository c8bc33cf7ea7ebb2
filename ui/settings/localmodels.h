// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/customprovider.h"
#include "util/error.h"

#include <QList>
#include <QWidget>

namespace Pilothouse {

class Button;
class Label;
class SettingsCard;

/// Model servers on this computer: looked for when the button is pressed and never else, then offered with
/// their models.
class LocalModels : public QWidget {
    Q_OBJECT
public:
    explicit LocalModels(QWidget *parent = nullptr);

    void setUsable(bool usable);
    void setFound(const QList<FoundServer> &servers);
    void setChosen(const QString &model); ///< "ollama/qwen3": new conversations use it now.
    void setProblem(const Error &error);
    [[nodiscard]] Button *lookButton() const { return m_look; }
    [[nodiscard]] QString message() const;

Q_SIGNALS:
    void lookRequested();
    /// New conversations are to use this model.
    void chosen(const Pilothouse::FoundServer &server, const QString &model);

private:
    void addServer(const FoundServer &server);

    Button *m_look;
    Label *m_message;
    SettingsCard *m_found;
    bool m_usable = false;
};

} // namespace Pilothouse
