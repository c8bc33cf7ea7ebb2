// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <algorithm>
#include <ctime>

namespace Pilothouse::Tests {

/// How long this thread was busy at a stretch, while its event loop runs: no input is taken in that time. In
/// processor time, so that a machine that has other work does not count; in wall time for benchmarks.
class StallMeter : public QObject {
public:
    StallMeter()
    {
        m_timer.setInterval(0);
        connect(&m_timer, &QTimer::timeout, this, [this] { tick(); });
        m_wall.start();
        m_cpu = cpuNs();
        m_timer.start();
    }
    [[nodiscard]] double worstCpuMs() const { return static_cast<double>(m_worstCpu) / 1e6; }
    [[nodiscard]] double worstWallMs() const { return static_cast<double>(m_worstWall) / 1e6; }

private:
    static qint64 cpuNs()
    {
        timespec now = {};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return qint64(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    }
    void tick()
    {
        const qint64 cpu = cpuNs();
        m_worstCpu = std::max(m_worstCpu, cpu - m_cpu);
        m_cpu = cpu;
        m_worstWall = std::max(m_worstWall, m_wall.nsecsElapsed());
        m_wall.restart();
    }

    QTimer m_timer;
    QElapsedTimer m_wall;
    qint64 m_cpu = 0;
    qint64 m_worstCpu = 0;
    qint64 m_worstWall = 0;
};

} // namespace Pilothouse::Tests
