// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

struct RecordedSweep;
class ResidualTape;
class SweepTruth;

/// Sweeps in tests/data/sweeps, each identified by its file name without the extension, and the objects
/// derived from them. Each object is created once per program, at its first use. Thread-safe.
class SweepCollection
{
public:
    /// Returns the names in alphabetical order.
    static std::vector<std::string> names();
    static bool has(const std::string& name);

    /// \throws SweepError if the file is not a sweep
    static std::shared_ptr<const RecordedSweep> sweep(const std::string& name);
    static std::shared_ptr<const SweepTruth> truth(const std::string& name);
    static std::shared_ptr<const ResidualTape> residuals(const std::string& name);
};
