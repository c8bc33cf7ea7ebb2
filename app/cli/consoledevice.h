// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "console.h"

#include <QIODevice>

namespace Pilothouse::Cli {

/// Standard output as a device for exporters. What goes wrong is noted by the console, as with every other
/// output; a write after that fails.
class ConsoleDevice : public QIODevice {
public:
    explicit ConsoleDevice(Console *console)
        : m_console(console)
    {
        open(QIODevice::WriteOnly | QIODevice::Unbuffered);
    }
    [[nodiscard]] bool isSequential() const override { return true; }

protected:
    qint64 readData(char *, qint64) override { return -1; }
    qint64 writeData(const char *data, qint64 size) override
    {
        m_console->out(QByteArray::fromRawData(data, size));
        return m_console->readerGone() ? -1 : size;
    }

private:
    Console *m_console;
};

} // namespace Pilothouse::Cli
