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
    enum class Kind { Json = 1, Other };
    ConsoleDevice(Console *console, Kind kind)
        : m_console(console)
        , m_kind(kind)
    {
        open(QIODevice::WriteOnly | QIODevice::Unbuffered);
    }
    [[nodiscard]] bool isSequential() const override { return true; }

protected:
    qint64 readData(char *, qint64) override { return -1; }
    qint64 writeData(const char *data, qint64 size) override
    {
        const QByteArray bytes = QByteArray::fromRawData(data, size);
        if (m_kind == Kind::Json)
            m_console->outJson(bytes); // Exporters write whole events.
        else
            m_console->out(bytes);
        return m_console->readerGone() ? -1 : size;
    }

private:
    Console *m_console;
    Kind m_kind;
};

} // namespace Pilothouse::Cli
