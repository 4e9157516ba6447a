// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "model/model_spec.h"
#include "model/tuning.h"
#include "named_value.h"
#include "syntax/config_section.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// How a config names modules: not at all, by a pattern of Python's re that must match the whole name, or by
/// names and suffixes of names.
using ModuleChoice = std::variant<std::monostate, std::string, std::vector<std::string>>;

/// The settings of an adapter of PEFT, independent of the keys of a trainer. The default values are those of
/// LoraConfig in PEFT 0.18 (peft/tuners/lora/config.py).
struct PeftAdapter
{
    std::int64_t rank = 8;
    double alpha = 8.0;
    double dropout = 0.0;
    bool rankStabilized = false;
    bool usesDora = false;
    ModuleChoice targets;
    /// Whether, besides the targets, all linear layers are targets that some trainers find themselves, by the
    /// last parts of their names.
    bool targetsLinearNames = false;
    /// Whether layers of the kind Conv1D are among those, because bitsandbytes has replaced them.
    bool takesConv1d = false;
    ModuleChoice excluded;
    /// Suffixes of the names of parameters that have an adapter, and their place.
    std::vector<std::string> targetParameters = {};
    NamedValue parametersPlace = {};
    /// Suffixes of the names of modules that are trained in full.
    std::vector<std::string> modulesToSave;
    /// Layers of targets that are names; empty for all.
    std::vector<std::int64_t> layers;
    std::vector<std::string> layersPatterns;
    /// Place of the targets, or of the value that asks for an adapter.
    NamedValue place;

    /// How the network's weights beside the adapters are stored.
    model::FrozenWeights frozenWeights = model::FrozenWeights::Same;
    bool doubleQuantization = true;
    bool quantizesExperts = false;
};

/// Returns the adapters of a network. The names of its projections in transformers are matched as
/// check_target_module_exists and _maybe_include_all_linear_layers do it in PEFT 0.18
/// (peft/tuners/tuners_utils.py).
///
/// \throws NotRun if trials do not support such an adapter
/// \throws ConfigError if the names match no module of the network, as in PEFT
model::Tuning tuningOf(const PeftAdapter& adapter, const model::ModelSpec& spec,
                       std::vector<Warning>& warnings);

/// Reads a section with the keys of PEFT: an adapter_config.json, or a part of a config that is passed to
/// PEFT.
///
/// How an adapter is initialized is ignored (init_lora_weights): it costs nothing in a step.
/// \throws NotRun if trials do not support that kind of adapter
/// \throws ConfigError if a value is illegal
PeftAdapter readPeftConfig(const ConfigSection& section);

/// Adds the new head of a text classifier, which PEFT trains in full whatever modules_to_save says
/// (PeftModelForSequenceClassification in PEFT 0.18, peft_model.py).
void addSavedHeads(PeftAdapter& adapter, std::string_view taskType);

/// Returns tuningOf() for any network, as ConfigContents::tuningFor.
decltype(ConfigContents::tuningFor) tuningBy(PeftAdapter adapter);

/// Warnings about what trials do differently for every trainer. Each is at the position of the value that
/// causes it.

/// Warns of a base in 8 bits.
void warnOfIntegerKernels(const Settings& settings, std::string_view key, std::vector<Warning>& warnings);
/// Warns of an existing adapter whose training continues.
void warnOfAdapterFile(const Settings& settings, std::string_view key, std::vector<Warning>& warnings);
/// Warns of modules beside adapters that are copied in the 16 bits of the base.
void warnOfNarrowCopies(const Settings& settings, std::string_view key, std::vector<Warning>& warnings);

/// Refuses settings of adapters that trials do not have. Rows hold what is trained, as
/// refusePartialTraining() takes it.
/// \throws NotRun if a row applies
void refuseOtherAdapter(const Settings& settings, std::span<const UnmodeledFeature> differences);

/// Reads a pattern or names, as in target_modules; nothing if the key is absent.
/// \throws ConfigError if the value is something else
ModuleChoice readModuleChoice(const ConfigSection& section, std::string_view key);

/// Reads a text or a list of texts; none if the key is absent.
std::vector<std::string> readTexts(const ConfigSection& section, std::string_view key);

/// Reads the parameters that have an adapter, such as those of experts: target_parameters of LoraConfig in
/// PEFT 0.21.
void readTargetParameters(const ConfigSection& section, std::string_view key, PeftAdapter& adapter);

/// Reads a number or a list of numbers; none if the key is absent.
std::vector<std::int64_t> readLayers(const ConfigSection& section, std::string_view key);

} // namespace batchpeak::config
