// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "engine/backends.h"

#include "engine/appsettings.h"
#include "net/networkaccess.h"
#include "sandbox/localservice.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QStandardPaths>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString findSandboxd(const QString &option)
{
    if (!option.isEmpty())
        return option;
    const QString name = u"pilothouse-sandboxd"_s;
    const QString beside = QDir(QCoreApplication::applicationDirPath()).filePath(name);
    return QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(name);
}

} // namespace

Backends::Backends(const EngineOptions &options, NetworkAccess *network, const SecretStore *secrets,
                   QObject *parent)
    : QObject(parent)
    , m_options(options)
    , m_network(network)
    , m_secrets(secrets)
{ }

Backends::~Backends() = default;

Secret Backends::superserveKey() const { return m_secrets->fromVariable(u"SUPERSERVE_API_KEY"_s); }

bool Backends::hasSuperserveKey() const { return !superserveKey().isEmpty(); }

// Turns that hold the old client end with it.
void Backends::forgetKeys()
{
    if (m_superserve)
        m_superserve.release()->setParent(this);
}

QString Backends::defaultBackend() const
{
    for (const QString &choice : {m_options.backend, m_options.environment(u"PILOTHOUSE_SANDBOX"_s),
                                  AppSettings(m_options.dataDir).backend()}) {
        if (choice == "local"_L1 || choice == "superserve"_L1)
            return choice;
    }
    return hasSuperserveKey() ? u"superserve"_s : u"local"_s;
}

bool Backends::isLost(const SandboxClient *client) const
{
    return client != m_superserve.get()
        && (client != m_local.get() || !m_localService || !m_localService->isReady());
}

void Backends::client(const QString &backend, QObject *context, ClientReply reply)
{
    const auto answer = [context = QPointer<QObject>(context),
                         reply](const Result<SandboxClient *, Error> &result) {
        if (context)
            reply(result);
    };
    const auto answerLater = [this, answer](const Result<SandboxClient *, Error> &result) {
        QMetaObject::invokeMethod(
            this, [answer, result] { answer(result); }, Qt::QueuedConnection);
    };
    if (backend == "superserve"_L1) {
        if (!m_superserve) {
            const Secret key = superserveKey();
            if (key.isEmpty()) {
                answerLater(
                    fail(Error{ErrorKind::KeyMissing, u"There is no Superserve key for the address in use."_s,
                               u"Nothing was sent."_s,
                               u"Enter one in the settings, set SUPERSERVE_API_KEY, or use the local sandbox "
                               "(--sandbox local)."_s}));
                return;
            }
            const auto setting = [this](const QString &option, const QString &variable) {
                return option.trimmed().isEmpty() ? m_options.environment(variable) : option;
            };
            m_superserve = std::make_unique<SandboxClient>(
                m_network,
                SandboxEndpoint::superserve(key, setting(m_options.superserveUrl, u"SUPERSERVE_BASE_URL"_s),
                                            setting(m_options.superserveDataUrl, u"SUPERSERVE_DATA_URL"_s)));
        }
        answerLater(m_superserve.get());
        return;
    }
    if (!m_localService) {
        const QString program = findSandboxd(m_options.sandboxdProgram);
        if (program.isEmpty()) {
            answerLater(fail(
                Error{ErrorKind::SandboxUnavailable, u"The program pilothouse-sandboxd was not found."_s,
                      u"Nothing was lost."_s,
                      u"Install Pilothouse whole, or set SUPERSERVE_API_KEY to use hosted sandboxes."_s}));
            return;
        }
        m_localService = new LocalService(m_network, m_options.dataDir, program, this);
    }
    m_localService->ensure(this, [this, answer](const Result<SandboxEndpoint, Error> &endpoint) {
        if (!endpoint) {
            answer(fail(endpoint.error()));
            return;
        }
        const QByteArray origin = endpoint->control.toEncoded();
        if (!m_local || origin != m_localOrigin) {
            // The service was started anew elsewhere. Turns that hold the old client end with their own
            // errors.
            if (m_local)
                m_local.release()->setParent(this);
            m_local = std::make_unique<SandboxClient>(m_network, *endpoint);
            m_localOrigin = origin;
        }
        answer(m_local.get());
    });
}

} // namespace Pilothouse
