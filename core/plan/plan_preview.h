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

/// Who says a value. Explored: of a run beside an exploration, that exploration.
enum class Origin { Config, Default, Yours, Explored };

/// A line of what was read, as a person checks it before a run.
struct ReadValue
{
    QString name;
    QString value;
    /// "max_sequence_length, line 8"; empty where it does not stand in a file.
    QString place;

    bool operator==(const ReadValue&) const = default;
};

/// What an option comes to before the run.
struct OptionPreview
{
    /// "--precision"
    std::string name;
    /// As the option is written; empty where it says nothing.
    QString text;
    Origin origin = Origin::Default;
    /// Where the config says it, as of ReadValue.
    QString place;
    /// Beside the other options it says something.
    bool playsAPart = true;

    bool operator==(const OptionPreview&) const = default;
};

/// A size that is estimated: the middle, and bounds that hold nine times in ten.
struct SizeBand
{
    std::int64_t low = 0;
    std::int64_t likely = 0;
    std::int64_t high = 0;

    bool operator==(const SizeBand&) const = default;
};

/// What a device would have for the run.
struct DevicePreview
{
    device::LocalDevice device;
    bool isChosen = false;
    std::int64_t limitBytes = 0;
    /// The limit less the headroom.
    std::int64_t usableBytes = 0;
    /// By the description; nothing where no description tells, or the memory is not known. 0: not even 1.
    std::optional<SizeBand> largestFit;
};

/// All that is known of an exploration before anything runs. It measures nothing, and decides nothing that
/// planExploration() does not.
struct PlanPreview
{
    std::vector<ReadValue> values;
    std::vector<OptionPreview> options;
    /// The plan's; without a plan as far as the config tells it, so that a window can name what it shows.
    RunDescription run;
    /// Nothing where the config and the options allow no run; the problem says why, as a full sentence.
    std::optional<ExplorationPlan> plan;
    /// Another exploration follows, of evaluation.
    bool hasBothPhases = false;
    QString problem;
    /// Why a trial would most likely end without a result, as a full sentence; else empty. It may run.
    QString warning;
    /// What may be asked for instead; none without a plan.
    std::vector<PlanOffer> offers;
    /// By the description; nothing where there is none.
    std::optional<model::StepMemory> memory;
    /// All that are here, the chosen ones marked.
    std::vector<DevicePreview> devices;

    const OptionPreview& option(const std::string& name) const;
    bool hasChosenDevice() const;
};

/// \param devices  that are here; none while they are not known yet
PlanPreview previewOn(const ConfigFile& file, const ExplorationOptions& options,
                      const device::LocalDevices& devices);

/// The options with all that the config says of the network and its steps filled in.
ExplorationOptions filledIn(ExplorationOptions options, const config::ConfigContents& contents);
/// Where the config says what an option asks for; nothing where it does not.
std::optional<config::SourceLocation> placeOf(const std::string& option,
                                              const config::ConfigContents& contents, model::Phase phase);
/// A place as of ReadValue.
QString placeText(const std::optional<config::SourceLocation>& place, const config::ConfigContents& contents);

/// "Sizes 1 to 1,536 are considered.", "The divisors of 1,536 are considered: 1, 2, 3, ... 1,536."
QString sizesText(const ExplorationPlan& plan);
/// "about 240 samples"; empty where that cannot be told.
QString samplesRoomText(const DevicePreview& device);
/// "cuda:0 has room for about 236 samples (180 to 290)." of the chosen devices of which that can be told;
/// those with the same room share a sentence.
QStringList roomTexts(const std::vector<DevicePreview>& devices);

} // namespace batchpeak::engine
