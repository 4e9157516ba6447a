// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "model/tuning.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Stands for the number of a layer in the name of a module.
inline constexpr std::string_view layerMark = "{}";

enum class ModuleKind {
    Linear,
    /// A linear layer as GPT-2 has it, with its matrix turned: Conv1D of transformers is no torch.nn.Linear.
    Conv1d,
    Embedding,
    Normalization,
    /// The choice of experts, which is a module of its own kind since transformers 5.
    Router,
    /// Matrices of all experts together: a parameter, no module.
    Experts,
    /// A convolution, or a parameter that belongs to no module with a name.
    Other
};

/// A module of a network as transformers names it, without those that only hold others.
struct NamedModule
{
    /// "model.layers.{}.self_attn.q_proj", with {} for the number of the layer.
    std::string name;
    ModuleKind kind = ModuleKind::Linear;
    /// Numbers that stand for {}, from 0 or from the first layer that has it, to the one before this; 0 of a
    /// module outside of layers.
    std::int64_t layers = 0;
    std::int64_t firstLayer = 0;
    /// Of a linear layer that an adapter can stand beside.
    std::optional<model::Projection> projection;
    /// The name is the parameter's own, with no ".weight" behind it.
    bool isParameter = false;
    /// Name in our parameter table, without ".weight" and with {} too; "output" also where that shares the
    /// embedding's matrix.
    std::string parameter;

    bool isLinear() const { return kind == ModuleKind::Linear || kind == ModuleKind::Conv1d; }
};

/// A parameter as transformers names it, and whole names of ours, both with {} for the number of the layer.
struct NamedParameter
{
    std::string name;
    std::string own;
    /// As of NamedModule.
    std::int64_t layers = 0;
    std::int64_t firstLayer = 0;
};

/// The modules of a network by the names that transformers 5 gives them, in the order of the forward pass;
/// for networks that are code of their own on the hub, by that code. None of a network of convolutions or
/// from a file, which no trainer of adapters names here.
std::vector<NamedModule> modulesOf(const model::ModelSpec& spec);

/// The same by transformers 4, where its names were others: experts were layers each. Of experts it has the
/// first alone. Empty where nothing has changed.
std::vector<NamedModule> olderModulesOf(const model::ModelSpec& spec);

/// All parameters of these modules, a weight and the bias that it has.
std::vector<NamedParameter> parametersOf(const std::vector<NamedModule>& modules,
                                         const model::ModelSpec& spec);

/// The name with a number in it.
std::string nameOfLayer(std::string_view name, std::int64_t layer);

/// Modules that PEFT gives adapters where a config names none, as words of target_modules with blanks between
/// (TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING in PEFT 0.18, utils/constants.py); nothing for a
/// family of which it wants them named.
std::optional<std::string_view> defaultTargets(const model::ModelSpec& spec);

} // namespace batchpeak::config
