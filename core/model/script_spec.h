// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "enum_names.h"
#include "parameter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::model {

enum class ScriptInputType { Float32, Int64 };
/// Return value of a module's forward: a loss that is a mean over the samples, or logits.
enum class ScriptOutput { Loss, Logits };

constexpr EnumNames<ScriptInputType, 2> wordsOf(ScriptInputType)
{
    return {{{ScriptInputType::Float32, "float32"}, {ScriptInputType::Int64, "int64"}}};
}

constexpr EnumNames<ScriptOutput, 2> wordsOf(ScriptOutput)
{
    return {{{ScriptOutput::Loss, "loss"}, {ScriptOutput::Logits, "logits"}}};
}

/// One argument of a module's forward, as it is generated for a trial.
struct ScriptInput
{
    /// Shape of one sample; the micro-batch is the dimension before these.
    std::vector<std::int64_t> shape;
    ScriptInputType type = ScriptInputType::Float32;
    /// Integers are drawn from 0 to one less than this; floats from a normal distribution.
    std::int64_t upperBound = 0;

    bool operator==(const ScriptInput&) const = default;
};

/// A network in a TorchScript file (torch.jit.save), with the inputs that it takes.
///
/// Only the file contains its layers and parameters, and core/model does not open the file: the parameters
/// are counted when it is loaded.
struct ScriptSpec
{
    /// Path of the file. The caller, who knows the base folder, resolves a relative path.
    std::string file;
    std::vector<ScriptInput> inputs;
    ScriptOutput output = ScriptOutput::Loss;
    /// For logits: size of their last dimension. The loss is cross entropy with random targets.
    std::int64_t classes = 0;
    /// For logits: number of rows per sample, 1 for a classifier of whole samples, the sequence length for a
    /// language model.
    std::int64_t targetsPerSample = 1;

    bool operator==(const ScriptSpec&) const = default;
};

std::optional<std::string> problemWith(const ScriptSpec& spec);

/// Returns an empty table, see ScriptSpec.
std::vector<Parameter> parameterTable(const ScriptSpec& spec);

} // namespace batchpeak::model
