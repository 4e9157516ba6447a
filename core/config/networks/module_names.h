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
    /// A linear layer of GPT-2, whose matrix is transposed: Conv1D of transformers is no torch.nn.Linear.
    Conv1d,
    Embedding,
    Normalization,
    /// The router of experts, which is a module of its own kind since transformers 5.
    Router,
    /// The matrices of all experts together: a parameter, not a module.
    Experts,
    /// A convolution, or a parameter that belongs to no module with a name.
    Other
};

/// A module of a network as transformers names it. Modules that only contain others are left out.
struct NamedModule
{
    /// Name of the module, with {} for the number of the layer: "model.layers.{}.self_attn.q_proj".
    std::string name;
    ModuleKind kind = ModuleKind::Linear;
    /// Range of the numbers that replace {}: from firstLayer, the first layer that has the module, up to but
    /// not including layers. layers is 0 for a module outside of layers.
    std::int64_t layers = 0;
    std::int64_t firstLayer = 0;
    /// Projection of a linear layer that can have an adapter.
    std::optional<model::Projection> projection;
    /// Whether the name is that of the parameter itself, without ".weight" at its end.
    bool isParameter = false;
    /// Name in our parameter table, without ".weight" and with {} too. "output" is used even if the output
    /// shares the matrix of the embedding.
    std::string parameter;

    bool isLinear() const { return kind == ModuleKind::Linear || kind == ModuleKind::Conv1d; }
};

/// A parameter: its name in transformers and its full name in our table, both with {} for the number of the
/// layer.
struct NamedParameter
{
    std::string name;
    std::string own;
    /// See NamedModule.
    std::int64_t layers = 0;
    std::int64_t firstLayer = 0;
};

/// Returns the modules of a network with their names in transformers 5, in the order of the forward pass; if
/// the network is custom code on the hub, with the names in that code. Returns none for a network of
/// convolutions or one from a file, which no trainer of adapters names here.
std::vector<NamedModule> modulesOf(const model::ModelSpec& spec);

/// Returns the modules with their names in transformers 4, if those differ: each expert was a layer of its
/// own. Of the experts, only the first is listed. Returns none if no name has changed.
std::vector<NamedModule> olderModulesOf(const model::ModelSpec& spec);

/// Returns all parameters of these modules: each weight, and the bias if there is one.
std::vector<NamedParameter> parametersOf(const std::vector<NamedModule>& modules,
                                         const model::ModelSpec& spec);

/// Returns the name with the number of a layer in place of {}.
std::string nameOfLayer(std::string_view name, std::int64_t layer);

/// Returns the modules to which PEFT adds adapters if a config names none, as words of target_modules
/// separated by blanks (TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING in PEFT 0.18, utils/constants.py);
/// nothing for a family for which PEFT requires names.
std::optional<std::string_view> defaultTargets(const model::ModelSpec& spec);

} // namespace batchpeak::config
