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

/// How a config names modules: not at all, by a pattern of Python's re that whole names match, or by names
/// and ends of names.
using ModuleChoice = std::variant<std::monostate, std::string, std::vector<std::string>>;

/// What PEFT is asked for, in whatever words. Values that are left out are those of LoraConfig in PEFT 0.18
/// (peft/tuners/lora/config.py).
struct PeftAdapter
{
    std::int64_t rank = 8;
    double alpha = 8.0;
    double dropout = 0.0;
    bool rankStabilized = false;
    bool usesDora = false;
    ModuleChoice targets;
    /// All linear layers that some trainers look for by themselves, by the last parts of their names; beside
    /// the targets.
    bool targetsLinearNames = false;
    /// Layers of the kind Conv1D are among those: bitsandbytes has put others in their place.
    bool takesConv1d = false;
    ModuleChoice excluded;
    /// Ends of names of modules that are trained in full.
    std::vector<std::string> modulesToSave;
    /// Of targets that are names; empty for all.
    std::vector<std::int64_t> layers;
    std::vector<std::string> layersPatterns;
    /// Of the targets, or of what asks for an adapter.
    NamedValue place;

    /// Of the network's weights beside the adapters.
    model::FrozenWeights frozenWeights = model::FrozenWeights::Same;
    bool doubleQuantization = true;
    bool quantizesExperts = false;
};

/// The adapters of a network: its projections by the names that transformers has for them, matched as
/// check_target_module_exists and _maybe_include_all_linear_layers do it in PEFT 0.18
/// (peft/tuners/tuners_utils.py).
///
/// \throws NotRun where trials cannot have such an adapter
/// \throws ConfigError where nothing of the network is named, as PEFT has it
model::Tuning tuningOf(const PeftAdapter& adapter, const model::ModelSpec& spec,
                       std::vector<Warning>& warnings);

/// A section in the words of PEFT: an adapter_config.json, or a part of a config that is handed over to it.
///
/// What decides how an adapter starts is passed over (init_lora_weights): it costs nothing in a step.
/// \throws NotRun where it is another kind of adapter than trials have
/// \throws ConfigError where a value is illegal
PeftAdapter readPeftConfig(const ConfigSection& section);

/// Of a classifier of texts PEFT trains the new head in full, whatever modules_to_save says
/// (PeftModelForSequenceClassification in PEFT 0.18, peft_model.py).
void addSavedHeads(PeftAdapter& adapter, std::string_view taskType);

/// The same for whichever network is used, as ConfigContents has it.
decltype(ConfigContents::tuningFor) tuningBy(PeftAdapter adapter);

/// What trials do otherwise, the same of every trainer; each is told where the value stands that asks for it.

/// Of a base in 8 bits.
void warnOfIntegerKernels(const Settings& settings, std::string_view key, std::vector<Warning>& warnings);
/// Of an adapter that is trained on.
void warnOfAdapterFile(const Settings& settings, std::string_view key, std::vector<Warning>& warnings);
/// Of modules beside adapters that are copied in the 16 bits that the base has.
void warnOfNarrowCopies(const Settings& settings, std::string_view key, std::vector<Warning>& warnings);

/// Rows hold what is trained as refusePartialTraining() takes it, of settings of adapters that trials do not
/// have. \throws NotRun
void refuseOtherAdapter(const Settings& settings, std::span<const UnmodeledFeature> differences);

/// A pattern, or names, as target_modules has them; nothing where the key is absent.
/// \throws ConfigError where it is something else
ModuleChoice readModuleChoice(const ConfigSection& section, std::string_view key);

/// A text or a list of texts; none where the key is absent.
std::vector<std::string> readTexts(const ConfigSection& section, std::string_view key);

/// A number or a list of numbers; none where the key is absent.
std::vector<std::int64_t> readLayers(const ConfigSection& section, std::string_view key);

} // namespace batchpeak::config
