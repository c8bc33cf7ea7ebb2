// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/controls/segmented.h"

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPainter>
#include <QRadioButton>
#include <QStyle>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

class Segment : public QRadioButton {
public:
    explicit Segment(const QString &text)
        : QRadioButton(text)
    {
        setAccessibleName(text);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    }
    [[nodiscard]] QSize sizeHint() const override
    {
        const Theme &theme = Theme::instance();
        const int room = theme.scheme() == Scheme::HighContrast ? Metrics::IconInline : 0; // For the check.
        return {QFontMetrics(theme.font(TextStyle::State)).horizontalAdvance(text()) + 2 * Metrics::SpaceM
                    + room,
                theme.px(Metrics::Segmented)};
    }
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    [[nodiscard]] bool hitButton(const QPoint &pos) const override { return rect().contains(pos); }
    void paintEvent(QPaintEvent *) override
    {
        const Theme &theme = Theme::instance();
        QPainter painter(this);
        if (isChecked())
            paintBox(&painter, QRectF(rect()), Role::Raised, Role::Control, Metrics::RadiusControlSmall);
        QRect words = rect();
        if (isChecked() && theme.scheme() == Scheme::HighContrast) {
            // Without tints the ground of the others is the same.
            paintChosenFrame(&painter, QRectF(rect()), Metrics::RadiusControlSmall);
            const int side = Metrics::IconInline;
            const QRect mark(Metrics::SpaceS, (height() - side) / 2, side, side);
            paintIcon(&painter, QStyle::visualRect(layoutDirection(), rect(), mark), u"check"_s, Role::Text);
            words.setLeft(mark.right() + 1);
            words = QStyle::visualRect(layoutDirection(), rect(), words);
        }
        const Role ink = isChecked() || underMouse() ? Role::Text : Role::Text2;
        painter.setFont(theme.font(isChecked() ? TextStyle::State : TextStyle::Small));
        painter.setPen(theme.color(isEnabled() ? ink : Role::Disabled));
        painter.drawText(words, Qt::AlignCenter | Qt::TextSingleLine, text());
    }
};

} // namespace

Segmented::Segmented(const QString &name, const QStringList &choices, QWidget *parent)
    : QWidget(parent)
    , m_group(new QButtonGroup(this))
{
    setAccessibleName(name);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (const QString &choice : choices) {
        auto *segment = new Segment(choice);
        m_group->addButton(segment, static_cast<int>(m_group->buttons().size()));
        row->addWidget(segment);
    }
    // Tab reaches the choice that is made, arrows the others, also when it was made by the program.
    connect(m_group, &QButtonGroup::idToggled, this, [this](int id, bool on) {
        m_group->button(id)->setFocusPolicy(on ? Qt::StrongFocus : Qt::ClickFocus);
    });
    for (QAbstractButton *segment : m_group->buttons())
        segment->setFocusPolicy(Qt::ClickFocus);
    setCurrent(0);
    connect(m_group, &QButtonGroup::idClicked, this, &Segmented::chosen);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        for (QAbstractButton *segment : m_group->buttons())
            segment->updateGeometry();
        update();
    });
}

int Segmented::current() const { return m_group->checkedId(); }

void Segmented::setCurrent(int index)
{
    if (QAbstractButton *found = m_group->button(index))
        found->setChecked(true);
}

QAbstractButton *Segmented::button(int index) const { return m_group->button(index); }

void Segmented::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paintBox(&painter, QRectF(rect()), Role::SelectedInactive, Role::Line, Metrics::RadiusControlSmall);
}

} // namespace Pilothouse
