// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// What most tests of windows include beside the headers of pchtest.h.
#pragma once

#include "pchtest.h"

#include <QAbstractItemModel>
#include <QAccessible>
#include <QApplication>
#include <QBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
