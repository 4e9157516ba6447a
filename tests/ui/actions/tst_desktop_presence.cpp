// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/desktop_presence.h"
#include "actions/window_desktop.h"
#include "sample_snapshots.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDBusPendingCallWatcher>
#include <QDBusVirtualObject>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QWidget>

using namespace batchpeak;
using namespace batchpeak::ui;
using Holder = engine::DeviceLease::Holder;

namespace {

/// A private session bus.
class PrivateBus
{
public:
    /// \return whether it is running
    bool start()
    {
        const QString program = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
        if (program.isEmpty() || !m_folder.isValid())
            return false;
        m_daemon.start(program,
                       {QStringLiteral("--session"), QStringLiteral("--nofork"),
                        QStringLiteral("--print-address"),
                        QStringLiteral("--address=unix:path=") + m_folder.filePath(QStringLiteral("bus"))});
        if (!m_daemon.waitForStarted() || !m_daemon.waitForReadyRead())
            return false;
        m_address = QString::fromUtf8(m_daemon.readLine()).trimmed();
        return !m_address.isEmpty();
    }
    void stop()
    {
        m_daemon.kill();
        m_daemon.waitForFinished();
    }
    ~PrivateBus() { stop(); }
    const QString& address() const { return m_address; }

private:
    QTemporaryDir m_folder;
    QProcess m_daemon;
    QString m_address;
};

const QStringList everything{QStringLiteral("org.freedesktop.Notifications"),
                             QStringLiteral("org.freedesktop.ScreenSaver"),
                             QStringLiteral("org.freedesktop.portal.Desktop")};

} // namespace

/// Fake of some services of a desktop, which records each call as a line.
class FakeDesktop : public QDBusVirtualObject
{
    Q_OBJECT

public:
    FakeDesktop(const QString& address, const QStringList& services)
        : m_bus(QDBusConnection::connectToBus(address, QStringLiteral("fake desktop")))
    {
        m_bus.registerVirtualObject(QStringLiteral("/"), this, QDBusConnection::SubPath);
        for (const QString& service : services)
            m_bus.registerService(service);
        m_bus.connect(QString(), QString(), QStringLiteral("com.canonical.Unity.LauncherEntry"),
                      QStringLiteral("Update"), this, SLOT(takeProgress(QString, QVariantMap)));
    }
    ~FakeDesktop() override { QDBusConnection::disconnectFromBus(QStringLiteral("fake desktop")); }

    QString introspect(const QString& /*path*/) const override { return {}; }

    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override
    {
        const QVariantList arguments = message.arguments();
        const QString interface = message.interface().section(QLatin1Char('.'), -1);
        QString line = interface + QLatin1Char(' ') + message.member();
        QVariantList answer;
        if (message.member() == QLatin1String("Notify")) {
            line += QStringLiteral(": %1; %2").arg(arguments.at(3).toString(), arguments.at(4).toString());
            answer = {7U};
        } else if (interface == QLatin1String("ScreenSaver")) {
            line += QStringLiteral(": ") + arguments.last().toString();
            if (message.member() == QLatin1String("Inhibit"))
                answer = {41U};
        } else if (message.member() == QLatin1String("Inhibit")) {
            line += QStringLiteral(": %1").arg(arguments.at(1).toUInt());
            answer = {QVariant::fromValue(QDBusObjectPath(QStringLiteral("/request/1")))};
        } else {
            line += QStringLiteral(": ") + message.path();
        }
        calls << line;
        connection.send(message.createReply(answer));
        return true;
    }

    void click(uint notification)
    {
        QDBusMessage signal = QDBusMessage::createSignal(QStringLiteral("/org/freedesktop/Notifications"),
                                                         QStringLiteral("org.freedesktop.Notifications"),
                                                         QStringLiteral("ActionInvoked"));
        signal << notification << QStringLiteral("default");
        m_bus.send(signal);
    }

    QStringList calls;

public slots:
    void takeProgress(const QString& application, const QVariantMap& properties)
    {
        const bool isShown = properties.value(QStringLiteral("progress-visible")).toBool();
        calls << QStringLiteral("%1 %2").arg(
            application, isShown ? QString::number(properties.value(QStringLiteral("progress")).toDouble())
                                 : QStringLiteral("hidden"));
    }

private:
    QDBusConnection m_bus;
};

class DesktopPresenceTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<PrivateBus> m_bus;

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init()
    {
        m_bus = std::make_unique<PrivateBus>();
        if (!m_bus->start())
            QSKIP("There is no dbus-daemon here; install dbus-daemon to test what the desktop is told.");
    }
    void cleanup() { m_bus.reset(); }

    void reportsProgressInWholePercent()
    {
        FakeDesktop desktop(m_bus->address(), {});
        DesktopPresence presence(m_bus->address());
        presence.showProgress(0.101);
        presence.showProgress(0.109);
        presence.showProgress(0.42);
        presence.showProgress(std::nullopt);
        presence.showProgress(std::nullopt);
        const QString application = QStringLiteral("application://org.batchpeak.Batchpeak.desktop ");
        TRY_COMPARE(desktop.calls,
                    (QStringList{application + QStringLiteral("0.1"), application + QStringLiteral("0.42"),
                                 application + QStringLiteral("hidden")}));
    }

    void keepsTheComputerAwakeAndLetsItSleep_data()
    {
        rows<QStringList, QStringList>(
            {{"the portal, which leaves the screen alone",
              {everything,
               {QStringLiteral("Inhibit Inhibit: 4"), QStringLiteral("Request Close: /request/1")}}},
             {"the screen saver",
              {{everything.at(1)},
               {QStringLiteral("ScreenSaver Inhibit: a trial"),
                QStringLiteral("ScreenSaver UnInhibit: 41")}}}});
    }
    void keepsTheComputerAwakeAndLetsItSleep()
    {
        const auto& [services, calls] = row<QStringList, QStringList>();
        FakeDesktop desktop(m_bus->address(), services);
        DesktopPresence presence(m_bus->address());
        presence.keepAwake(QStringLiteral("a trial"));
        presence.keepAwake(QStringLiteral("a trial"));
        TRY_COMPARE(desktop.calls, calls.mid(0, 1));
        // Wait until the answer has arrived.
        QTest::qWait(50);
        presence.keepAwake(QString());
        TRY_COMPARE(desktop.calls, calls);
    }

    void releasesTheInhibitionWhenTheAnswerIsLate()
    {
        FakeDesktop desktop(m_bus->address(), everything);
        DesktopPresence presence(m_bus->address());
        presence.keepAwake(QStringLiteral("a trial"));
        presence.keepAwake(QString());
        TRY_COMPARE(desktop.calls.size(), 2);
        QCOMPARE(desktop.calls.back(), QStringLiteral("Request Close: /request/1"));
    }

    void releasesTheInhibitionWhenDestroyed()
    {
        FakeDesktop desktop(m_bus->address(), everything);
        {
            DesktopPresence presence(m_bus->address());
            presence.keepAwake(QStringLiteral("a trial"));
            TRY_COMPARE(desktop.calls.size(), 1);
            QTest::qWait(50);
        }
        TRY_COMPARE(desktop.calls.size(), 2);
    }

    void notifiesAndReportsTheClick()
    {
        FakeDesktop desktop(m_bus->address(), everything);
        DesktopPresence presence(m_bus->address());
        const QSignalSpy activated(&presence, &DesktopPresence::activated);
        presence.notify(QStringLiteral("Micro-batch size 192"), QStringLiteral("1 < 2"));
        TRY_COMPARE(desktop.calls,
                    QStringList{QStringLiteral("Notifications Notify: Micro-batch size 192; 1 &lt; 2")});
        QTest::qWait(50);
        desktop.click(8);
        desktop.click(7);
        TRY_COMPARE(activated.count(), 1);
    }

    void toleratesMissingServices_data()
    {
        rows<bool>({{"a desktop that offers nothing", true}, {"no bus", false}});
    }
    void toleratesMissingServices()
    {
        std::unique_ptr<FakeDesktop> desktop;
        if (row<bool>())
            desktop = std::make_unique<FakeDesktop>(m_bus->address(), QStringList());
        else
            m_bus->stop();
        DesktopPresence presence(m_bus->address());
        const QSignalSpy activated(&presence, &DesktopPresence::activated);
        presence.showProgress(0.5);
        presence.keepAwake(QStringLiteral("a trial"));
        presence.notify(QStringLiteral("title"), QStringLiteral("text"));
        // No call still waits for an answer.
        TRY_VERIFY(presence.findChildren<QDBusPendingCallWatcher*>().isEmpty());
        presence.keepAwake(QString());
        presence.showProgress(std::nullopt);
        QVERIFY(activated.isEmpty());
        // Progress is a signal, which needs no service.
        const QString application = QStringLiteral("application://org.batchpeak.Batchpeak.desktop ");
        if (desktop)
            TRY_COMPARE(desktop->calls, (QStringList{application + QStringLiteral("0.5"),
                                                     application + QStringLiteral("hidden")}));
    }

    void followsTheWindow()
    {
        FakeDesktop desktop(m_bus->address(), {everything.at(0), everything.at(1)});
        QWidget window;
        auto lease = std::make_shared<engine::DeviceLease>();
        WindowDesktop words(&window, lease, new DesktopPresence(m_bus->address()));
        const engine::Snapshot running = test::runningSnapshot();
        words.follow(test::readySnapshot(), 0.0);
        QCOMPARE(window.windowTitle(), QStringLiteral("gpt-medium.yaml"));
        QTest::qWait(50);
        QVERIFY(desktop.calls.isEmpty());
        {
            const engine::DeviceLease::Hold hold = lease->take(Holder::Exploration);
            words.follow(running, running.progress);
            TRY_COMPARE(desktop.calls.size(), 2);
            QCOMPARE(window.windowTitle(), QStringLiteral("70 % · gpt-medium.yaml"));
            QVERIFY(desktop.calls.contains(QStringLiteral("ScreenSaver Inhibit: Trials are being run")));
            QTest::qWait(50);
            words.follow(test::pausedSnapshot(), 0.0);
            TRY_COMPARE(desktop.calls.back(), QStringLiteral("ScreenSaver UnInhibit: 41"));
        }
        words.follow(test::finishedSnapshot(), 0.0);
        QCOMPARE(window.windowTitle(), QStringLiteral("● 192 · gpt-medium.yaml"));
        words.tellEnd(test::finishedSnapshot());
        TRY_COMPARE(desktop.calls.back(),
                    QStringLiteral("Notifications Notify: Micro-batch size 192; "
                                   "2234 ± 38 samples/s, confidence 96 %, gpt-medium.yaml"));
    }

    void describesEveryEnd_data()
    {
        engine::Snapshot stopped = test::finishedSnapshot();
        stopped.finish = engine::FinishStatus::Cancelled;
        rows<engine::Snapshot, std::string>(
            {{"confident", {test::finishedSnapshot(), "Micro-batch size 192"}},
             {"budget used up", {test::doubtfulSnapshot(), "Micro-batch size 192"}},
             {"nothing fits", {test::nothingFitsSnapshot(), "Nothing fits: gpt-medium.yaml"}},
             {"failed", {test::failedSnapshot(), "No size was found: gpt-medium.yaml"}},
             {"stopped by a person", {stopped, ""}},
             {"under way", {test::runningSnapshot(), ""}}});
    }
    void describesEveryEnd()
    {
        const auto& [snapshot, title] = row<engine::Snapshot, std::string>();
        const EndNotice notice = endNotice(snapshot);
        QCOMPARE(notice.title.toStdString(), title);
        QCOMPARE(notice.text.isEmpty(), title.empty());
    }
};

BATCHPEAK_TEST(DesktopPresenceTest)
#include "tst_desktop_presence.moc"
