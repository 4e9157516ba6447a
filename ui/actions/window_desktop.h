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

/// Returns "42 % · gpt-medium.yaml", or at the end "● 192 · gpt-medium.yaml": the progress or the result of
/// an exploration, so that a task bar shows it, and the name of its config. The desktop appends the name of
/// the program.
/// \param progress  progress of all phases that are explored, 0..1
QString windowTitle(const engine::Snapshot& snapshot, double progress);

/// Notification for a user who is looking elsewhere when an exploration ends.
struct EndNotice
{
    /// "Micro-batch size 192"; empty if there is nothing to notify of, such as after a stop.
    QString title;
    QString text;
};
EndNotice endNotice(const engine::Snapshot& snapshot);

/// Shows the work of the window on the desktop: the window title, the progress in the task bar, and a
/// notification at the end if the window is not active. Keeps the computer awake while trials or training
/// steps run.
class WindowDesktop : public QObject
{
    Q_OBJECT

public:
    /// \param lease     device lease of all that the window runs: the computer stays awake while the lease is
    ///                  held and the exploration is not paused
    /// \param presence  this object takes ownership
    WindowDesktop(QWidget* window, std::shared_ptr<engine::DeviceLease> lease, DesktopPresence* presence);

    /// \param progress     the same as for windowTitle()
    /// \param otherConfig  path of the config that is shown in place of the exploration; empty if there is
    ///                     none
    void follow(const engine::Snapshot& exploration, double progress, const QString& otherConfig = {});
    /// Notifies the user that an exploration has ended.
    void tellEnd(const engine::Snapshot& exploration);

private:
    QWidget* m_window;
    std::shared_ptr<engine::DeviceLease> m_lease;
    DesktopPresence* m_presence;
};

} // namespace batchpeak::ui
