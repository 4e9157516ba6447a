// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "torchtune_quantizer.h"

#include "fake_quantization_rules.h"
#include "networks/network_readers.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

namespace {

using model::FakeQuantizedActivations;
using model::FakeQuantizedWeights;

constexpr std::string_view quantizerKey = "quantizer";
constexpr std::string_view componentKey = "_component_";
constexpr std::string_view groupKey = "groupsize";

struct Quantizer
{
    std::string_view name;
    FakeQuantizedWeights weights = FakeQuantizedWeights::Int4;
    FakeQuantizedActivations activations = FakeQuantizedActivations::None;
};

/// The quantizers in torchao/quantization/qat/linear.py of torchao 0.13, and their older names in
/// torchtune/training/quantization.py.
constexpr std::array<Quantizer, 4> quantizers{
    {{"Int8DynActInt4WeightQATQuantizer", FakeQuantizedWeights::Int4, FakeQuantizedActivations::Int8},
     {"Int8DynActInt4WeightQATQuantizerModuleSwap", FakeQuantizedWeights::Int4,
      FakeQuantizedActivations::Int8},
     {"Int4WeightOnlyQATQuantizer", FakeQuantizedWeights::Uint4},
     {"Int4WeightOnlyQATQuantizerModuleSwap", FakeQuantizedWeights::Uint4}}};

const Quantizer& quantizerOf(const ConfigSection& section)
{
    const std::string component = section.text(componentKey).value_or("");
    const auto* found =
        std::ranges::find(quantizers, component.substr(component.rfind('.') + 1), &Quantizer::name);
    if (found == quantizers.end())
        refuseRun(section.positionOf(componentKey),
                  sentence("rounds weights by a quantizer that is not known here ({})",
                           section.pathOf(componentKey)),
                  reason::quantizationAware);
    return *found;
}

const model::DecoderSpec* decoderOf(const ConfigContents& contents)
{
    const auto* network = std::get_if<model::ModelSpec>(&contents.model);
    return network ? std::get_if<model::DecoderSpec>(&network->architecture) : nullptr;
}

/// Checks as QATLoRALinear in torchtune/modules/peft/lora.py does.
void checkAdapters(const ConfigSection& section, const ConfigContents& contents)
{
    const model::Tuning& tuning = contents.tuning;
    if (model::isQuantized(tuning.frozenWeights)) {
        section.fail(componentKey, "rounds weights in training, which torchtune refuses of weights that have "
                                   "4 bits already; write quantize_base: False, or remove quantizer");
    }
    using enum model::Projection;
    const auto* decoder = decoderOf(contents);
    const bool hasBias = decoder && decoder->attentionBias &&
                         (isTarget(tuning, Query) || isTarget(tuning, Key) || isTarget(tuning, Value));
    if (hasBias) {
        section.fail(componentKey,
                     "rounds weights in training, which torchtune refuses of layers that have a "
                     "bias beside an adapter; leave q_proj, k_proj and v_proj out of "
                     "lora_attn_modules, or remove quantizer");
    }
}

/// Checks as Int4WeightOnlyQATQuantizer and _replace_linear_int4 in
/// torchao/quantization/linear_quant_modules.py do.
void checkWeightsAlone(const ConfigSection& section, const model::FakeQuantization& rounding,
                       const ConfigContents& contents)
{
    constexpr std::array<std::int64_t, 4> sizes{32, 64, 128, 256};
    if (std::ranges::find(sizes, rounding.groupSize) == sizes.end())
        section.fail(groupKey, "is {}, but torchao takes 32, 64, 128 or 256", rounding.groupSize);
    const auto* decoder = decoderOf(contents);
    if (decoder && decoder->attentionBias) {
        refuseRun(section.positionOf(componentKey),
                  sentence("rounds the layers without a bias alone ({})", section.pathOf(componentKey)),
                  reason::quantizationAware);
    }
}

} // namespace

void readTorchtuneQuantizer(const ConfigSection& root, ConfigContents& contents)
{
    if (!root.isOn(quantizerKey))
        return;
    const ConfigSection section = *root.section(quantizerKey);
    const Quantizer& quantizer = quantizerOf(section);
    model::FakeQuantization rounding{.weights = quantizer.weights,
                                     .groupSize = sizeOr(section, groupKey, 256),
                                     .activations = quantizer.activations};
    if (contents.tuning.adapter == model::AdapterKind::Dora) {
        // swap_lora_linear_with_qat in torchtune/training/quantization.py.
        warn(contents.warnings, section.positionOf(componentKey),
             "torchtune rounds the layers of LoRA alone, so with use_dora the quantizer rounds nothing.");
        return;
    }
    if (model::hasAdapters(contents.tuning)) {
        checkAdapters(section, contents);
        rounding.adaptedLayers = true;
    }
    if (rounding.weights == FakeQuantizedWeights::Uint4)
        checkWeightsAlone(section, rounding, contents);
    contents.tuning.fakeQuantization = rounding;
    warnOfDelayedRounding(root, "fake_quant_after_n_steps", contents.warnings);
    // Without adapters, layers that the groups do not fill are skipped (_replace_linear_8da4w in the same
    // file).
    const auto* network = std::get_if<model::ModelSpec>(&contents.model);
    if (network && (rounding.adaptedLayers || rounding.weights == FakeQuantizedWeights::Uint4)) {
        checkGroups(*network, contents.tuning,
                    {.path = section.pathOf(groupKey), .position = section.positionOf(groupKey)});
    }
}

} // namespace batchpeak::config
