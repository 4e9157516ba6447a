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

/// Finds out, while a plan is looked at, what there is to measure on and with: the devices of this computer,
/// and what an interpreter has.
class PlanSearch : public QObject
{
    Q_OBJECT

public:
    /// \param isLookedAt  the plan, so that it is worth to look for devices anew from time to time
    explicit PlanSearch(std::function<bool()> isLookedAt, QObject* parent = nullptr);

    /// From the first call on.
    /// \return whether this is the first
    bool begin();
    /// Devices, and what the interpreter has now.
    /// \param python  as ExplorationOptions::python; empty for the usual one
    void lookFor(const QString& python);
    /// Asks the interpreter that options name, unless it was asked last. Without one it stays the one that
    /// was.
    ///
    /// \param python  as ExplorationOptions::python
    void askPython(const QString& python);
    /// Asks anew, since a person may have installed what was missing; until then what is known stays.
    void askAgain();
    /// What that one has; nothing while it is asked.
    const std::optional<engine::PythonStack>& python() const { return m_python; }
    /// For ExplorationParts: what was found is not asked for again, which takes some tenths of a second.
    decltype(engine::ExplorationParts::pythonStackOf) stackSource() const;

signals:
    void devicesFound(const batchpeak::device::LocalDevices& devices);
    void pythonChanged();

private:
    /// Does nothing while they are looked for.
    void lookForDevices();
    void ask();

    QTimer m_timer;
    engine::BackgroundThread m_devices;
    engine::BackgroundThread m_pythons;
    std::optional<QString> m_asked;
    std::optional<engine::PythonStack> m_python;
};

} // namespace batchpeak::ui
