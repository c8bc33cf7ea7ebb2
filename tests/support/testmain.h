// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QObject>

class QString;

namespace Pilothouse::Tests {

/// Base of every test class: a Qt warning is a failure, paths are redirected, locale and time zone are fixed.
/// A test that must provoke a warning names it with QTest::ignoreMessage.
class Test : public QObject {
    Q_OBJECT
protected Q_SLOTS: // A test that has its own init() calls this one.
    void initTestCase();
    void cleanupTestCase();
    void init();
};

/// Bytes of tests/data/NAME; fails the test (and returns nothing) if it cannot be read.
[[nodiscard]] QByteArray testData(const QString &name);

} // namespace Pilothouse::Tests
