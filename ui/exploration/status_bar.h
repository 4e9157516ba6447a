// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QFrame>

#include <vector>

class QLabel;
class QProgressBar;

namespace batchpeak::ui {

class ElidedLabel;

/// The content of a window's status bar.
struct StatusLine
{
    /// Fraction done, 0..1.
    double progress = 0.0;
    QString activity;
    /// Text that says that the work is stalled; empty if it is not.
    QString stall;
    QString devices;
};

/// The bottom of the window: the progress of the exploration, its current activity, and the state of the
/// device. The clock and the temperature are omitted if the device does not report them.
class StatusBar : public QFrame
{
    Q_OBJECT

public:
    explicit StatusBar(QWidget* parent = nullptr);

    void display(const StatusLine& line);
    void display(const engine::Snapshot& snapshot);

private:
    QProgressBar* m_progress;
    ElidedLabel* m_activity;
    QLabel* m_stall;
    ElidedLabel* m_devices;
};

/// "Trial 17 of about 24 · 1 min 12 s left"
QString activityText(const engine::Snapshot& snapshot);
/// "GPU 97 % · 64 °C · 1,980 MHz · worker pid 41232"
QString deviceText(const std::vector<engine::DeviceSnapshot>& devices);

} // namespace batchpeak::ui
