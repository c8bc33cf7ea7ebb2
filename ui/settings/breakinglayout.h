// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QLayout>

#include <memory>

namespace Pilothouse {

/// Two parts beside each other; the second goes below the first where there is no room for both. The first
/// takes what the second leaves.
class BreakingLayout : public QLayout {
    Q_OBJECT
public:
    /// `leastLead`: the narrowest that the first part may become beside the second, in pixels.
    explicit BreakingLayout(int leastLead, QWidget *parent = nullptr);
    ~BreakingLayout() override;

    void setLead(QLayout *lead); ///< Takes ownership.
    void setLead(QWidget *lead);
    void setTrail(QWidget *trail);
    void setIndent(int indent); ///< Pixels before the first part, while both and it have room in a line.

    void addItem(QLayoutItem *item) override;
    [[nodiscard]] int count() const override;
    [[nodiscard]] QLayoutItem *itemAt(int index) const override;
    QLayoutItem *takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override;
    [[nodiscard]] bool hasHeightForWidth() const override;
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize minimumSize() const override;
    [[nodiscard]] QSize sizeHint() const override;
    void setGeometry(const QRect &rect) override;

private:
    [[nodiscard]] bool isBroken(int width) const; ///< `width` without the margins.
    [[nodiscard]] int trailRoom() const; ///< Of the second part beside the first, with the gap.

    QLayoutItem *m_lead = nullptr;
    std::unique_ptr<QLayoutItem> m_leadOwner; ///< Empty for a layout, which its parent owns.
    std::unique_ptr<QLayoutItem> m_trail;
    int m_leastLead;
    int m_indent = 0;
};

} // namespace Pilothouse
