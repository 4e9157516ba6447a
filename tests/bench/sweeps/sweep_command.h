// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/exploration_plan.h"
#include "sweep_recorder.h"

#include <QCommandLineParser>

#include <functional>
#include <vector>

/// What the programs of this folder share: a config, a device and a sweep over sizes from the command line,
/// its progress on stderr, its end as an exit code.
class SweepCommand
{
public:
    /// Adds the argument CONFIG and the options that say what runs where.
    SweepCommand();

    QCommandLineParser& parser() { return m_parser; }
    /// What the config and the options came to; only once run has called \p finish.
    const batchpeak::engine::ExplorationPlan& plan() const { return m_plan; }

    /// Measures the sizes, then calls \p finish, whose answer is the exit code.
    int run(const std::vector<std::int64_t>& sizes, int repetitions,
            const std::function<int(const SweepRecorder&)>& finish);

private:
    batchpeak::engine::DeviceSetup setup();

    QCommandLineParser m_parser;
    batchpeak::engine::ExplorationPlan m_plan;
};
