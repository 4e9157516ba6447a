// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "deep_speed_settings.h"

#include "approximations.h"
#include "run_reader.h"
#include "sharding.h"
#include "unmodeled_features.h"

#include <array>

namespace batchpeak::config {

namespace {

constexpr std::string_view zeroKey = "zero_optimization";
constexpr std::string_view enabledKey = "enabled";
constexpr std::string_view clippingKey = "gradient_clipping";

/// Whether a section is enabled. The default is false: FP16_ENABLED_DEFAULT and BFLOAT16_ENABLED_DEFAULT in
/// DeepSpeed 0.16, deepspeed/runtime/constants.py.
bool isEnabled(const ConfigSection& section)
{
    return !isAuto(section, enabledKey) && section.boolean(enabledKey).value_or(false);
}

/// Returns the section "bf16", or "bfloat16", which is its older name: BFLOAT16_OLD in DeepSpeed 0.16,
/// deepspeed/runtime/constants.py.
ConfigSection bfloat16Section(const ConfigSection& settings)
{
    return settings.sectionAt(settings.has("bf16") ? "bf16" : "bfloat16");
}

/// Whether "device" of an offload section moves data to the host. The default is "none"
/// (DeepSpeedZeroOffloadParamConfig in DeepSpeed 0.16, deepspeed/runtime/zero/offload_config.py).
bool offloads(const ConfigSection& zero, std::string_view key)
{
    return zero.sectionAt(key).text("device").value_or("none") != "none";
}

/// Returns the ZeRO stage. The default is 0: DeepSpeedZeroConfig in DeepSpeed 0.16,
/// deepspeed/runtime/zero/config.py. In old configs True means stage 1: read_zero_config_deprecated there.
std::int64_t readStage(const ConfigSection& settings)
{
    if (!settings.hasSection(zeroKey))
        return settings.boolean(zeroKey).value_or(false) ? 1 : 0;
    const ConfigSection zero = settings.sectionIfAny(zeroKey);
    const std::int64_t stage = zero.integer("stage").value_or(0);
    if (stage < 0 || stage > 3)
        zero.fail("stage", "is {}; write 0, 1, 2 or 3", stage);
    return stage;
}

/// Whether data is kept in the host's memory, by the key of its section or the older name of that key, which
/// DeepSpeedZeroConfig still accepts.
bool isOffloaded(const ConfigSection& zero, std::string_view key, std::string_view olderKey)
{
    return offloads(zero, key) || zero.isOn(olderKey);
}

void readOffloads(const ConfigSection& zero, ConfigContents& contents)
{
    if (isOffloaded(zero, "offload_optimizer", "cpu_offload")) {
        contents.step.optimizerOnHost = true;
        const std::string_view key =
            offloads(zero, "offload_optimizer") ? "offload_optimizer" : "cpu_offload";
        warnOfApproximation(
            contents.warnings, zero.positionOf(key), approximation::hostOptimizer,
            "{} keeps the optimizer's state off the device and steps there, at the speed of the "
            "host's processor.",
            zero.pathOf(key));
    }
    if (isOffloaded(zero, "offload_param", "cpu_offload_params")) {
        const std::string_view key = offloads(zero, "offload_param") ? "offload_param" : "cpu_offload_params";
        warnOfApproximation(
            contents.warnings, zero.positionOf(key), approximation::hostWeights,
            "{} keeps weights off the device until a layer needs them, which costs time and leaves "
            "room; trials keep them there.",
            zero.pathOf(key));
    }
}

void readSharing(const ConfigSection& settings, ConfigContents& contents)
{
    constexpr std::array stages{model::Sharding::None, model::Sharding::Optimizer, model::Sharding::Gradients,
                                model::Sharding::Parameters};
    contents.step.sharding = stages.at(static_cast<std::size_t>(readStage(settings)));
    contents.step.shardingLibrary = model::ShardingLibrary::DeepSpeed;
    const BatchPlan& plan = *contents.train;
    const bool isAlone = plan.knowsDevices && plan.devices == 1;
    if (contents.step.sharding != model::Sharding::None && !isAlone) {
        warnOfApproximation(
            contents.warnings, settings.positionOf(zeroKey), approximation::sharding,
            "ZeRO spreads the optimizer's state, and from stage 2 on more, over devices; what they "
            "send each other is not measured{}.",
            uncountedDevicesText(plan));
    }
    readOffloads(settings.sectionIfAny(zeroKey), contents);
}

/// Features that sections of DeepSpeed's engine add to a step.
constexpr std::array<UnmodeledFeature, 4> differences{
    {{.key = "compression_training",
      .text = "The run trains a compressed network ({}); trials run it as it is.",
      .approximation = approximation::sparseWeights},
     {.key = "sparse_attention",
      .text = "The run has sparse attention ({}); trials have all of it.",
      .approximation = approximation::sparseAttention},
     {.key = "progressive_layer_drop",
      .text = "The run leaves out layers at random ({}); trials run all of them.",
      .approximation = approximation::droppedLayers},
     {.key = "curriculum_learning",
      .text = "The run begins with shorter samples ({}); trials run the longest."}}};

void checkSwitch(const ConfigSection& section, bool isOn, std::string_view type)
{
    if (isAuto(section, enabledKey) || section.boolean(enabledKey).value_or(isOn) == isOn)
        return;
    section.fail(enabledKey,
                 "is {}, but the run {} in {}, and the Hugging Face Trainer refuses DeepSpeed settings that "
                 "say otherwise than its own; write \"auto\"",
                 isOn ? "false" : "true", isOn ? "computes" : "does not compute", type);
}

} // namespace

bool isAuto(const ConfigSection& section, std::string_view key)
{
    const YamlNode* value = section.value(key);
    return value && value->kind == NodeKind::Scalar && value->value == "auto";
}

void readDeepSpeedStep(const ConfigSection& settings, ConfigContents& contents)
{
    readSharing(settings, contents);
    warnOf(settings, differences, contents.warnings);
}

void readDeepSpeedPrecision(const ConfigSection& settings, ConfigContents& contents)
{
    const ConfigSection bf16 = bfloat16Section(settings);
    const ConfigSection fp16 = settings.sectionAt("fp16");
    if (isEnabled(bf16) && isEnabled(fp16))
        settings.fail("fp16", "is enabled beside bf16, of which a run can have one; switch either off");
    if (isEnabled(bf16) || isEnabled(fp16)) {
        contents.places.precision = (isEnabled(bf16) ? bf16 : fp16).placeOf(enabledKey);
        contents.precision = isEnabled(bf16) ? model::Precision::PureBf16 : model::Precision::PureFp16;
        warnOfDeepSpeedGradients(settings, contents);
        return;
    }
    for (const auto& section : {bf16, fp16}) {
        if (isAuto(section, enabledKey)) {
            contents.places.precision = section.placeOf(enabledKey);
            warnOfApproximation(
                contents.warnings, section.positionOf(enabledKey), approximation::otherPrecision,
                "{} is \"auto\": the Hugging Face Trainer's own config decides it; trials run in bfloat16 "
                "unless told otherwise.",
                section.pathOf(enabledKey));
            contents.precision = model::Precision::PureBf16;
            return;
        }
    }
    contents.precision = model::Precision::Fp32;
}

void checkDeepSpeedPrecision(const ConfigSection& settings, model::Precision mixed)
{
    // trainer_config_process of HfTrainerDeepSpeedConfig in transformers 5, integrations/deepspeed.py.
    checkSwitch(bfloat16Section(settings), mixed == model::Precision::Bf16, "bfloat16");
    checkSwitch(settings.sectionAt("fp16"), mixed == model::Precision::Fp16, "float16");
}

void warnOfDeepSpeedGradients(const ConfigSection& settings, ConfigContents& contents)
{
    if (contents.precision != model::Precision::PureBf16)
        return;
    // get_data_types in DeepSpeed 0.16, deepspeed/runtime/engine.py: the default without ZeRO is fp32.
    const ConfigSection types = settings.sectionAt("data_types");
    const std::string type =
        types.text("grad_accum_dtype").value_or(readStage(settings) == 0 ? "fp32" : "bf16");
    if (type != "fp32")
        return;
    const ConfigSection bf16 = bfloat16Section(settings);
    warnOfApproximation(
        contents.warnings, bf16.positionOf(enabledKey), approximation::fp32Gradients,
        "The run adds gradients up in fp32, 2 bytes a parameter more than in trials; leave memory "
        "free for them.");
}

double readDeepSpeedClipping(const ConfigSection& settings, double ofTrainer)
{
    // GRADIENT_CLIPPING_DEFAULT in DeepSpeed 0.16, deepspeed/runtime/constants.py, is 0.
    return isAuto(settings, clippingKey) ? ofTrainer : readGradientNorm(settings, clippingKey, 0.0);
}

void refuseCutLayers(const ConfigSection& settings)
{
    constexpr std::string_view key = "autotp_size";
    const ConfigSection cut = settings.sectionAt("tensor_parallel");
    if (!isAuto(cut, key) && cut.integer(key).value_or(1) > 1)
        refuseRun(cut.positionOf(key),
                  sentence("cuts each layer over several devices ({})", cut.pathOf(key)));
}

} // namespace batchpeak::config
