// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/errorbar.h"

#include "theme/controls/errorblock.h"
#include "theme/metrics.h"

#include <QApplication>
#include <QVBoxLayout>

namespace Pilothouse {

ErrorBar::ErrorBar(QWidget *parent)
    : QWidget(parent)
    , m_block(new ErrorBlock)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(Metrics::SpaceM, Metrics::SpaceS, Metrics::SpaceM, Metrics::SpaceS);
    layout->addWidget(m_block);
    m_block->setDismissible(true);
    connect(m_block, &ErrorBlock::dismissed, this, &ErrorBar::dismiss);
    connect(m_block, &ErrorBlock::actionRequested, this, &ErrorBar::actionRequested);
    hide();
}

void ErrorBar::showError(const Error &error)
{
    m_stays = error.kind == ErrorKind::Storage || error.kind == ErrorKind::NotOwner;
    m_block->setError(error);
    setVisible(true);
}

void ErrorBar::setAction(const QString &text) { m_block->setAction(text); }

QString ErrorBar::text() const { return m_block->text(); }

void ErrorBar::letGo()
{
    if (!m_stays)
        dismiss();
}

void ErrorBar::dismiss()
{
    if (isHidden())
        return;
    const QWidget *focused = QApplication::focusWidget();
    const bool hadFocus = focused && isAncestorOf(focused);
    setAction({});
    hide();
    Q_EMIT dismissed(hadFocus);
}

} // namespace Pilothouse
