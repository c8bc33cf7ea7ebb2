// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "keycommands.h"

#include "exitcodes.h"
#include "terminal.h"
#include "text/inerttext.h"
#include "util/json.h"

#include <QFile>

#include <cstdio>

namespace Pilothouse::Cli {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 LargestKey = 4096; // What is longer is no key.
constexpr qsizetype MostKeyShown = 60;

QString sourceWord(ServiceInfo::KeySource source)
{
    switch (source) {
    case ServiceInfo::KeySource::NotNeeded:
        return u"none needed"_s;
    case ServiceInfo::KeySource::None:
        return u"none"_s;
    case ServiceInfo::KeySource::Environment:
        return u"environment"_s;
    case ServiceInfo::KeySource::Session:
        return u"session"_s;
    case ServiceInfo::KeySource::Keychain:
        return u"keychain"_s;
    }
    return {};
}

} // namespace

KeyCommand::KeyCommand(Engine *engine, QStringList words, bool json, Console *console)
    : m_engine(engine)
    , m_words(std::move(words))
    , m_json(json)
    , m_console(console)
{ }

QString KeyCommand::usage()
{
    return u"keys list [--json] | set SERVICE (reads standard input) | delete SERVICE"_s;
}

void KeyCommand::start()
{
    const QString verb = m_words.value(0);
    if (verb == "list"_L1 && m_words.size() == 1) {
        m_engine->services(this, [this](const QList<ServiceInfo> &services) { list(services); });
    } else if (verb == "set"_L1 && m_words.size() == 2) {
        withService(&KeyCommand::set);
    } else if (verb == "delete"_L1 && m_words.size() == 2) {
        withService(&KeyCommand::forget);
    } else {
        m_console->err(u"usage: pilothouse-cli "_s + usage());
        Q_EMIT done(UsageError);
    }
}

void KeyCommand::withService(void (KeyCommand::*then)(const ServiceInfo &))
{
    m_engine->services(this, [this, then](const QList<ServiceInfo> &services) {
        QStringList known;
        for (const ServiceInfo &service : services) {
            if (service.keyVariables.isEmpty())
                continue;
            if (service.id == m_words[1]) {
                (this->*then)(service);
                return;
            }
            known.append(service.id);
        }
        m_console->error(
            Error{ErrorKind::Usage,
                  u"There is no service \"%1\" that takes a key."_s.arg(inertLine(m_words[1], MostKeyShown)),
                  u"Nothing was changed."_s, u"Name one of: %1."_s.arg(known.join(u", "_s))});
        Q_EMIT done(UsageError);
    });
}

void KeyCommand::list(const QList<ServiceInfo> &services)
{
    Json all = Json::array();
    for (const ServiceInfo &service : services) {
        if (service.keyVariables.isEmpty())
            continue;
        if (m_json) {
            Json entry = Json::object();
            entry.set(u"service"_s, Json::string(service.id));
            entry.set(u"source"_s, Json::string(sourceWord(service.keySource)));
            entry.set(u"variable"_s, Json::string(service.keyVariables.join(u' ')));
            entry.set(u"endpoint"_s, Json::string(service.endpoint));
            entry.set(u"hint"_s, Json::string(service.keyHint));
            entry.set(u"problem"_s, service.keyProblem ? Json::string(service.keyProblem->message) : Json());
            all.append(entry);
            continue;
        }
        QString line = service.id.leftJustified(24) + sourceWord(service.keySource).leftJustified(14)
            + service.keyHint.leftJustified(16) + service.keyVariables.join(u", "_s);
        if (service.keyProblem)
            line += u"  "_s + service.keyProblem->message;
        else if (!service.keyWithheld.isEmpty())
            line += u"  given for another address, not used"_s;
        m_console->outLine(line);
    }
    if (m_json)
        m_console->outJson(all.toJson() + '\n');
    Q_EMIT done(Finished);
}

void KeyCommand::set(const ServiceInfo &service)
{
    QByteArray text;
    {
        const HiddenInput hidden; // A terminal shows nothing of it.
        if (HiddenInput::isTerminal())
            m_console->err(u"Key for %1 (not shown), then Enter:"_s.arg(service.name));
        QFile in;
        if (in.open(stdin, QIODevice::ReadOnly))
            text = HiddenInput::isTerminal() ? in.readLine(LargestKey) : in.read(LargestKey);
    }
    const Secret key(text.trimmed());
    text.fill('\0');
    if (key.isEmpty()) {
        m_console->error(
            Error{ErrorKind::Usage, u"Standard input held no key."_s, u"Nothing was changed."_s,
                  u"Write it there, as in: pilothouse-cli keys set %1 < FILE"_s.arg(service.id)});
        Q_EMIT done(UsageError);
        return;
    }
    m_engine->enterKey(
        service.id, service.keyVariables.constFirst(), key, KeyRing::Place::Keychain, this,
        [this, service](const Result<Done, Error> &result) {
            Result<Done, Error> told = result;
            if (!result) { // This program ends now, and its session with it.
                Error error = result.error();
                error.kept = u"The key was not stored."_s;
                told = ::Pilothouse::fail(error);
            }
            finish(told, u"The key of %1 is in the keychain, for %2."_s.arg(service.name, service.endpoint));
        });
}

void KeyCommand::forget(const ServiceInfo &service)
{
    m_engine->forgetKey(
        service.id, service.keyVariables.constFirst(), this,
        [this, service](const Result<Done, Error> &result) {
            finish(result, u"The keychain holds no key of %1 for %2."_s.arg(service.name, service.endpoint));
        });
}

void KeyCommand::finish(const Result<Done, Error> &result, const QString &words)
{
    if (!result) {
        m_console->error(result.error());
        Q_EMIT done(exitCodeOf(result.error()));
        return;
    }
    m_console->outLine(words);
    Q_EMIT done(Finished);
}

} // namespace Pilothouse::Cli
