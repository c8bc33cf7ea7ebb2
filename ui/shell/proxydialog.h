// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/secret.h"

#include <QDialog>

class QCheckBox;
class QLineEdit;

namespace Pilothouse {

/// Asks for the user name and the password of a proxy. Closing it in any other way than by "Sign in"
/// declines. Deletes itself.
class ProxyDialog : public QDialog {
    Q_OBJECT
public:
    /// `origin` comes from the system's settings. `wasRefused`: others than the proxy got before; `canKeep`:
    /// there is a keychain.
    ProxyDialog(const QString &origin, bool wasRefused, bool canKeep, QWidget *parent);

Q_SIGNALS:
    void entered(const QString &user, const Pilothouse::Secret &password, bool keeps);

private:
    QLineEdit *m_user;
    QLineEdit *m_password;
    QCheckBox *m_keep = nullptr;
};

} // namespace Pilothouse
