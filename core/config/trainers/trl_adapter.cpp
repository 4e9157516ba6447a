// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trl_adapter.h"

#include "approximations.h"
#include "networks/network_readers.h"
#include "networks/peft_adapter.h"
#include "sharding.h"
#include "training_arguments.h"
#include "unmodeled_features.h"

#include <string>

namespace batchpeak::config {

namespace {

constexpr std::string_view adapterKey = "use_peft";
constexpr std::string_view targetsKey = "lora_target_modules";
constexpr std::string_view savedKey = "lora_modules_to_save";
constexpr std::string_view narrowKey = "load_in_4bit";
constexpr std::string_view byteKey = "load_in_8bit";

/// Reads quantization as get_quantization_config in trl/trainer/utils.py does.
void readQuantization(const ConfigSection& root, PeftAdapter& adapter, std::vector<Warning>& warnings)
{
    const bool isNarrow = root.isOn(narrowKey);
    if (!isNarrow && !root.isOn(byteKey))
        return;
    const bool hasSixteenBits = trlTypeOfWeights(root) != "float32";
    if (isNarrow) {
        adapter.frozenWeights = model::FrozenWeights::Nf4;
        adapter.doubleQuantization = root.boolean("use_bnb_nested_quant").value_or(false);
        if (!hasSixteenBits) {
            warnOfApproximation(
                warnings, root.positionOf(narrowKey), approximation::fp32Products,
                "The run computes with weights in fp32 that it holds in 4 bits, since dtype is "
                "not bfloat16; trials compute in bfloat16, which takes less time.");
        }
    } else {
        adapter.frozenWeights = model::FrozenWeights::Int8;
        warnOfIntegerKernels(root, byteKey, warnings);
    }
    if (!hasSixteenBits) {
        warnOfApproximation(
            warnings, trlLoading(root).positionOf(trlTypeKey(trlLoading(root))), approximation::wideWeights,
            "The run holds embeddings and normalizations in fp32, since dtype is not bfloat16; "
            "trials hold them in bfloat16, which takes less memory.");
    }
}

} // namespace

ConfigSection trlLoading(const ConfigSection& root)
{
    const ConfigSection arguments = root.sectionIfAny(trlLoadingKey);
    return !hasOneOf(root, "dtype torch_dtype") && arguments.find("dtype") ? arguments : root;
}

std::string_view trlTypeKey(const ConfigSection& loading)
{
    // torch_dtype has been called dtype since transformers 4.56.
    return loading.find("dtype") ? "dtype" : "torch_dtype";
}

std::string trlTypeOfWeights(const ConfigSection& root)
{
    const ConfigSection loading = trlLoading(root);
    const std::string_view key = trlTypeKey(loading);
    return loading.isWrittenNull(key) ? "auto" : loading.text(key).value_or("float32");
}

void warnOfTrlLoading(const ConfigSection& root, std::vector<Warning>& warnings)
{
    if (!root.isOn(trlLoadingKey))
        return;
    warn(warnings, root.positionOf(trlLoadingKey),
         "{} is heeded where a script hands the name of a network to SFTTrainer, which is taken for granted; "
         "TRL's own scripts and alignment-handbook pass over it, and take dtype and attn_implementation from "
         "beside it.",
         trlLoadingKey);
    const ConfigSection arguments = root.sectionIfAny(trlLoadingKey);
    // create_model_from_path in trl/trainer/utils.py then sets dtype to float32, which from_pretrained of
    // transformers 5.23 uses first.
    if (arguments.has("torch_dtype") && !arguments.find("dtype")) {
        warn(warnings, arguments.positionOf("torch_dtype"),
             "TRL 1.x passes over {} and loads weights in fp32; call it dtype to have it heeded.",
             arguments.pathOf("torch_dtype"));
    }
    if (arguments.isOn("quantization_config")) {
        warnOfApproximation(warnings, arguments.positionOf("quantization_config"),
                            approximation::otherQuantization,
                            "{} has the network quantized as it is loaded; trials hold it whole.",
                            arguments.pathOf("quantization_config"));
    }
}

decltype(ConfigContents::tuningFor) readTrlAdapter(const ConfigSection& root, std::vector<Warning>& warnings)
{
    for (const std::string_view key : {narrowKey, byteKey}) {
        if (root.isOn(key) && !root.isOn(adapterKey)) {
            // validate_quantization_for_training in trainer_utils.py of transformers 5.23.
            root.fail(key, "is on, but transformers trains no quantized weights without adapters; add "
                           "use_peft: true, or leave it out");
        }
    }
    if (!root.isOn(adapterKey))
        return nullptr;
    if (root.isOn("lora_target_parameters")) {
        refusePartialTraining(root.positionOf("lora_target_parameters"),
                              "adapters beside experts (lora_target_parameters)", reason::adapterOnExperts);
    }
    const std::string_view placeKey = root.has(targetsKey) ? targetsKey : adapterKey;
    const bool hasSixteenBits = trlTypeOfWeights(root) != "float32";
    const bool isNarrow = hasSixteenBits || hasDeepSpeedPrecision(root, readMixedPrecision(root, true));
    PeftAdapter adapter{.rank = sizeOr(root, "lora_r", 16),
                        .alpha = root.number("lora_alpha").value_or(32.0),
                        .dropout = dropoutRateOr(root, "lora_dropout", 0.05),
                        .rankStabilized = root.boolean("use_rslora").value_or(false),
                        .usesDora = root.boolean("use_dora").value_or(false),
                        .targets = readModuleChoice(root, targetsKey),
                        .modulesToSave = readTexts(root, savedKey),
                        .place = {.path = std::string(placeKey), .position = root.positionOf(placeKey)},
                        .frozenWeights = isNarrow ? model::FrozenWeights::Bf16 : model::FrozenWeights::Fp32};
    // __post_init__ of ModelConfig: a list of one word becomes that word, and so a pattern for whole names.
    if (const auto* names = std::get_if<std::vector<std::string>>(&adapter.targets);
        names && names->size() == 1)
        adapter.targets = std::string(names->front());
    addSavedHeads(adapter, root.text("lora_task_type").value_or(""));
    readQuantization(root, adapter, warnings);
    adapter.takesConv1d = true;
    const bool areAlike = root.isOn(narrowKey) || root.isOn(byteKey) || !hasSixteenBits;
    if (!adapter.modulesToSave.empty() && !areAlike)
        warnOfNarrowCopies(root, savedKey, warnings);
    return tuningBy(std::move(adapter));
}

} // namespace batchpeak::config
