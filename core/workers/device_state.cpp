// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_state.h"

namespace batchpeak::engine {

QString kindOfDevice(const QString& id)
{
    return id.section(QLatin1Char('/'), -1).section(QLatin1Char(':'), 0, 0).section(QLatin1Char('#'), 0, 0);
}

bool Contention::isBusy() const
{
    constexpr int fewestTrials = 4;
    constexpr double majority = 0.5;
    return trials >= fewestTrials && disturbedShare > majority;
}

void addApproximations(config::Fidelity& fidelity, const DeviceSnapshot& device)
{
    for (const QString& approximation : device.approximations)
        fidelity.addReason(approximation.toStdString());
}

} // namespace batchpeak::engine
