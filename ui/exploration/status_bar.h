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

/// What the bottom of a window shows.
struct StatusLine
{
    /// 0..1
    double progress = 0.0;
    QString activity;
    /// That it does not go on; else empty.
    QString stall;
    QString devices;
};

/// The bottom of the window: how far the exploration is, what it does at this moment, and how the device
/// fares. A device that gives no clock or temperature has none.
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
