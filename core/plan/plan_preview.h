// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "exploration_plan.h"
#include "files/config_file.h"
#include "model/step_memory.h"
#include "options/exploration_options.h"
#include "plan_offers.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::engine {

/// Where a value comes from. Explored: from the exploration, for a training run that follows it.
enum class Origin { Config, Default, Yours, Explored };

/// A value that was read, to be checked by a person before a run.
struct ReadValue
{
    QString name;
    QString value;
    /// "max_sequence_length, line 8"; empty if the value is not in a file.
    QString place;

    bool operator==(const ReadValue&) const = default;
};

/// The value that an option has before the run.
struct OptionPreview
{
    /// "--precision"
    std::string name;
    /// Value as it is written in the option; empty if it has no effect.
    QString text;
    Origin origin = Origin::Default;
    /// Place of the value in the config, in the form of ReadValue::place.
    QString place;
    /// Whether the option has an effect together with the other options.
    bool playsAPart = true;

    bool operator==(const OptionPreview&) const = default;
};

/// An estimated size: the middle, and bounds that contain the true one with a probability of 90 %.
struct SizeBand
{
    std::int64_t low = 0;
    std::int64_t likely = 0;
    std::int64_t high = 0;

    bool operator==(const SizeBand&) const = default;
};

/// What a device could provide for the run.
struct DevicePreview
{
    device::LocalDevice device;
    bool isChosen = false;
    std::int64_t limitBytes = 0;
    /// Limit minus the headroom.
    std::int64_t usableBytes = 0;
    /// Largest size that fits, by the description of the network; nothing if there is no description or the
    /// memory is not known. 0: not even 1 fits.
    std::optional<SizeBand> largestFit;
};

/// Everything that is known of an exploration before anything runs. It measures nothing, and decides nothing
/// that planExploration() does not decide.
struct PlanPreview
{
    std::vector<ReadValue> values;
    std::vector<OptionPreview> options;
    /// Run of the plan; without a plan, as far as the config describes it, so that a window can name what it
    /// shows.
    RunDescription run;
    /// Plan; nothing if the config and the options allow no run. \c problem then says why, as a full
    /// sentence.
    std::optional<ExplorationPlan> plan;
    /// Whether another exploration follows, of evaluation.
    bool hasBothPhases = false;
    QString problem;
    /// Why a trial would most likely end without a result, as a full sentence; empty otherwise. The run is
    /// allowed all the same.
    QString warning;
    /// Alternatives to the plan; none without a plan.
    std::vector<PlanOffer> offers;
    /// Memory of a step, by the description of the network; nothing if there is no description.
    std::optional<model::StepMemory> memory;
    /// All devices that are available, with the chosen ones marked.
    std::vector<DevicePreview> devices;

    const OptionPreview& option(const std::string& name) const;
    bool hasChosenDevice() const;
};

/// \param devices  available devices; none while they are not known yet
PlanPreview previewOn(const ConfigFile& file, const ExplorationOptions& options,
                      const device::LocalDevices& devices);

/// Returns the options with everything filled in that the config says about the network and its steps.
ExplorationOptions filledIn(ExplorationOptions options, const config::ConfigContents& contents);
/// Returns where the config sets what an option asks for; nothing if it does not.
std::optional<config::SourceLocation> placeOf(const std::string& option,
                                              const config::ConfigContents& contents, model::Phase phase);
/// Returns a place in the form of ReadValue::place.
QString placeText(const std::optional<config::SourceLocation>& place, const config::ConfigContents& contents);

/// "Sizes 1 to 1,536 are considered.", "The divisors of 1,536 are considered: 1, 2, 3, ... 1,536."
QString sizesText(const ExplorationPlan& plan);
/// "about 240 samples"; empty if this is not known.
QString samplesRoomText(const DevicePreview& device);
/// "cuda:0 has room for about 236 samples (180 to 290)." for the chosen devices of which this is known;
/// devices with the same room share a sentence.
QStringList roomTexts(const std::vector<DevicePreview>& devices);

} // namespace batchpeak::engine
