// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "platform/systemappearance.h"

#include <QGuiApplication>
#include <QStyleHints>

#if defined(Q_OS_LINUX) && defined(PILOTHOUSE_DBUS)
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFileInfo>
#endif

namespace Pilothouse {

using namespace Qt::StringLiterals;

#if defined(Q_OS_LINUX) && defined(PILOTHOUSE_DBUS)

namespace {

const auto Service = u"org.freedesktop.portal.Desktop"_s;
const auto Path = u"/org/freedesktop/portal/desktop"_s;
const auto Interface = u"org.freedesktop.portal.Settings"_s;
const auto Group = u"org.freedesktop.appearance"_s;
constexpr uint PrefersDark = 1;
constexpr uint PrefersMoreContrast = 1;
constexpr int AnswerLimitMs = 5000; // The answer is not waited for; this only ends the call.

// Without a running bus Qt would start one, which takes long and is of no use here.
bool hasSessionBus()
{
    return !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS")
        || QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + u"/bus"_s);
}

// Read wraps its answer once more than SettingChanged does.
QVariant plain(QVariant value)
{
    for (int depth = 0; depth < 3 && value.canConvert<QDBusVariant>(); ++depth)
        value = value.value<QDBusVariant>().variant();
    return value;
}

} // namespace

/// The desktop's settings by the portal that all of them offer.
class SystemAppearance::Portal : public QObject {
    Q_OBJECT
public:
    explicit Portal(SystemAppearance *owner)
        : m_owner(owner)
    {
        QDBusConnection bus = QDBusConnection::sessionBus();
        if (!bus.isConnected())
            return;
        bus.connect(Service, Path, Interface, u"SettingChanged"_s, this,
                    SLOT(onSettingChanged(QString, QString, QDBusVariant)));
        for (const QString &key : {u"color-scheme"_s, u"contrast"_s}) {
            QDBusMessage call = QDBusMessage::createMethodCall(Service, Path, Interface, u"Read"_s);
            call.setArguments({Group, key});
            call.setAutoStartService(false);
            auto *watcher = new QDBusPendingCallWatcher(bus.asyncCall(call, AnswerLimitMs), this);
            connect(watcher, &QDBusPendingCallWatcher::finished, this,
                    [this, key](QDBusPendingCallWatcher *done) {
                        const QDBusPendingReply<QDBusVariant> reply = *done;
                        if (reply.isValid())
                            take(key, plain(QVariant::fromValue(reply.value())));
                        done->deleteLater();
                    });
        }
    }

private Q_SLOTS:
    void onSettingChanged(const QString &group, const QString &key, const QDBusVariant &value)
    {
        if (group == Group)
            take(key, plain(value.variant()));
    }

private:
    void take(const QString &key, const QVariant &value)
    {
        if (key == "color-scheme"_L1)
            m_owner->setDark(value.toUInt() == PrefersDark);
        else if (key == "contrast"_L1)
            m_owner->setHighContrast(value.toUInt() == PrefersMoreContrast);
    }

    SystemAppearance *m_owner;
};

#else

class SystemAppearance::Portal { };

#endif

SystemAppearance::SystemAppearance(bool darkPalette, QObject *parent)
    : QObject(parent)
    , m_dark(darkPalette)
{
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    const QStyleHints *hints = QGuiApplication::styleHints();
    if (hints->colorScheme() != Qt::ColorScheme::Unknown)
        m_dark = hints->colorScheme() == Qt::ColorScheme::Dark;
    connect(hints, &QStyleHints::colorSchemeChanged, this,
            [this](Qt::ColorScheme scheme) { setDark(scheme == Qt::ColorScheme::Dark); });
#endif
#if defined(Q_OS_LINUX) && defined(PILOTHOUSE_DBUS)
    if (hasSessionBus())
        m_portal = std::make_unique<Portal>(this);
#endif
}

SystemAppearance::~SystemAppearance() = default;

void SystemAppearance::setDark(bool dark)
{
    if (m_dark == dark)
        return;
    m_dark = dark;
    Q_EMIT changed();
}

void SystemAppearance::setHighContrast(bool highContrast)
{
    if (m_highContrast == highContrast)
        return;
    m_highContrast = highContrast;
    Q_EMIT changed();
}

} // namespace Pilothouse

#if defined(Q_OS_LINUX) && defined(PILOTHOUSE_DBUS)
#include "systemappearance.moc"
#endif
