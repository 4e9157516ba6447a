// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "axolotl_format.h"

#include "accumulated_batch.h"
#include "axolotl_batch.h"
#include "cerebras/cerebras_keys.h"
#include "trainer_run.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

namespace {

bool fits(const ConfigSection& root)
{
    constexpr std::array<std::string_view, 6> others{"micro_batch_size",    "datasets",
                                                     "pretraining_dataset", "sequence_len",
                                                     "sample_packing",      "num_epochs"};
    return root.find("base_model") &&
           std::ranges::any_of(others, [&](std::string_view key) { return root.find(key).has_value(); });
}

constexpr std::array<RunDifference, 5> otherRuns{
    {{"adapter",
      "makes the run train an adapter and leave the network itself as it is. Trials train all of it, so that "
      "they would measure another run."},
     {"unfrozen_parameters", "trains some of the network's parameters. Trials train all of them, so that "
                             "they would measure another run."},
     {"rl", "trains on preferences or rewards, where a step runs more than the network on one text. Trials "
            "would measure another run."},
     {"reward_model", "trains a network that scores texts. Trials train one that writes them, so that they "
                      "would measure another run."},
     {"process_reward_model", "trains a network that scores texts. Trials train one that writes them, so "
                              "that they would measure another run."}}};

constexpr std::array<RunDifference, 6> differences{
    {{"load_in_8bit", "quantises the weights. Trials hold them whole, which takes more memory."},
     {"load_in_4bit", "quantises the weights. Trials hold them whole, which takes more memory."},
     {"sample_packing", "puts several texts into one sample. Trials run each sample as one text of full "
                        "length."},
     {"activation_offloading", "moves activations to the host. Trials keep them on the device, which takes "
                               "more memory."},
     {"fp8", "runs matrix products in fp8. Trials run them in bfloat16, which takes longer."},
     {"float16", "keeps the parameters in float16. Trials run in bfloat16."}}};

/// Over how many devices one network or one text is cut; sequence_parallel_degree is the older name
/// (axolotl 0.12, utils/schemas/deprecated.py).
std::optional<UnsupportedModel> cutOverDevices(const ConfigSection& root)
{
    constexpr std::array<std::string_view, 3> keys{"tensor_parallel_size", "context_parallel_size",
                                                   "sequence_parallel_degree"};
    for (std::string_view key : keys) {
        if (countOr(root, key, 1) > 1) {
            return UnsupportedModel{.sentence = root.pathOf(key) +
                                                " cuts the network or its texts over several devices. Trials "
                                                "run them whole on one, so that they would measure another "
                                                "run.",
                                    .position = root.positionOf(key)};
        }
    }
    return std::nullopt;
}

/// gradient_checkpointing is True, False, or a word for where activations go (AxolotlInputConfig in axolotl
/// 0.12, utils/schemas/config.py): "offload", "offload_disk", "unsloth". False where nothing is said.
bool readCheckpointing(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "gradient_checkpointing";
    const bool isOn = isSwitchedOn(root, key);
    if (isOn && !asBoolean(root.find(key)->resolvedValue())) {
        warnings.push_back({root.pathOf(key) +
                                " moves what is kept of activations off the device. Trials keep it there, "
                                "which takes more memory.",
                            root.positionOf(key)});
    }
    return isOn;
}

} // namespace

AxolotlFormat::AxolotlFormat(std::shared_ptr<const YamlDocument> document)
    : m_document(std::move(document)), m_root(*m_document, m_document->root(), {})
{}

FormatEntry AxolotlFormat::entry()
{
    return {.name = "axolotl",
            .mark = "base_model with micro_batch_size, datasets or sequence_len",
            .usualKeys = {"base_model", "micro_batch_size", "gradient_accumulation_steps", "sequence_len",
                          "datasets", "adapter", "val_set_size"},
            .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
                const auto root = text->root();
                if (!root || !fits(*root))
                    return nullptr;
                return std::unique_ptr<ConfigFormat>(new AxolotlFormat(text->document()));
            }};
}

ConfigContents AxolotlFormat::read() const
{
    const AxolotlBatch batch(m_root);
    ConfigContents contents{.formatName = std::string(name()), .train = batch.train(), .eval = batch.eval()};
    batch.warn(contents.warnings);
    warnOfBatchFinder(m_root, contents.warnings);
    warnOfSharding(m_root, contents.warnings);
    warnOfDifferences(m_root, differences, contents.warnings);
    contents.model = readModel(contents.warnings);
    // AxolotlInputConfig.sequence_len in axolotl 0.12, utils/schemas/config.py.
    contents.sequenceLength = countOr(m_root, "sequence_len", 512);
    settleLengths(contents);
    contents.precision = readPrecision(contents.warnings);
    contents.optimizer = readTorchOptimizer(m_root, "optimizer", contents.warnings);
    contents.step.activationCheckpointing = readCheckpointing(m_root, contents.warnings);
    // None in HyperparametersConfig of axolotl 0.12, utils/schemas/training.py, and then not handed on
    // (core/builders/base.py), so that TrainingArguments' own counts.
    contents.step.maxGradientNorm = clippingNormOr(m_root, "max_grad_norm", 1.0);
    readTrainerSettings(m_root, contents.training);
    return contents;
}

SplicedText AxolotlFormat::splice(const ChosenSize& chosen) const
{
    std::vector<std::string> notes;
    const std::vector<EntryChange> changes = AxolotlBatch(m_root).changes(chosen, notes);
    if (chosen.phase == model::Phase::Train)
        noteDeepSpeed(m_root, notes);
    SplicedText spliced = withEntries(*m_document, m_root.dialect(), changes);
    spliced.notes.insert(spliced.notes.end(), notes.begin(), notes.end());
    return spliced;
}

std::variant<model::ModelSpec, UnsupportedModel>
AxolotlFormat::readModel(std::vector<Warning>& warnings) const
{
    if (auto other = firstDifference(m_root, otherRuns))
        return *other;
    if (auto cut = cutOverDevices(m_root))
        return *cut;
    return readNamedModel(m_root, "base_model", warnings);
}

/// resolve_dtype in axolotl 0.12, utils/config/__init__.py, decides the type of the parameters too.
model::Precision AxolotlFormat::readPrecision(std::vector<Warning>& warnings) const
{
    if (isBf16()) {
        warnOfMissingCopies(m_root.positionOf(m_root.has("bf16") ? "bf16" : "bfloat16"), warnings);
        return model::Precision::PureBf16;
    }
    if (m_root.boolean("fp16").value_or(false)) {
        warnOfFloat16(m_root.positionOf("fp16"), warnings);
        return model::Precision::PureBf16;
    }
    // "auto" stands for True on any GPU that has it, as does an absent key (AxolotlInputConfig.tf32 in
    // axolotl 0.13, utils/schemas/config.py).
    const bool isOff = m_root.has("tf32") && !isSwitchedOn(m_root, "tf32");
    return isOff ? model::Precision::Fp32 : model::Precision::Tf32;
}

/// "auto" where nothing is said (AxolotlInputConfig.bf16 in axolotl 0.12, utils/schemas/config.py), which is
/// True on any GPU that has it unless fp16 is on. "full" is True.
bool AxolotlFormat::isBf16() const
{
    if (m_root.boolean("bfloat16").value_or(false))
        return true;
    const bool isAuto = !m_root.has("bf16") || m_root.text("bf16") == "auto";
    return isAuto ? !m_root.boolean("fp16").value_or(false) : isSwitchedOn(m_root, "bf16");
}

} // namespace batchpeak::config
