// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint_weights.h"

#include "approximations.h"
#include "hugging_face_networks.h"

namespace batchpeak::config {

using model::FrozenWeights;

namespace {

constexpr std::string_view sectionKey = "quantization_config";

FrozenWeights weightsOf(const ConfigSection& quantization)
{
    const std::string method = quantization.text("quant_method").value_or("");
    if (method == "bitsandbytes") {
        if (quantization.boolean("load_in_4bit").value_or(false))
            return FrozenWeights::Nf4;
        return quantization.boolean("load_in_8bit").value_or(false) ? FrozenWeights::Int8
                                                                    : FrozenWeights::Same;
    }
    if (method != "gptq" && method != "awq")
        return FrozenWeights::Same;
    const std::int64_t bits = quantization.integer("bits").value_or(4);
    return bits == 4 ? FrozenWeights::Nf4 : bits == 8 ? FrozenWeights::Int8 : FrozenWeights::Same;
}

} // namespace

model::Tuning readCheckpointWeights(const ConfigSection& config, std::vector<Warning>& warnings)
{
    model::Tuning tuning;
    if (!config.has(sectionKey))
        return tuning;
    const ConfigSection section = config.sectionIfAny(sectionKey);
    tuning.frozenWeights = weightsOf(section);
    if (tuning.frozenWeights == FrozenWeights::Same)
        refuse(config, sectionKey, "quantized weights");
    tuning.doubleQuantization = section.boolean("bnb_4bit_use_double_quant").value_or(false);
    const bool isOfRun = section.text("quant_method") == "bitsandbytes";
    warnOfQuantizedWeights(tuning.frozenWeights, isOfRun, config.positionOf(sectionKey),
                           config.pathOf(sectionKey), warnings);
    return tuning;
}

void warnOfQuantizedWeights(FrozenWeights weights, bool isOfBitsandbytes, TextPosition position,
                            std::string_view sentence, std::vector<Warning>& warnings)
{
    const bool isNarrow = weights == FrozenWeights::Nf4;
    warnOfApproximation(
        warnings, position,
        !isOfBitsandbytes ? approximation::otherQuantization
        : isNarrow        ? approximation::kernel4bit
                          : approximation::kernel8bit,
        "The weights are quantized already ({}); trials hold those that stay as they are in {}, "
        "and all that are trained whole.",
        sentence, isNarrow ? "4-bit NormalFloat" : "8-bit integers");
}

void takeCheckpointWeights(const model::Tuning& network, model::Tuning& run)
{
    // A run that quantizes the weights itself sets this in keys of its own.
    if (network.frozenWeights == FrozenWeights::Same || model::isQuantized(run.frozenWeights))
        return;
    run.frozenWeights = network.frozenWeights;
    run.doubleQuantization = network.doubleQuantization;
}

} // namespace batchpeak::config
