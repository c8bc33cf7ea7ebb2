// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "platform/processusage.h"

#include <QTimer>
#include <QWidget>

#include <optional>

namespace Pilothouse {

class ElidedLabel;
class IconLabel;
class Label;

/// The strip at the bottom: where commands run, who answers, what was spent today, and what this program
/// itself uses. Figures of its own are read every five seconds while they can be seen.
class StatusLine : public QWidget {
    Q_OBJECT
public:
    explicit StatusLine(QWidget *parent = nullptr);

    void setBackend(const QString &text);
    void setProviders(const QString &text);
    void setCost(std::optional<qint64> nanos);
    void setMessage(const QString &text); ///< The last thing that happened; may be empty.
    [[nodiscard]] QString message() const;

protected:
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void sample();
    void updateSampling();

    IconLabel *m_backend;
    IconLabel *m_providers;
    ElidedLabel *m_message;
    Label *m_cost;
    Label *m_own;
    QTimer m_timer;
    std::optional<ProcessUsage> m_last;
    qint64 m_lastMs = 0;
};

} // namespace Pilothouse
