// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "workers/device_lease.h"

#include <QObject>
#include <QString>

#include <memory>

class QWidget;

namespace batchpeak::ui {

class DesktopPresence;

/// "42 % · gpt-medium.yaml", at the end "● 192 · gpt-medium.yaml": how far an exploration is or what it
/// found, so that a task bar tells it, and of which config. The desktop puts the program's name behind it.
/// \param progress  of all that is explored of it, 0..1
QString windowTitle(const engine::Snapshot& snapshot, double progress);

/// What somebody is told who looks elsewhere when an exploration ends.
struct EndNotice
{
    /// "Micro-batch size 192"; empty where nothing is worth a word, as after a stop.
    QString title;
    QString text;
};
EndNotice endNotice(const engine::Snapshot& snapshot);

/// What the desktop around the window shows of its work: its title, the progress in the task bar, a
/// notification at the end where nobody looks at it, and a computer that stays awake while trials or training
/// steps run.
class WindowDesktop : public QObject
{
    Q_OBJECT

public:
    /// \param lease     of all that the window runs: while it is held, and no pause is, the computer stays
    /// awake \param presence  taken over
    WindowDesktop(QWidget* window, std::shared_ptr<engine::DeviceLease> lease, DesktopPresence* presence);

    /// \param progress     as of windowTitle()
    /// \param otherConfig  path of the one that is shown in the exploration's place; else empty
    void follow(const engine::Snapshot& exploration, double progress, const QString& otherConfig = {});
    /// An exploration has ended.
    void tellEnd(const engine::Snapshot& exploration);

private:
    QWidget* m_window;
    std::shared_ptr<engine::DeviceLease> m_lease;
    DesktopPresence* m_presence;
};

} // namespace batchpeak::ui
