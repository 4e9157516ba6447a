// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

struct RecordedSweep;
class ResidualTape;
class SweepTruth;

/// The sweeps in tests/data/sweeps, each by the name of its file, and what is made of them. Everything is
/// made once in a program, when it is first asked for, from any thread.
class SweepCollection
{
public:
    /// In alphabetical order.
    static std::vector<std::string> names();
    static bool has(const std::string& name);

    /// \throws SweepError where the file is none
    static std::shared_ptr<const RecordedSweep> sweep(const std::string& name);
    static std::shared_ptr<const SweepTruth> truth(const std::string& name);
    static std::shared_ptr<const ResidualTape> residuals(const std::string& name);
};
