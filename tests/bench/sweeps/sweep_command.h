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
    /// In the order in which they were measured.
    std::vector<Row> rows;
};

/// What the programs of this folder share: a config, a device and a sweep over sizes from the command line,
/// its progress on stderr.
class SweepCommand
{
public:
    /// Adds the argument CONFIG and the options that say what runs where.
    SweepCommand();

    QCommandLineParser& parser() { return m_parser; }

    /// Measures the sizes, at each visit all of them.
    ///
    /// \param sizes  ascending
    /// \param keep  called after each pass, so that a sweep that is broken off is not lost
    /// \return nothing where they cannot be measured, which is said on stderr
    std::optional<Sweep> run(const std::vector<std::int64_t>& sizes, int visits,
                             const std::function<void(const Sweep&)>& keep = {});

private:
    QCommandLineParser m_parser;
};
