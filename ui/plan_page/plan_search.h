// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "workers/background_thread.h"
#include "workers/exploration_parts.h"
#include "workers/python_stack.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <optional>

namespace batchpeak::ui {

/// Finds out, while a plan is shown, what there is to measure on and with: the devices of this computer, and
/// the packages of an interpreter.
class PlanSearch : public QObject
{
    Q_OBJECT

public:
    /// \param isLookedAt  returns whether the plan is shown, so that it is worthwhile to look for devices
    ///                    again periodically
    explicit PlanSearch(std::function<bool()> isLookedAt, QObject* parent = nullptr);

    /// Starts the periodic search; later calls do nothing.
    /// \return whether this is the first call
    bool begin();
    /// Looks for devices, and for what the interpreter has now.
    /// \param python  value of ExplorationOptions::python; empty for the default interpreter
    void lookFor(const QString& python);
    /// Queries the interpreter that the options name, unless it was the last one queried. If empty, the
    /// previous interpreter is kept.
    ///
    /// \param python  value of ExplorationOptions::python
    void askPython(const QString& python);
    /// Queries the interpreter again, since the user may have installed what was missing; the previous answer
    /// is kept until then.
    void askAgain();
    /// Returns what the interpreter has; nothing while the first answer is pending.
    const std::optional<engine::PythonStack>& python() const { return m_python; }
    /// Returns a function for ExplorationParts that reuses what was found instead of querying again, which
    /// takes some tenths of a second.
    decltype(engine::ExplorationParts::pythonStackOf) stackSource() const;

signals:
    void devicesFound(const batchpeak::device::LocalDevices& devices);
    void pythonChanged();

private:
    /// Does nothing while a search for devices is under way.
    void lookForDevices();
    void ask();

    QTimer m_timer;
    engine::BackgroundThread m_devices;
    engine::BackgroundThread m_pythons;
    std::optional<QString> m_asked;
    std::optional<engine::PythonStack> m_python;
};

} // namespace batchpeak::ui
