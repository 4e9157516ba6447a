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

#include <functional>

namespace batchpeak::engine {

/// The plan that follows from a config and the options for the network and its samples, whatever is run with
/// it and whatever the batches are.
struct NetworkPlan
{
    /// Description of the run, without its batch and its objective.
    RunDescription run;
    /// Request to the worker to load the network, without its memory limit, which depends on the device.
    trial::LoadRequest load;
    /// What changes if there turns out to be only one device, as far as the options leave it to the config.
    config::SingleDeviceOverrides alone;
    /// What the user should know about the samples, as full sentences.
    QStringList notes;
};

/// Returns the contents of a config with the sizes of network that are run: its own, or smaller ones if the
/// options ask for them.
/// \throws config::ConfigError if there are no smaller ones
config::ConfigContents contentsAsked(const QString& filePath, const config::ConfigContents& contents,
                                     const ExplorationOptions& options);

/// Returns the step that a worker is asked for, for the description of the network. Samples of several
/// lengths count as the longest.
model::StepSettings stepSettingsOf(const trial::LoadRequest& load);

/// Returns the memory of the step by the description of the network. Returns nothing for a program in place
/// of the worker, which may run another network, or run it differently, and for a step that compares
/// preferences, which the description does not cover.
std::optional<model::StepMemory> stepMemoryOf(const trial::LoadRequest& load,
                                              const ExplorationOptions& options);

/// Returns the same as a prior for the search.
std::optional<search::MemoryPrior> memoryPrior(const trial::LoadRequest& load,
                                               const ExplorationOptions& options);

/// \throws config::ConfigError if the config and the options contradict each other, or if they describe no
///         network that can be run
NetworkPlan planNetwork(const QString& filePath, const config::ConfigContents& contents,
                        const ExplorationOptions& options);

/// Adds to the fidelity of a run what the devices imply: only CUDA devices have TF32, and a CPU computes in
/// fp32.
/// \param devices  ids
/// \return what the user should know about this, as full sentences; usually none
QStringList judgePrecision(config::Fidelity& fidelity, const trial::LoadRequest& load,
                           const QStringList& devices);

/// Returns the options with the number of processes that the config, its launcher or its script names, if the
/// user's own Python takes the steps, this computer has a GPU for each, and the options name no number.
ExplorationOptions withProcesses(ExplorationOptions options, const config::ConfigContents& contents,
                                 const std::function<device::LocalDevices()>& localDevices);

/// Whether the plan depends on the devices: the devices share what each would hold (model::Sharding) and the
/// config does not say how many there are, or not all of them have the precision of the run.
bool dependsOnDevices(const trial::LoadRequest& load);

/// Adapts a plan for which dependsOnDevices() is true: it is shared among the devices of \p devices that will
/// run. A single device shares nothing: its numbers are those of the run, except for NetworkPlan::alone. A
/// note reports a precision that the devices lack.
/// Nothing changes if the devices are behind a launcher or cannot be used, which is reported when they are
/// opened.
void fitToDevices(NetworkPlan& plan, const ExplorationOptions& options, const device::LocalDevices& devices);

/// The plan that follows from a config and the options, before any device is known.
struct ExplorationPlan : NetworkPlan
{
    /// Space to search, without its memory, which depends on the devices.
    search::SearchSpace space;

    /// Whether several sizes are searched; a single size is not a search.
    bool isSearch() const { return space.minimum < space.maximum && space.candidates.size() != 1; }
};

/// Largest size that is explored unless a config or the user asks for more: larger launches are
/// refused by CUDA kernels whose grid is 65,535 wide (Lightning #20614).
inline constexpr std::int64_t largestExplored = 65535;

/// Returns the setting of a batch: that of the options, or else that of the config. If the config contains
/// only a number (BatchPlan::presentSize), the setting is Auto, so that the size found can be written into
/// it; but Explore if no divisor of the batch lies within the options' bounds, if the bounds exceed the
/// batch, or if the batch is one sample.
/// \param ofConfig  batch plan of the config for the phase
config::Setting settingAsked(const config::BatchPlan& ofConfig, const ExplorationOptions& options);

/// Does the same as for a NetworkPlan, and updates the memory that the search expects.
void fitToDevices(ExplorationPlan& plan, const ExplorationOptions& options,
                  const device::LocalDevices& devices);

/// Plans the exploration of the options' phase; if the options ask for both phases, evaluation is checked
/// too.
/// \throws config::ConfigError if the config and the options contradict each other, or if they describe no
///         network that can be run
ExplorationPlan planExploration(const QString& filePath, const config::ConfigContents& contents,
                                const ExplorationOptions& options);

} // namespace batchpeak::engine
