// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "inspector/textbox.h"

#include "inspector/outputview.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QPainter>
#include <QVBoxLayout>

namespace Pilothouse {

namespace {
constexpr int Side = 1 + Metrics::SpaceXs; // The outline lies inside the box.
}

TextBox::TextBox(const QString &accessibleName, int mostLines, QWidget *parent)
    : QWidget(parent)
    , m_model(new OutputModel(this))
    , m_view(new OutputView(accessibleName))
    , m_mostLines(mostLines)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, Side, 1, Side);
    layout->addWidget(m_view);
    m_view->setGutterShown(false);
    m_view->setWrap(true);
    m_view->setFollowing(false);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setModel(m_model);
    connect(m_model, &OutputModel::changed, this, &TextBox::fit);
    connect(m_model, &OutputModel::loaded, this, &TextBox::fit);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void TextBox::setText(const QByteArray &utf8)
{
    if (utf8 == m_text && !utf8.isEmpty())
        return;
    m_text = utf8;
    m_model->setText(utf8);
    fit();
}

void TextBox::copy() { m_view->copy(); }

void TextBox::fit()
{
    const int lines = std::max(1, m_view->linesNeeded(m_mostLines));
    if (lines == m_lines)
        return;
    m_lines = lines;
    updateGeometry();
}

QSize TextBox::sizeHint() const { return {200, m_view->heightOfLines(m_lines) + 2 * Side}; }

QSize TextBox::minimumSizeHint() const { return {80, m_view->heightOfLines(m_lines) + 2 * Side}; }

void TextBox::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fit();
}

void TextBox::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paintBox(&painter, QRectF(rect()), Role::Sunken, Role::Line, Metrics::RadiusControl);
}

} // namespace Pilothouse
