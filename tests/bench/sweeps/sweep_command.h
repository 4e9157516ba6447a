// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep_recorder.h"

#include <QCommandLineParser>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Every size of a grid, measured several times on one device.
struct Sweep
{
    using Row = SweepRecorder::Row;

    batchpeak::engine::ExplorationPlan plan;
    batchpeak::engine::DeviceSnapshot device;
    /// Rows in the order of measurement.
    std::vector<Row> rows;
};

/// Common part of the programs of this folder: a config, a device and a sweep over sizes from the command
/// line, with its progress on stderr.
class SweepCommand
{
public:
    /// Adds the argument CONFIG and the options for the device and the network.
    SweepCommand();

    QCommandLineParser& parser() { return m_parser; }

    /// Measures the sizes; each visit covers all of them.
    ///
    /// \param sizes  sizes in ascending order
    /// \param keep  called after each pass, so that an aborted sweep is not lost
    /// \return nothing if they cannot be measured, which is reported on stderr
    std::optional<Sweep> run(const std::vector<std::int64_t>& sizes, int visits,
                             const std::function<void(const Sweep&)>& keep = {});

private:
    QCommandLineParser m_parser;
};
