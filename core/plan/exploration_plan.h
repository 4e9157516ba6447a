// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "device/local_device.h"
#include "model/step_memory.h"
#include "options/exploration_options.h"
#include "snapshot/snapshot.h"
#include "trial/trial_request.h"

#include <QString>
#include <QStringList>

namespace batchpeak::engine {

/// What a config and a person's options come to for the network and its samples, whatever is run with it and
/// in whatever batches.
struct NetworkPlan
{
    /// The run without its batch and its objective.
    RunDescription run;
    /// The worker's request to load the network, without its memory limit, which the device decides.
    trial::LoadRequest load;
    /// What is otherwise where the devices turn out to be one, as far as the options leave it to the config.
    config::SingleDeviceOverrides alone;
    /// What the user should know about the samples, as full sentences.
    QStringList notes;
};

/// What a config holds, of the sizes that are run: its own, or smaller ones where they are asked for.
/// \throws config::ConfigError where there are no smaller ones
config::ConfigContents contentsAsked(const QString& filePath, const config::ConfigContents& contents,
                                     const ExplorationOptions& options);

/// The step that a worker is asked for, for what is told of it by the description; samples of several lengths
/// take what the longest does.
model::StepSettings stepSettingsOf(const trial::LoadRequest& load);

/// What the description tells of its memory. Nothing of a program in the worker's place, which may run
/// another network, or run it otherwise.
std::optional<model::StepMemory> stepMemoryOf(const trial::LoadRequest& load,
                                              const ExplorationOptions& options);

/// The same for the search.
std::optional<search::MemoryPrior> memoryPrior(const trial::LoadRequest& load,
                                               const ExplorationOptions& options);

/// \throws config::ConfigError where the config and the options contradict each other, or hold no network
///         that can be run
NetworkPlan planNetwork(const QString& filePath, const config::ConfigContents& contents,
                        const ExplorationOptions& options);

/// What the devices add to the fidelity of a run: only CUDA devices have TF32, and a CPU computes in fp32.
/// \param devices  ids
/// \return what the user should know of it, as full sentences; mostly none
QStringList judgePrecision(config::Fidelity& fidelity, const trial::LoadRequest& load,
                           const QStringList& devices);

/// The devices decide something of the plan: devices share what each would hold (model::Sharding) and the
/// config does not say how many there are, or not all have its precision.
bool dependsOnDevices(const trial::LoadRequest& load);

/// Then as many share as will run of \p devices, and one by itself shares nothing: its numbers are the run's,
/// but for what NetworkPlan::alone says. A precision that they lack is told.
/// Nothing changes where the devices are behind a launcher, or cannot be used, which is said once they are
/// opened.
void fitToDevices(NetworkPlan& plan, const ExplorationOptions& options, const device::LocalDevices& devices);

/// What a config and a person's options come to, before any device is known.
struct ExplorationPlan : NetworkPlan
{
    /// The space to search, without its memory, which the devices decide.
    search::SearchSpace space;

    /// A single size is not searched for.
    bool isSearch() const { return space.minimum < space.maximum && space.candidates.size() != 1; }
};

/// Largest size that is explored unless a config or the user asks for more: larger launches are
/// refused by CUDA kernels whose grid is 65,535 wide (Lightning #20614).
inline constexpr std::int64_t largestExplored = 65535;

/// What is asked of a batch: the options' setting, else the config's. Where the config says a number alone
/// (BatchPlan::presentSize), Auto, so that the size that is found can be written into it; but Explore where
/// no divisor lies within the options' bounds, or they reach beyond the batch, or that is one sample.
/// \param ofConfig  of the phase
config::Setting settingAsked(const config::BatchPlan& ofConfig, const ExplorationOptions& options);

/// As of a network alone, and the search looks where memory then ends.
void fitToDevices(ExplorationPlan& plan, const ExplorationOptions& options,
                  const device::LocalDevices& devices);

/// Of the options' phase; where both are asked for, evaluation is checked too.
/// \throws config::ConfigError where the config and the options contradict each other, or hold no network
///         that can be run
ExplorationPlan planExploration(const QString& filePath, const config::ConfigContents& contents,
                                const ExplorationOptions& options);

} // namespace batchpeak::engine
