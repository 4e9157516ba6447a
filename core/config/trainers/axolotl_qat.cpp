// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "axolotl_qat.h"

#include "fake_quantization_rules.h"
#include "networks/module_names.h"
#include "networks/network_readers.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace batchpeak::config {

namespace {

using model::FakeQuantization;
using model::FakeQuantizedActivations;
using model::FakeQuantizedWeights;

constexpr std::string_view qatKey = "qat";
constexpr std::string_view weightKey = "weight_dtype";
constexpr std::string_view activationKey = "activation_dtype";
constexpr std::string_view groupKey = "group_size";
constexpr std::string_view embeddingKey = "quantize_embedding";

/// Returns one of the words of validate_ao_dtype in utils/schemas/quantization.py, with mxfp4 since axolotl
/// 0.15; empty if there is none.
std::string typeOf(const ConfigSection& qat, std::string_view key, std::string_view defaultType)
{
    const std::string type = qat.text(key).value_or(std::string(defaultType));
    if (type == "fp8" || type == "float8")
        return "float8_e4m3fn";
    if (!isAmong(type, "int4 int8 float8_e4m3fn nvfp4 mxfp4") && !type.empty())
        qat.fail(key, "is \"{}\", which axolotl does not know; write int4, int8, fp8, nvfp4 or mxfp4", type);
    return type;
}

/// Returns the group size. For null, torchao has a default of its own.
std::int64_t groupSize(const ConfigSection& qat, std::int64_t ofTorchao)
{
    if (qat.find(groupKey) && !qat.has(groupKey))
        return ofTorchao;
    return sizeOr(qat, groupKey, 32);
}

FakeQuantization narrowFloats(const ConfigSection& qat)
{
    // get_quantization_config; NVFP4InferenceConfig rounds activations whatever activation_dtype says.
    constexpr std::int64_t blockSize = 16;
    if (groupSize(qat, blockSize) != blockSize)
        qat.fail(groupKey, "is {}, but axolotl takes 16 alone with nvfp4; write that",
                 groupSize(qat, blockSize));
    // _qat_config_transform in torchao/quantization/qat/api.py.
    if (qat.isOn(embeddingKey))
        qat.fail(embeddingKey, "is True, which torchao refuses with nvfp4; write False");
    return {.weights = FakeQuantizedWeights::Nvfp4, .activations = FakeQuantizedActivations::Nvfp4};
}

FakeQuantization integers(const ConfigSection& qat, const std::string& activation)
{
    // Int4WeightOnlyConfig has groups of 128, Int8DynamicActivationInt4WeightConfig of 32
    // (torchao/quantization/quant_api.py).
    if (activation.empty())
        return {.weights = FakeQuantizedWeights::Int4, .groupSize = groupSize(qat, 128)};
    return {.weights = FakeQuantizedWeights::Int4,
            .groupSize = groupSize(qat, 32),
            .activations = FakeQuantizedActivations::Int8};
}

FakeQuantization roundingOf(const ConfigSection& qat)
{
    const std::string weight = typeOf(qat, weightKey, "int8");
    const std::string activation = typeOf(qat, activationKey, "");
    if (weight == "mxfp4" || (isAmong(weight, "int4 float8_e4m3fn") && activation == "float8_e4m3fn")) {
        refuseRun(qat.positionOf(weight == "mxfp4" ? weightKey : activationKey),
                  sentence("rounds weights and activations to {} ({})",
                           weight == "mxfp4" ? weight : activation,
                           qat.pathOf(weight == "mxfp4" ? weightKey : activationKey)),
                  reason::quantizationAware);
    }
    if (weight == "nvfp4")
        return narrowFloats(qat);
    if (weight != "int4" || !(activation.empty() || activation == "int8")) {
        qat.fail(weightKey,
                 "is {} beside {} activations, which torchao does not train; write int4 with int8 or without "
                 "activation_dtype, or nvfp4 for both",
                 weight, activation.empty() ? "unrounded" : activation);
    }
    FakeQuantization rounding = integers(qat, activation);
    rounding.embeddings = qat.isOn(embeddingKey);
    return rounding;
}

/// Refuses layers that quantize_ of torchao skips: it takes only torch.nn.Linear.
void refuseOtherLayers(const model::ModelSpec& spec, TextPosition position)
{
    const auto modules = modulesOf(spec);
    if (std::ranges::find(modules, ModuleKind::Conv1d, &NamedModule::kind) != modules.end()) {
        refuseRun(position, "rounds the layers of torch.nn.Linear alone, of which the network has few (qat)",
                  reason::quantizationAware);
    }
}

} // namespace

decltype(ConfigContents::tuningFor) withAxolotlQat(decltype(ConfigContents::tuningFor) tuning,
                                                   const ConfigSection& root, std::vector<Warning>& warnings)
{
    if (!root.isOn(qatKey))
        return tuning;
    // check_qat_config in utils/schemas/config.py.
    for (std::string_view key : {"load_in_8bit", "load_in_4bit"}) {
        if (root.isOn(key))
            root.fail(key, "is True, which axolotl refuses beside qat; write False, or remove qat");
    }
    const ConfigSection qat = *root.section(qatKey);
    FakeQuantization rounding = roundingOf(qat);
    // tie_weights() has already set its matrix to that of the embedding, but it is still a torch.nn.Linear.
    rounding.sharedOutput = true;
    warnOfDelayedRounding(qat, "fake_quant_after_n_steps", warnings);
    const NamedValue value{.path = qat.pathOf(groupKey), .position = qat.positionOf(groupKey)};
    return [own = std::move(tuning), rounding, value,
            position = root.positionOf(qatKey)](const model::ModelSpec& spec, std::vector<Warning>& found) {
        refuseOtherLayers(spec, position);
        model::Tuning rounded = own ? own(spec, found) : model::Tuning();
        rounded.fakeQuantization = rounding;
        if (rounding.weights != FakeQuantizedWeights::Nvfp4)
            checkGroups(spec, rounded, value);
        return rounded;
    };
}

} // namespace batchpeak::config
