// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace batchpeak::ui {

/// The state of each device: how it is reached if it is elsewhere, its memory as a bar, and below it load,
/// clock, temperature, power, other programs that use it, errors and restarts, and a connection that was
/// lost. What a device does not report is omitted.
class DeviceStrips : public QWidget
{
    Q_OBJECT

public:
    explicit DeviceStrips(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param places  places that are being opened
    void display(const std::vector<engine::DeviceSnapshot>& devices,
                 const std::vector<engine::PlaceSnapshot>& places = {});

private:
    class Strip;

    Theme m_theme = Theme::light();
    QVBoxLayout* m_list;
    std::vector<Strip*> m_strips;
};

/// "97 %, 1,980 of 2,000 MHz, 64 °C, 612 of 700 W"
QString conditionText(const engine::Telemetry& telemetry);
/// Returns how the device is reached, unless that is a concern, and its condition.
QString stateText(const engine::DeviceSnapshot& device);
/// Returns what the user should look into: other programs, a lowered clock, errors, restarts; a phrase for
/// each, the worst first. Empty while all is well.
QStringList concernsOf(const engine::DeviceSnapshot& device);

} // namespace batchpeak::ui
