// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/services.h"
#include "theme/roles.h"

#include <QWidget>

namespace Pilothouse {

class Button;
class ElidedLabel;
class ErrorBlock;
class Label;

/// One provider of a person's own: where it is, what a test saw, and what can be done to it.
class ProviderRow : public QWidget {
    Q_OBJECT
public:
    explicit ProviderRow(const ServiceInfo &info, QWidget *parent = nullptr);

    void setInfo(const ServiceInfo &info); ///< Another address forgets what a test saw.
    void setUsable(bool usable);
    void setTested(const Result<ServiceTest, Error> &result);
    void setProblem(const Error &error);
    [[nodiscard]] const ServiceInfo &info() const { return m_info; }
    [[nodiscard]] Button *testButton() const { return m_test; }
    [[nodiscard]] Button *editButton() const { return m_edit; }
    [[nodiscard]] Button *removeButton() const { return m_remove; }
    [[nodiscard]] QString verdict() const;

Q_SIGNALS:
    void testRequested();
    void editRequested();
    void removeRequested();

private:
    void refresh();
    void setVerdict(const QString &glyph, Role color, const QString &word);

    ServiceInfo m_info;
    ElidedLabel *m_name;
    ElidedLabel *m_address;
    Label *m_glyph;
    ElidedLabel *m_verdict;
    Button *m_test;
    Button *m_edit;
    Button *m_remove;
    ErrorBlock *m_error;
};

} // namespace Pilothouse
