// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/sandboxdfixture.h"

#include "util/json.h"

#include <QElapsedTimer>

#include <csignal>
#include <filesystem>
#include <sys/prctl.h>

namespace Pilothouse::Tests {

using namespace Qt::StringLiterals;

namespace {

constexpr int StartLimitMs = 20000; // A loaded machine under a sanitizer; usually 0.1 s.
constexpr int StopLimitMs = 20000;

} // namespace

SandboxdFixture::SandboxdFixture()
    : m_key("test-key-0123456789abcdef")
{
    m_folder.setAutoRemove(false);
}

SandboxdFixture::~SandboxdFixture()
{
    stop();
    // Sandboxes leave names that are no text, which QTemporaryDir cannot remove.
    std::error_code ignored;
    std::filesystem::remove_all(m_folder.path().toStdString(), ignored);
}

QString SandboxdFixture::programPath() { return QStringLiteral(PH_PROGRAM_ROOT) + u"/pilothouse-sandboxd"_s; }

QString SandboxdFixture::dataFolder() const { return m_folder.filePath(u"sandboxd"_s); }

bool SandboxdFixture::start(const QStringList &moreArguments, const QStringList &moreEnvironment)
{
    m_errorText.clear();
    m_exitCode = -1;
    m_process = std::make_unique<QProcess>();
    QStringList environment = QProcess::systemEnvironment();
    environment.append(u"SUPERSERVE_API_KEY="_s + QString::fromLatin1(m_key));
    environment.append(moreEnvironment);
    m_process->setEnvironment(environment);
    m_process->setWorkingDirectory(m_workingFolder);
    // A test that crashes must not leave a service behind.
    m_process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
    m_process->start(programPath(),
                     QStringList({u"--listen"_s, u"127.0.0.1:0"_s, u"--data-dir"_s, dataFolder()})
                         + moreArguments);
    QByteArray line;
    QElapsedTimer timer;
    timer.start();
    while (!line.endsWith('\n') && timer.elapsed() < StartLimitMs) {
        if (!m_process->waitForReadyRead(1000) && m_process->state() == QProcess::NotRunning)
            break;
        line += m_process->readAllStandardOutput();
    }
    const auto ready = parseJson(line.trimmed());
    if (!ready || !(*ready)[u"ready"].toBool()) {
        kill();
        return false;
    }
    m_base = QUrl((*ready)[u"base"].toString());
    m_data = QUrl((*ready)[u"data"].toString());
    return true;
}

void SandboxdFixture::collectEnd()
{
    m_errorText += m_process->readAllStandardError();
    m_exitCode = m_process->exitStatus() == QProcess::NormalExit ? m_process->exitCode() : -1;
    m_process.reset();
}

void SandboxdFixture::stop()
{
    if (!m_process)
        return;
    m_process->terminate();
    if (!m_process->waitForFinished(StopLimitMs)) {
        m_process->kill();
        m_process->waitForFinished(StopLimitMs);
    }
    collectEnd();
}

void SandboxdFixture::kill()
{
    if (!m_process)
        return;
    m_process->kill();
    m_process->waitForFinished(StopLimitMs);
    collectEnd();
}

bool SandboxdFixture::waitForEnd(int milliseconds)
{
    if (!m_process)
        return true;
    if (m_process->state() != QProcess::NotRunning && !m_process->waitForFinished(milliseconds))
        return false;
    collectEnd();
    return true;
}

} // namespace Pilothouse::Tests
