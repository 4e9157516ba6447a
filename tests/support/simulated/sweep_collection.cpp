// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_collection.h"

#include "recorded_sweep.h"
#include "residual_tape.h"
#include "sweep_truth.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

namespace {

const std::filesystem::path folder = BATCHPEAK_RECORDED_SWEEPS;

std::filesystem::path pathOf(const std::string& name)
{
    return folder / (name + ".csv");
}

/// Returns the object that \p make creates for a sweep at the first call with its name.
template<typename Made, typename Make>
std::shared_ptr<const Made> madeOnce(const std::string& name, Make make)
{
    static std::mutex mutex;
    static std::map<std::string, std::shared_ptr<const Made>> all;
    const std::lock_guard lock(mutex);
    std::shared_ptr<const Made>& made = all[name];
    if (!made)
        made = std::make_shared<const Made>(make());
    return made;
}

} // namespace

std::vector<std::string> SweepCollection::names()
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".csv")
            names.push_back(entry.path().stem().string());
    }
    std::ranges::sort(names);
    return names;
}

bool SweepCollection::has(const std::string& name)
{
    return std::filesystem::exists(pathOf(name));
}

std::shared_ptr<const RecordedSweep> SweepCollection::sweep(const std::string& name)
{
    return madeOnce<RecordedSweep>(name, [&] { return readSweep(pathOf(name)); });
}

std::shared_ptr<const SweepTruth> SweepCollection::truth(const std::string& name)
{
    return madeOnce<SweepTruth>(name, [&] { return SweepTruth(visitsOf(*sweep(name))); });
}

std::shared_ptr<const ResidualTape> SweepCollection::residuals(const std::string& name)
{
    return madeOnce<ResidualTape>(name, [&] { return ResidualTape(*sweep(name), *truth(name)); });
}
