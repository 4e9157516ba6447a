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

/// What the desktop is told of long work, over its session bus: how far it is (task bar), that it has ended
/// (notification), and that the computer must not fall asleep meanwhile.
///
/// The bus is looked for when there is something to tell, never before, and nothing waits for an answer:
/// where there is no bus, or a desktop that offers none of this, nothing happens. What keeps the computer
/// awake ends with the program, however that ends, since the desktop sees its connection go.
class DesktopPresence : public QObject
{
    Q_OBJECT

public:
    /// \param busAddress  of the session bus; empty for that of the environment
    explicit DesktopPresence(QString busAddress = {}, QObject* parent = nullptr);
    ~DesktopPresence() override;

    /// \param share  0..1, told in whole percents; nothing when nothing is under way
    void showProgress(std::optional<double> share);
    /// Keeps the computer awake, or lets it sleep again. The screen may go dark where the desktop tells the
    /// two apart.
    /// \param why  for people; empty for no reason to stay awake
    void keepAwake(const QString& why);
    void notify(const QString& title, const QString& text);

signals:
    /// A person has clicked a notification.
    void activated();

private slots:
    void takeAction(uint id, const QString& action);

private:
    /// What holds sleep off, and how it is let go.
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
    /// Nothing while nothing is asked for, and until the desktop has answered.
    std::optional<Hold> m_hold;
    bool m_isAsking = false;
    uint m_notification = 0;
};

} // namespace batchpeak::ui
