// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop_presence.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFileInfo>
#include <QUuid>
#include <QVariantMap>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

const QString application = QStringLiteral("org.batchpeak.Batchpeak");
const QString applicationName = QStringLiteral("Batchpeak");

const QString notifications = QStringLiteral("org.freedesktop.Notifications");
const QString notificationsPath = QStringLiteral("/org/freedesktop/Notifications");
const QString screenSaver = QStringLiteral("org.freedesktop.ScreenSaver");
const QString screenSaverPath = QStringLiteral("/org/freedesktop/ScreenSaver");
const QString portal = QStringLiteral("org.freedesktop.portal.Desktop");
const QString portalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString portalInhibit = QStringLiteral("org.freedesktop.portal.Inhibit");
const QString portalRequest = QStringLiteral("org.freedesktop.portal.Request");

// Flag of the portal that inhibits suspending but not the screen.
constexpr uint flagSuspend = 4;

/// Returns the address of the session bus; empty if there is none. Without an address libdbus would start a
/// bus of its own, and wait for that.
QString addressOfEnvironment()
{
    QString address = qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS");
    if (!address.isEmpty())
        return address;
    const QString socket = qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus");
    return QFileInfo::exists(socket) ? QStringLiteral("unix:path=") + socket : QString();
}

QDBusMessage call(const QString& service, const QString& path, const QString& interface,
                  const QString& method, const QVariantList& arguments)
{
    QDBusMessage message = QDBusMessage::createMethodCall(service, path, interface, method);
    message.setArguments(arguments);
    return message;
}

/// Calls \p then with the reply, once it has arrived.
template<typename Reply, typename Then>
void whenAnswered(QDBusConnection& bus, const QDBusMessage& message, QObject* context, Then then)
{
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(message), context);
    QObject::connect(watcher, &QDBusPendingCallWatcher::finished, context, [watcher, then] {
        watcher->deleteLater();
        then(Reply(*watcher));
    });
}

} // namespace

DesktopPresence::DesktopPresence(QString busAddress, QObject* parent)
    : QObject(parent), m_busAddress(std::move(busAddress))
{}

DesktopPresence::~DesktopPresence()
{
    showProgress(std::nullopt);
    keepAwake(QString());
    if (m_bus)
        QDBusConnection::disconnectFromBus(m_busName);
}

QDBusConnection* DesktopPresence::bus()
{
    if (!std::exchange(m_hasLooked, true)) {
        const QString address = m_busAddress.isEmpty() ? addressOfEnvironment() : m_busAddress;
        if (address.isEmpty())
            return nullptr;
        m_busName = QUuid::createUuid().toString(QUuid::WithoutBraces);
        auto connection = QDBusConnection::connectToBus(address, m_busName);
        if (connection.isConnected()) {
            m_bus = std::make_unique<QDBusConnection>(connection);
            m_bus->connect(QString(), notificationsPath, notifications, QStringLiteral("ActionInvoked"), this,
                           SLOT(takeAction(uint, QString)));
        } else {
            QDBusConnection::disconnectFromBus(m_busName);
        }
    }
    return m_bus.get();
}

void DesktopPresence::showProgress(std::optional<double> share)
{
    const auto percent =
        share ? std::optional(static_cast<int>(std::floor(100.0 * std::clamp(*share, 0.0, 1.0))))
              : std::nullopt;
    if (percent == m_percent)
        return;
    m_percent = percent;
    QDBusConnection* const connection = bus();
    if (!connection)
        return;
    // In the format that KDE's task manager and the docks of Ubuntu and elementary read.
    QDBusMessage update = QDBusMessage::createSignal(QStringLiteral("/org/batchpeak/Batchpeak"),
                                                     QStringLiteral("com.canonical.Unity.LauncherEntry"),
                                                     QStringLiteral("Update"));
    update << QStringLiteral("application://%1.desktop").arg(application)
           << QVariantMap{{QStringLiteral("progress"), percent.value_or(0) / 100.0},
                          {QStringLiteral("progress-visible"), percent.has_value()}};
    connection->send(update);
}

void DesktopPresence::keepAwake(const QString& why)
{
    if (why == m_why)
        return;
    const bool begins = m_why.isEmpty();
    m_why = why;
    if (why.isEmpty()) {
        if (m_hold)
            letGo(*std::exchange(m_hold, std::nullopt));
    } else if (begins && !m_isAsking && bus()) {
        askPortal();
    }
}

void DesktopPresence::askPortal()
{
    m_isAsking = true;
    const QDBusMessage message =
        call(portal, portalPath, portalInhibit, QStringLiteral("Inhibit"),
             {QString(), flagSuspend, QVariantMap{{QStringLiteral("reason"), m_why}}});
    using Reply = QDBusPendingReply<QDBusObjectPath>;
    whenAnswered<Reply>(*m_bus, message, this, [this](const Reply& reply) {
        if (reply.isError())
            askScreenSaver();
        else
            takeHold({.service = portal,
                      .path = reply.value().path(),
                      .interface = portalRequest,
                      .method = QStringLiteral("Close"),
                      .arguments = {}});
    });
}

void DesktopPresence::askScreenSaver()
{
    const QDBusMessage message =
        call(screenSaver, screenSaverPath, screenSaver, QStringLiteral("Inhibit"), {applicationName, m_why});
    using Reply = QDBusPendingReply<uint>;
    whenAnswered<Reply>(*m_bus, message, this, [this](const Reply& reply) {
        if (reply.isError())
            m_isAsking = false;
        else
            takeHold({.service = screenSaver,
                      .path = screenSaverPath,
                      .interface = screenSaver,
                      .method = QStringLiteral("UnInhibit"),
                      .arguments = {reply.value()}});
    });
}

void DesktopPresence::takeHold(Hold hold)
{
    m_isAsking = false;
    // The request may be obsolete by now.
    if (m_why.isEmpty())
        letGo(hold);
    else
        m_hold = std::move(hold);
}

void DesktopPresence::letGo(const Hold& hold)
{
    m_bus->send(call(hold.service, hold.path, hold.interface, hold.method, hold.arguments));
}

void DesktopPresence::notify(const QString& title, const QString& text)
{
    QDBusConnection* const connection = bus();
    if (!connection)
        return;
    const QStringList actions{QStringLiteral("default"), tr("Show")};
    const QVariantMap hints{{QStringLiteral("desktop-entry"), application}};
    // Lets the desktop decide how long the notification is shown.
    constexpr int defaultTime = -1;
    const QDBusMessage message =
        call(notifications, notificationsPath, notifications, QStringLiteral("Notify"),
             {applicationName, m_notification, application, title, text.toHtmlEscaped(), actions, hints,
              defaultTime});
    using Reply = QDBusPendingReply<uint>;
    whenAnswered<Reply>(*connection, message, this, [this](const Reply& reply) {
        if (!reply.isError())
            m_notification = reply.value();
    });
}

void DesktopPresence::takeAction(uint id, const QString& action)
{
    if (id == m_notification && action == QLatin1String("default"))
        emit activated();
}

} // namespace batchpeak::ui
