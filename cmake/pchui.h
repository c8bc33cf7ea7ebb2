// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// For the areas under ui/: pch.h and what most widgets need. Loading it costs less than parsing these once.
#pragma once

#include "pch.h"

#include <QAbstractItemModel>
#include <QApplication>
#include <QBoxLayout>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QStyle>
#include <QStyleOption>
#include <QWidget>
