// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "deep_speed_format.h"

#include "cerebras/cerebras_keys.h"
#include "cerebras/cerebras_run.h"
#include "learning_rate.h"
#include "syntax/json_text.h"
#include "trainer_run.h"

#include <array>

namespace batchpeak::config {

namespace {

constexpr std::string_view clippingKey = "gradient_clipping";
constexpr std::string_view elasticityKey = "elasticity";
constexpr std::string_view zeroKey = "zero_optimization";
constexpr std::string_view enabledKey = "enabled";

constexpr std::string_view offloadEffect =
    "moves what it names off the device, which costs time and leaves room. Trials keep it there.";
/// The older names of the two offload sections: DeepSpeedZeroConfig in DeepSpeed 0.16,
/// deepspeed/runtime/zero/config.py.
constexpr std::array<RunDifference, 2> oldOffloads{
    {{"cpu_offload", offloadEffect}, {"cpu_offload_params", offloadEffect}}};

bool isAuto(const ConfigSection& section, std::string_view key)
{
    if (!section.has(key))
        return false;
    const YamlNode& value = section.find(key)->resolvedValue();
    return value.kind == NodeKind::Scalar && value.value == "auto";
}

/// False where nothing is said: FP16_ENABLED_DEFAULT and BFLOAT16_ENABLED_DEFAULT in DeepSpeed 0.16,
/// deepspeed/runtime/constants.py.
bool isEnabled(const std::optional<ConfigSection>& section)
{
    return section && !isAuto(*section, enabledKey) && section->boolean(enabledKey).value_or(false);
}

/// "device" of an offload section: "none" where nothing is said (DeepSpeedZeroOffloadParamConfig in DeepSpeed
/// 0.16, deepspeed/runtime/zero/offload_config.py).
bool offloads(const ConfigSection& zero, std::string_view key)
{
    const auto section = zero.section(key);
    return section && section->text("device").value_or("none") != "none";
}

} // namespace

DeepSpeedFormat::DeepSpeedFormat(std::shared_ptr<const YamlDocument> document)
    : m_document(std::move(document)), m_root(*m_document, m_document->root(), {}, Dialect::Json)
{}

FormatEntry DeepSpeedFormat::entry()
{
    return {.name = "DeepSpeed",
            .mark = "train_micro_batch_size_per_gpu, train_batch_size or zero_optimization in JSON",
            .usualKeys = {"train_batch_size", "train_micro_batch_size_per_gpu", "zero_optimization",
                          "gradient_clipping", "fp16.enabled", "bf16.enabled"},
            .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
                const auto root = text->document() && text->document()->isJson()
                                      ? ConfigSection::root(*text->document(), Dialect::Json)
                                      : std::nullopt;
                const bool fits = root && (root->find("train_micro_batch_size_per_gpu") ||
                                           root->find("train_batch_size") || root->find(zeroKey));
                return fits ? std::unique_ptr<ConfigFormat>(new DeepSpeedFormat(text->document())) : nullptr;
            }};
}

ConfigContents DeepSpeedFormat::read() const
{
    checkText();
    const DeepSpeedBatch batch = readBatch();
    ConfigContents contents{
        .formatName = std::string(name()),
        .model = UnsupportedModel{.sentence = "A DeepSpeed config describes no network; give the network's "
                                              "config.json or another config as the model (--model FILE).",
                                  .isElsewhere = true},
        .train = batch.plan()};
    batch.warn(contents.warnings);
    warnOfSharing(contents.warnings);
    contents.precision = readPrecision(contents.warnings);
    if (const auto optimizer = m_root.section("optimizer"); optimizer && optimizer->has("type")) {
        contents.optimizer =
            readOptimizer(*optimizer->text("type"), optimizer->positionOf("type"), contents.warnings);
    }
    if (m_root.hasSection("activation_checkpointing")) {
        contents.warnings.push_back({"activation_checkpointing only says how activations are kept where the "
                                     "program asks for it; trials keep them all unless they are told "
                                     "otherwise.",
                                     m_root.positionOf("activation_checkpointing")});
    }
    contents.step.maxGradientNorm = readClippingNorm();
    contents.training.learningRate = readLearningRate(m_root, "optimizer.params.lr");
    return contents;
}

SplicedText DeepSpeedFormat::splice(const ChosenSize& chosen) const
{
    checkText();
    if (chosen.phase == model::Phase::Eval) {
        throw ConfigError("A DeepSpeed config has no size for evaluation; write it into the config of the "
                          "program that evaluates.");
    }
    std::vector<std::string> notes;
    SplicedText spliced = withEntries(*m_document, m_root.dialect(), readBatch().changes(chosen, notes));
    spliced.notes.insert(spliced.notes.end(), notes.begin(), notes.end());
    return spliced;
}

/// DeepSpeed itself reads with hjson (DeepSpeedConfig in DeepSpeed 0.16, deepspeed/runtime/config.py), which
/// takes comments. Where "auto" is to be filled in, accelerate does, with json.load (HfDeepSpeedConfig in
/// accelerate 1.x, utils/deepspeed.py).
void DeepSpeedFormat::checkText() const
{
    const bool isFilledIn = isAuto(m_root, "train_batch_size") ||
                            isAuto(m_root, "train_micro_batch_size_per_gpu") ||
                            isAuto(m_root, "gradient_accumulation_steps");
    requireJson(m_document->text(), isFilledIn ? JsonComments::Refused : JsonComments::Allowed);
}

DeepSpeedBatch DeepSpeedFormat::readBatch() const
{
    const auto elasticity = m_root.section(elasticityKey);
    if (elasticity && elasticity->boolean("enabled").value_or(false)) {
        m_root.fail(elasticityKey, "is enabled, so that DeepSpeed chooses all batch sizes itself and takes "
                                   "none from this config; switch it off to write one");
    }
    return DeepSpeedBatch(m_root);
}

/// DeepSpeed keeps fp32 copies of half-precision parameters in its optimizers.
model::Precision DeepSpeedFormat::readPrecision(std::vector<Warning>& warnings) const
{
    // "bfloat16" is the older name: BFLOAT16_OLD in DeepSpeed 0.16, deepspeed/runtime/constants.py.
    const std::string_view bf16Key = m_root.has("bf16") ? "bf16" : "bfloat16";
    const auto bf16 = m_root.section(bf16Key);
    const auto fp16 = m_root.section("fp16");
    if (isEnabled(bf16) && isEnabled(fp16))
        m_root.fail("fp16", "is enabled beside bf16, of which a run can have one; switch either off");
    if (isEnabled(fp16))
        warnOfFloat16(fp16->positionOf(enabledKey), warnings);
    if (isEnabled(bf16) || isEnabled(fp16))
        return model::Precision::PureBf16;
    for (const auto& section : {bf16, fp16}) {
        if (section && isAuto(*section, enabledKey)) {
            warnings.push_back(
                {section->pathOf(enabledKey) +
                     " is \"auto\", which the Hugging Face Trainer's own config decides; trials "
                     "run in bfloat16 unless they are told otherwise.",
                 section->positionOf(enabledKey)});
            return model::Precision::PureBf16;
        }
    }
    return model::Precision::Fp32;
}

double DeepSpeedFormat::readClippingNorm() const
{
    // 1.0 is what the Trainer fills in where it is not told otherwise: TrainingArguments.max_grad_norm in
    // transformers 5.23.
    if (isAuto(m_root, clippingKey))
        return 1.0;
    // GRADIENT_CLIPPING_DEFAULT in DeepSpeed 0.16, deepspeed/runtime/constants.py.
    return clippingNormOr(m_root, clippingKey, 0.0);
}

void DeepSpeedFormat::warnOfSharing(std::vector<Warning>& warnings) const
{
    // A mapping, or True for stage 1 in old configs: read_zero_config_deprecated in DeepSpeed 0.16,
    // deepspeed/runtime/zero/config.py.
    const bool isSection = m_root.hasSection(zeroKey);
    const bool isOn = isSection ? m_root.section(zeroKey)->integer("stage").value_or(0) > 0
                                : m_root.boolean(zeroKey).value_or(false);
    if (isOn) {
        warnings.push_back(
            {"ZeRO spreads the state of the optimizer, and from stage 2 on more, over devices. "
             "Trials hold all of it on one, so that larger sizes may fit in the run.",
             m_root.positionOf(zeroKey)});
    }
    if (!isSection)
        return;
    const ConfigSection zero = *m_root.section(zeroKey);
    warnOfDifferences(zero, oldOffloads, warnings);
    for (std::string_view key : {"offload_optimizer", "offload_param"}) {
        if (offloads(zero, key))
            warnings.push_back({zero.pathOf(key) + " " + std::string(offloadEffect), zero.positionOf(key)});
    }
}

} // namespace batchpeak::config
