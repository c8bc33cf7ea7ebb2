// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QDialog>

namespace Pilothouse {

/// Version, licence, and the libraries this program is made with. Use open(); it deletes itself when closed.
class AboutDialog : public QDialog {
    Q_OBJECT
public:
    explicit AboutDialog(QWidget *parent);
};

} // namespace Pilothouse
