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
/// What a module's forward returns: a loss that is a mean over the samples, or logits.
enum class ScriptOutput { Loss, Logits };

constexpr EnumNames<ScriptInputType, 2> wordsOf(ScriptInputType)
{
    return {{{ScriptInputType::Float32, "float32"}, {ScriptInputType::Int64, "int64"}}};
}

constexpr EnumNames<ScriptOutput, 2> wordsOf(ScriptOutput)
{
    return {{{ScriptOutput::Loss, "loss"}, {ScriptOutput::Logits, "logits"}}};
}

/// One argument of a module's forward, as it is made for a trial.
struct ScriptInput
{
    /// Of one sample: the micro-batch is the dimension before these.
    std::vector<std::int64_t> shape;
    ScriptInputType type = ScriptInputType::Float32;
    /// Integers are drawn from 0 to one less than this; floats from a normal distribution.
    std::int64_t upperBound = 0;

    bool operator==(const ScriptInput&) const = default;
};

/// A network in a TorchScript file (torch.jit.save), with the inputs that it is to be given.
///
/// What it consists of is in the file alone, which this room does not open: its parameters are counted
/// when it is loaded.
struct ScriptSpec
{
    /// Path of the file. A relative one is to be resolved by who knows the folder that it is relative to.
    std::string file;
    std::vector<ScriptInput> inputs;
    ScriptOutput output = ScriptOutput::Loss;
    /// Of logits: size of their last dimension. Cross entropy is taken against random targets.
    std::int64_t classes = 0;
    /// Of logits: how many rows of them there are for each sample, 1 for a classifier of whole samples, the
    /// sequence length for a language model.
    std::int64_t targetsPerSample = 1;

    bool operator==(const ScriptSpec&) const = default;
};

std::optional<std::string> problemWith(const ScriptSpec& spec);

/// Empty: see above.
std::vector<Parameter> parameterTable(const ScriptSpec& spec);

} // namespace batchpeak::model
