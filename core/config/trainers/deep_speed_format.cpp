// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_schemes.h"
#include "differences.h"
#include "format.h"
#include "run_reader.h"
#include "syntax/json_text.h"

#include <array>

namespace batchpeak::config {

/// Configs of DeepSpeed, in JSON: batches, precision and how the network is shared out over devices.
///
/// They describe no network and no texts, and training alone. The micro-batch size stands under
/// train_micro_batch_size_per_gpu.
namespace {

constexpr std::string_view batchKey = "train_batch_size";
constexpr std::string_view microKey = "train_micro_batch_size_per_gpu";
constexpr std::string_view stepsKey = "gradient_accumulation_steps";
constexpr std::string_view autoWord = "auto";

bool isAuto(const ConfigSection& section, std::string_view key)
{
    if (!section.has(key))
        return false;
    const YamlNode& value = section.find(key)->resolvedValue();
    return value.kind == NodeKind::Scalar && value.value == autoWord;
}

/// The three numbers of a DeepSpeed config that make a batch, by its rule train_batch_size ==
/// train_micro_batch_size_per_gpu * gradient_accumulation_steps * world size (_batch_assertion and
/// _set_batch_related_parameters of DeepSpeedConfig in DeepSpeed 0.16, deepspeed/runtime/config.py).
///
/// Each may be absent, and "auto" where the Hugging Face Trainer fills it in from its own config. The world
/// size is in the config only where all three are numbers; else counts are those of one device.
class DeepSpeedBatch
{
public:
    /// \throws ConfigError where a number is illegal, three are at odds, or none makes a batch
    explicit DeepSpeedBatch(const ConfigSection& root);

    /// The keys that are "auto".
    bool isFilledIn() const;

    /// Where the config does not know its batch, because it is filled in, that counts as one sample.
    BatchPlan plan() const;

    void warn(std::vector<Warning>& warnings) const;

    /// What writes a size and keeps the three as they should be.
    /// \param notes  receives what has to be known of other devices and of the Trainer's own config
    /// \throws BatchNotKept, ConfigError as wholeBatch() does; ConfigError where a batch was chosen and the
    ///         Trainer's config decides it
    std::vector<EntryChange> changes(const ChosenSize& chosen, std::vector<std::string>& notes) const;

private:
    struct Number
    {
        std::optional<std::int64_t> value;
        bool isAuto = false;
    };

    Number read(std::string_view key) const;
    void check() const;
    bool knowsDevices() const { return m_batch.value && m_micro.value && m_steps.value; }
    bool knowsBatch() const;
    std::optional<std::int64_t> presentSize() const;
    std::vector<EntryChange> filledInChanges(const ChosenSize& chosen, std::vector<std::string>& notes) const;
    std::vector<EntryChange> knownChanges(const ChosenSize& chosen, std::vector<std::string>& notes) const;
    bool needsSteps(std::int64_t steps) const;

    ConfigSection m_root;
    Number m_batch;
    Number m_micro;
    Number m_steps;
};

DeepSpeedBatch::DeepSpeedBatch(const ConfigSection& root)
    : m_root(root), m_batch(read(batchKey)), m_micro(read(microKey)), m_steps(read(stepsKey))
{
    check();
}

DeepSpeedBatch::Number DeepSpeedBatch::read(std::string_view key) const
{
    if (!m_root.has(key))
        return {};
    if (isAuto(m_root, key))
        return {.isAuto = true};
    return {.value = countOr(m_root, key, 1)};
}

void DeepSpeedBatch::check() const
{
    const bool hasSize = m_micro.value || m_micro.isAuto;
    if (!hasSize && !m_batch.value && !m_batch.isAuto) {
        throw ConfigError("The config has neither train_batch_size nor train_micro_batch_size_per_gpu, of "
                          "which DeepSpeed needs one; write either.",
                          m_root.positionOf(microKey));
    }
    if (!m_batch.value)
        return;
    const std::int64_t unit = m_micro.value.value_or(1) * m_steps.value.value_or(1);
    if (*m_batch.value % unit != 0) {
        m_root.fail(batchKey, "is " + std::to_string(*m_batch.value) + ", no multiple of " +
                                  std::to_string(unit) + ", which is " +
                                  (m_micro.value && m_steps.value
                                       ? std::string(microKey) + " * " + std::string(stepsKey)
                                       : std::string(m_micro.value ? microKey : stepsKey)) +
                                  "; DeepSpeed wants that times the devices, so correct one of them");
    }
}

bool DeepSpeedBatch::isFilledIn() const
{
    return m_batch.isAuto || m_micro.isAuto || m_steps.isAuto;
}

bool DeepSpeedBatch::knowsBatch() const
{
    // Of the micro-batch alone, one makes a step; beside an "auto" that is for the Trainer's config to say.
    const bool isOneStep = !m_steps.value && !m_steps.isAuto && !m_batch.isAuto;
    return m_batch.value || (m_micro.value && (m_steps.value || isOneStep));
}

std::optional<std::int64_t> DeepSpeedBatch::presentSize() const
{
    if (m_micro.value || m_micro.isAuto)
        return m_micro.value;
    const bool isDecided = m_batch.value && !m_steps.isAuto;
    return isDecided ? std::optional(*m_batch.value / m_steps.value.value_or(1)) : std::nullopt;
}

BatchPlan DeepSpeedBatch::plan() const
{
    BatchPlan plan{.setting = Explore{},
                   .presentSize = presentSize(),
                   .knowsDevices = knowsDevices(),
                   .microBatchKey = std::string(microKey),
                   .globalBatchKey = std::string(batchKey)};
    if (knowsDevices())
        plan.devices = *m_batch.value / (*m_micro.value * *m_steps.value);
    if (m_batch.value)
        plan.globalBatchSize = *m_batch.value;
    else if (knowsBatch())
        plan.globalBatchSize = *m_micro.value * m_steps.value.value_or(1);
    if (!m_batch.value)
        plan.globalBatchKey = std::string(microKey) + " * " + std::string(stepsKey);
    return plan;
}

void DeepSpeedBatch::warn(std::vector<Warning>& warnings) const
{
    if (!knowsBatch()) {
        warnings.push_back({"The batch is \"auto\": the Hugging Face Trainer fills it in from its own config "
                            "(per_device_train_batch_size, gradient_accumulation_steps), which decides; open "
                            "that one to keep its batch. Here it counts as 1.",
                            m_root.positionOf(m_micro.isAuto ? microKey : stepsKey)});
    } else if (m_batch.value && !knowsDevices()) {
        warnings.push_back({"The config does not say over how many devices train_batch_size goes; counts are "
                            "those of one.",
                            m_root.positionOf(batchKey)});
    }
}

std::vector<EntryChange> DeepSpeedBatch::changes(const ChosenSize& chosen,
                                                 std::vector<std::string>& notes) const
{
    if (isFilledIn()) {
        notes.push_back("The Hugging Face Trainer refuses a config of its own that says otherwise: write "
                        "per_device_train_batch_size " +
                        std::to_string(chosen.microBatchSize) +
                        " there too, with the gradient_accumulation_steps that keep its batch.");
    }
    return knowsBatch() ? knownChanges(chosen, notes) : filledInChanges(chosen, notes);
}

/// The Trainer's config goes on deciding the accumulation, and with it the batch.
std::vector<EntryChange> DeepSpeedBatch::filledInChanges(const ChosenSize& chosen,
                                                         std::vector<std::string>& notes) const
{
    if (chosen.globalBatchSize) {
        throw ConfigError("The batch of a step is \"auto\" here, so that the Hugging Face Trainer's own "
                          "config decides it; choose the batch there.",
                          m_root.positionOf(batchKey));
    }
    std::vector<EntryChange> changes{plainBatchChange(microKey, batchKey, chosen)};
    const bool decidesSteps = m_steps.value || (!m_steps.isAuto && !m_batch.isAuto);
    if (m_micro.value || !decidesSteps)
        return changes;
    changes.push_back({.key = std::string(stepsKey), .value = "\"auto\"", .below = std::string(microKey)});
    notes.emplace_back(
        "gradient_accumulation_steps is \"auto\" now, as the size was, so that the Trainer's config decides "
        "how many micro-batches make a step.");
    return changes;
}

std::vector<EntryChange> DeepSpeedBatch::knownChanges(const ChosenSize& chosen,
                                                      std::vector<std::string>& notes) const
{
    const BatchPlan before = plan();
    const WholeBatch batch = wholeBatch(before, chosen, before.globalBatchKey,
                                        m_root.positionOf(m_batch.value ? batchKey : microKey));
    std::vector<EntryChange> changes{countChange(microKey, chosen.microBatchSize, batchKey)};
    if (needsSteps(batch.accumulationSteps))
        changes.push_back(countChange(stepsKey, batch.accumulationSteps, microKey));
    if (m_batch.value)
        changes.push_back(countChange(batchKey, batch.globalBatchSize, {}));
    if (!m_batch.value || m_micro.value || !m_steps.value) {
        if (m_batch.value && !before.knowsDevices) {
            notes.push_back("On several devices, train_batch_size has to be a multiple of " +
                            std::to_string(chosen.microBatchSize) + " times their number.");
        }
        return changes;
    }
    notes.push_back("The three sizes are right for one device now, which DeepSpeed checks; on more, divide "
                    "gradient_accumulation_steps, " +
                    std::to_string(batch.accumulationSteps) + ", by their number.");
    return changes;
}

/// Where the accumulation is not written, DeepSpeed makes it of the other two; of a micro-batch alone it
/// makes one.
bool DeepSpeedBatch::needsSteps(std::int64_t steps) const
{
    return m_steps.value || (!m_batch.value && steps > 1);
}

constexpr std::string_view clippingKey = "gradient_clipping";
constexpr std::string_view elasticityKey = "elasticity";
constexpr std::string_view zeroKey = "zero_optimization";
constexpr std::string_view enabledKey = "enabled";

constexpr RunKeys runKeys{.optimizer = "optimizer.type", .learningRate = "optimizer.params.lr"};

constexpr std::string_view offloadEffect =
    "{} moves what it names off the device, which costs time and leaves room. Trials keep it there.";
/// The older names of the two offload sections: DeepSpeedZeroConfig in DeepSpeed 0.16,
/// deepspeed/runtime/zero/config.py.
constexpr std::array<Difference, 2> oldOffloads{
    {{"cpu_offload", offloadEffect}, {"cpu_offload_params", offloadEffect}}};

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

/// DeepSpeed itself reads with hjson (DeepSpeedConfig in DeepSpeed 0.16, deepspeed/runtime/config.py), which
/// takes comments. Where "auto" is to be filled in, accelerate does, with json.load (HfDeepSpeedConfig in
/// accelerate 1.x, utils/deepspeed.py).
void checkText(const ConfigSection& root)
{
    const bool isFilledIn = isAuto(root, batchKey) || isAuto(root, microKey) || isAuto(root, stepsKey);
    requireJson(root.document().text(), isFilledIn ? JsonComments::Refused : JsonComments::Allowed);
}

DeepSpeedBatch readBatch(const ConfigSection& root)
{
    const auto elasticity = root.section(elasticityKey);
    if (elasticity && elasticity->boolean(enabledKey).value_or(false)) {
        root.fail(elasticityKey, "is enabled, so that DeepSpeed chooses all batch sizes itself and takes "
                                 "none from this config; switch it off to write one");
    }
    return DeepSpeedBatch(root);
}

/// DeepSpeed keeps fp32 copies of half-precision parameters in its optimizers.
model::Precision readPrecision(const ConfigSection& root, std::vector<Warning>& warnings)
{
    // "bfloat16" is the older name: BFLOAT16_OLD in DeepSpeed 0.16, deepspeed/runtime/constants.py.
    const auto bf16 = root.section(root.has("bf16") ? "bf16" : "bfloat16");
    const auto fp16 = root.section("fp16");
    if (isEnabled(bf16) && isEnabled(fp16))
        root.fail("fp16", "is enabled beside bf16, of which a run can have one; switch either off");
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

void warnOfSharing(const ConfigSection& root, std::vector<Warning>& warnings)
{
    // A mapping, or True for stage 1 in old configs: read_zero_config_deprecated in DeepSpeed 0.16,
    // deepspeed/runtime/zero/config.py.
    const auto zero = root.sectionIfAny(zeroKey);
    const bool isOn = zero ? zero->integer("stage").value_or(0) > 0 : root.boolean(zeroKey).value_or(false);
    if (isOn) {
        warnings.push_back(
            {"ZeRO spreads the state of the optimizer, and from stage 2 on more, over devices. "
             "Trials hold all of it on one, so that larger sizes may fit in the run.",
             root.positionOf(zeroKey)});
    }
    if (!zero)
        return;
    warnOf(*zero, oldOffloads, warnings);
    for (std::string_view key : {"offload_optimizer", "offload_param"}) {
        if (offloads(*zero, key))
            warnOf(*zero, std::array{Difference{key, offloadEffect}}, warnings);
    }
}

bool fits(const ConfigText& text)
{
    const auto root = text.document() && text.document()->isJson() ? text.root(Dialect::Json) : std::nullopt;
    return root && (root->find(microKey) || root->find(batchKey) || root->find(zeroKey));
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root(Dialect::Json);
    checkText(root);
    const DeepSpeedBatch batch = readBatch(root);
    ConfigContents contents{.model = modelFromElsewhere("A DeepSpeed config describes no network; give the "
                                                        "network's config.json or another config as the "
                                                        "model (--model FILE)."),
                            .train = batch.plan()};
    batch.warn(contents.warnings);
    warnOfSharing(root, contents.warnings);
    contents.precision = readPrecision(root, contents.warnings);
    readRun(root, runKeys, contents);
    if (root.hasSection("activation_checkpointing")) {
        contents.warnings.push_back({"activation_checkpointing only says how activations are kept where the "
                                     "program asks for it; trials keep them all unless they are told "
                                     "otherwise.",
                                     root.positionOf("activation_checkpointing")});
    }
    // Of "auto" the Trainer makes 1.0 where it is not told otherwise: TrainingArguments.max_grad_norm in
    // transformers 5.23. Else 0: GRADIENT_CLIPPING_DEFAULT in DeepSpeed 0.16, deepspeed/runtime/constants.py.
    contents.step.maxGradientNorm =
        isAuto(root, clippingKey) ? 1.0 : readGradientNorm(root, clippingKey, 0.0);
    return contents;
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root(Dialect::Json);
    checkText(root);
    if (chosen.phase == model::Phase::Eval) {
        throw ConfigError("A DeepSpeed config has no size for evaluation; write it into the config of the "
                          "program that evaluates.");
    }
    std::vector<std::string> notes;
    const std::vector<EntryChange> changes = readBatch(root).changes(chosen, notes);
    return withChanges(root, changes, notes);
}

} // namespace

constinit const Format deepSpeedFormat{
    .name = "DeepSpeed",
    .mark = "train_micro_batch_size_per_gpu, train_batch_size or zero_optimization in JSON",
    .usualKeys = "train_batch_size train_micro_batch_size_per_gpu zero_optimization gradient_clipping "
                 "fp16.enabled bf16.enabled",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config
