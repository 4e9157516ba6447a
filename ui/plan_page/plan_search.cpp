// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_search.h"

#include "options/exploration_options.h"

#include <chrono>
#include <utility>

namespace batchpeak::ui {

namespace {

using namespace std::chrono_literals;

// On a server, other users' processes start and end on its GPUs.
constexpr auto deviceInterval = 5s;

} // namespace

PlanSearch::PlanSearch(std::function<bool()> isLookedAt, QObject* parent) : QObject(parent)
{
    m_timer.setInterval(deviceInterval);
    connect(&m_timer, &QTimer::timeout, this, [this, isLookedAt = std::move(isLookedAt)] {
        if (isLookedAt())
            lookForDevices();
    });
}

bool PlanSearch::begin()
{
    if (m_timer.isActive())
        return false;
    m_timer.start();
    return true;
}

void PlanSearch::lookFor(const QString& python)
{
    const QString named = python.isEmpty() ? engine::anyPython : python;
    if (named == m_asked)
        askAgain();
    else
        askPython(named);
    lookForDevices();
}

void PlanSearch::lookForDevices()
{
    if (!m_devices.isBusy()) {
        m_devices.run([](const std::stop_token&) { return device::localDevices(); },
                      [this](const device::LocalDevices& devices) { emit devicesFound(devices); });
    }
}

void PlanSearch::askPython(const QString& python)
{
    if (python.isEmpty() || m_asked == python)
        return;
    m_asked = python;
    m_python.reset();
    emit pythonChanged();
    ask();
}

void PlanSearch::askAgain()
{
    if (m_asked && !m_pythons.isBusy())
        ask();
}

void PlanSearch::ask()
{
    m_pythons.cancel();
    m_pythons.run(
        [asked = *m_asked](const std::stop_token& stop) { return engine::pythonStackNamed(asked, stop); },
        [this](const engine::PythonStack& python) {
            if (m_python != python) {
                m_python = python;
                emit pythonChanged();
            }
        });
}

decltype(engine::ExplorationParts::pythonStackOf) PlanSearch::stackSource() const
{
    return [this](const QString& program, const QString& packages) {
        return m_python && m_python->program == program ? *m_python
                                                        : engine::pythonStackOf(program, packages);
    };
}

} // namespace batchpeak::ui
