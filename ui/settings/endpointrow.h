// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/services.h"

#include <QWidget>

class QLineEdit;

namespace Pilothouse {

class Button;
class ErrorBlock;
class Label;

/// Where requests to one service go, and the field for another address. What cannot be changed here, as the
/// environment or the command line sets it or the service has but one, is plain text.
class EndpointRow : public QWidget {
    Q_OBJECT
public:
    explicit EndpointRow(const ServiceInfo &info, QWidget *parent = nullptr);

    void setInfo(const ServiceInfo &info); ///< What is being typed stays while the address is the same.
    void setUsable(bool usable);
    void setProblem(const Error &error); ///< Why the address was not taken.
    [[nodiscard]] QLineEdit *field() const { return m_field; }
    [[nodiscard]] Label *fixedAddress() const { return m_fixed; }
    [[nodiscard]] Button *useButton() const { return m_use; }
    [[nodiscard]] Button *resetButton() const { return m_reset; }

Q_SIGNALS:
    void entered(const QString &id, const QString &address); ///< Empty: the service's own.

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void refresh();
    void take();
    void showAddress(); ///< In the field.
    [[nodiscard]] bool isChanged() const;

    ServiceInfo m_info;
    QLineEdit *m_field;
    Label *m_fixed; ///< Instead of the field.
    Button *m_use;
    Button *m_reset;
    Label *m_note;
    ErrorBlock *m_error;
    bool m_usable = false;
};

} // namespace Pilothouse
