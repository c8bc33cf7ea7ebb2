// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/event.h"
#include "util/result.h"

#include <QByteArray>

#include <functional>

class QIODevice;

namespace Pilothouse {

class LogReader;

/// Writes to a device and remembers the first failure, so that an export need not ask after each piece.
class ExportWriter {
public:
    explicit ExportWriter(QIODevice &device)
        : m_device(device)
    { }
    void write(const QByteArray &bytes);
    [[nodiscard]] bool isGood() const { return m_isGood; }
    [[nodiscard]] Result<Done, Error> result() const;

private:
    QIODevice &m_device;
    bool m_isGood = true;
};

/// All events of a conversation in order, read in pages; `visit` returns false to end early.
[[nodiscard]] Result<Done, Error> forEachEvent(LogReader &reader, const QString &conversation,
                                               const std::function<bool(const Event &)> &visit);

} // namespace Pilothouse
