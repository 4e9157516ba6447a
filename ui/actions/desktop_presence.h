// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QVariantList>

#include <functional>
#include <memory>
#include <optional>

class QDBusConnection;

namespace batchpeak::ui {

/// Reports long work to the desktop over its session bus: the progress (task bar), the end (notification),
/// and that the computer must not sleep meanwhile.
///
/// It connects to the bus only when there is something to report, and never waits for an answer. Without a
/// bus, or with a desktop that offers none of this, nothing happens. The sleep inhibition ends with the
/// program, however the program ends, since the desktop sees the connection close.
class DesktopPresence : public QObject
{
    Q_OBJECT

public:
    /// \param busAddress  address of the session bus; empty for the bus of the environment
    explicit DesktopPresence(QString busAddress = {}, QObject* parent = nullptr);
    ~DesktopPresence() override;

    /// \param share  fraction done, 0..1, reported in whole percents; nothing if nothing is under way
    void showProgress(std::optional<double> share);
    /// Keeps the computer awake, or lets it sleep again. The screen may still go dark on desktops that
    /// distinguish the two.
    /// \param why  reason shown to the user; empty if there is no reason to stay awake
    void keepAwake(const QString& why);
    void notify(const QString& title, const QString& text);

signals:
    /// A person has clicked a notification.
    void activated();

private slots:
    void takeAction(uint id, const QString& action);

private:
    /// The sleep inhibition, and the call that releases it.
    struct Hold
    {
        QString service;
        QString path;
        QString interface;
        QString method;
        QVariantList arguments;
    };

    QDBusConnection* bus();
    void askPortal();
    void askScreenSaver();
    void takeHold(Hold hold);
    void letGo(const Hold& hold);

    QString m_busAddress;
    QString m_busName;
    std::unique_ptr<QDBusConnection> m_bus;
    bool m_hasLooked = false;
    std::optional<int> m_percent;
    QString m_why;
    /// Empty while no inhibition is requested, and until the desktop has answered.
    std::optional<Hold> m_hold;
    bool m_isAsking = false;
    uint m_notification = 0;
};

} // namespace batchpeak::ui
