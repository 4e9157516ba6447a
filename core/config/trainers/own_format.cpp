// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "own_format.h"

#include "batch_plan_reader.h"
#include "model_choice.h"
#include "networks/own_model.h"
#include "syntax/known_keys.h"

#include <string>

namespace batchpeak::config {

namespace {

constexpr std::string_view versionKey = "batchpeak";
constexpr std::int64_t version = 1;
constexpr std::string_view devicesKey = "devices";
constexpr std::string_view sequenceLengthKey = "sequence_length";

std::string_view settingKeyOf(model::Phase phase)
{
    return phase == model::Phase::Train ? "micro_batch_size" : "eval_micro_batch_size";
}

BatchKeys keysOf(const ConfigSection& root, model::Phase phase)
{
    const bool hasOwnEvalBatch = phase == model::Phase::Eval && root.has("eval_batch_size");
    return {.batchSize = hasOwnEvalBatch ? "eval_batch_size" : "batch_size", .devices = devicesKey};
}

template<typename Value>
Value readWord(const ConfigSection& section, std::string_view key,
               std::optional<Value> (*parse)(std::string_view), Value otherwise, const char* words)
{
    const auto text = section.text(key);
    if (!text)
        return otherwise;
    const auto value = parse(*text);
    if (!value)
        section.fail(key, "is \"" + *text + "\", which is none of " + words);
    return *value;
}

} // namespace

OwnFormat::OwnFormat(std::shared_ptr<const YamlDocument> document)
    : m_document(std::move(document)), m_root(*m_document, m_document->root(), {})
{}

FormatEntry OwnFormat::entry()
{
    return {.name = "Batchpeak",
            .mark = "batchpeak",
            .usualKeys = {"model.family", "batch_size", "micro_batch_size", "sequence_length"},
            .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
                const auto root = text->root();
                if (!root || !root->find(versionKey))
                    return nullptr;
                return std::unique_ptr<ConfigFormat>(new OwnFormat(text->document()));
            }};
}

ConfigContents OwnFormat::read() const
{
    checkVersion();
    refuseOtherKeys(m_root, {"batchpeak", "model", "batch_size", "micro_batch_size", "eval_batch_size",
                             "eval_micro_batch_size", "devices", "sequence_length", "decoder_sequence_length",
                             "precision", "optimizer", "activation_checkpointing", "loss_chunk_rows",
                             "max_gradient_norm", "learning_rate", "weight_by", "use_maximum_batch_size",
                             "batch_increase_function"});
    const auto modelSection = m_root.section("model");
    if (!modelSection) {
        throw ConfigError("The config has no model; describe the network under this key.",
                          m_document->positionOf(m_root.mapping()));
    }
    const model::ModelSpec spec = readOwnModel(*modelSection);

    ConfigContents contents{.formatName = std::string(name()), .model = spec};
    contents.train = readPlan(model::Phase::Train, contents.warnings);
    contents.eval = readPlan(model::Phase::Eval, contents.warnings);
    readRunInto(contents, spec);
    warnOfBatchNormalization(spec, m_root.positionOf("model"), contents.warnings);
    return contents;
}

void OwnFormat::checkVersion() const
{
    const auto found = m_root.integer(versionKey);
    if (found != version) {
        m_root.fail(versionKey, "is the version of this layout, of which only " + std::to_string(version) +
                                    " is known here; write that, or use a newer Batchpeak");
    }
}

std::int64_t OwnFormat::readGlobalBatch(model::Phase phase) const
{
    return readGlobalBatchSize(m_root, readDevices(m_root, devicesKey), keysOf(m_root, phase));
}

BatchPlan OwnFormat::readPlan(model::Phase phase, std::vector<Warning>& warnings) const
{
    BatchPlan plan{.globalBatchSize = readGlobalBatch(phase), .devices = readDevices(m_root, devicesKey)};
    const std::string_view settingKey = settingKeyOf(phase);
    plan.microBatchKey = settingKey;
    plan.globalBatchKey = keysOf(m_root, phase).batchSize;
    plan.setting = readSetting(m_root, settingKey, plan.globalBatchSize, warnings);
    warnOfUnevenDivision(plan, m_root.positionOf(settingKey), warnings, keysOf(m_root, phase));
    return plan;
}

void OwnFormat::readRunInto(ConfigContents& contents, const model::ModelSpec& spec) const
{
    if (m_root.has(sequenceLengthKey) && !takesSequences(spec))
        m_root.fail(sequenceLengthKey,
                    "has no meaning for this network, which takes no sequences; remove it");
    contents.sequenceLength = m_root.integer(sequenceLengthKey).value_or(usualSequenceLength(spec));
    const auto longest = longestSequence(spec);
    if (contents.sequenceLength < 1 || (longest && contents.sequenceLength > *longest)) {
        m_root.fail(sequenceLengthKey,
                    "is " + std::to_string(contents.sequenceLength) + ", but must be at least 1" +
                        (longest ? " and at most " + std::to_string(*longest) : std::string()));
    }
    contents.targetLength = readTargetLength(spec);
    contents.precision = readWord(m_root, "precision", model::precisionFromText, contents.precision,
                                  "fp32, tf32, bf16 and pure-bf16");
    contents.optimizer =
        readWord(m_root, "optimizer", model::optimizerFromText, contents.optimizer, "adamw and sgd");
    contents.step = readStepOptions();
    contents.training = readTrainingSettings();
}

std::optional<std::int64_t> OwnFormat::readTargetLength(const model::ModelSpec& spec) const
{
    constexpr std::string_view key = "decoder_sequence_length";
    const auto usual = usualTargetLength(spec);
    const auto length = m_root.integer(key);
    if (length && !usual)
        m_root.fail(key, "has no meaning for this network, whose decoder reads no sequence of its own; "
                         "remove it");
    if (length && *length < 1)
        m_root.fail(key, "is " + std::to_string(*length) + ", but must be at least 1");
    return length ? length : usual;
}

model::StepOptions OwnFormat::readStepOptions() const
{
    const model::StepOptions otherwise;
    const model::StepOptions options{
        .activationCheckpointing =
            m_root.boolean("activation_checkpointing").value_or(otherwise.activationCheckpointing),
        .lossChunkRows = m_root.integer("loss_chunk_rows").value_or(otherwise.lossChunkRows),
        .maxGradientNorm = m_root.number("max_gradient_norm").value_or(otherwise.maxGradientNorm)};
    if (options.lossChunkRows < 0)
        m_root.fail("loss_chunk_rows", "must be at least 0, which stands for the whole loss at once");
    if (!(options.maxGradientNorm >= 0))
        m_root.fail("max_gradient_norm", "must be at least 0, which stands for no clipping");
    return options;
}

TrainingSettings OwnFormat::readTrainingSettings() const
{
    constexpr std::string_view rateKey = "learning_rate";
    constexpr std::string_view weightKey = "weight_by";
    TrainingSettings settings{.usesMaximumBatchSize =
                                  m_root.boolean("use_maximum_batch_size").value_or(false),
                              .batchIncreaseFunction = m_root.text("batch_increase_function").value_or(""),
                              .learningRate = m_root.number(rateKey)};
    if (settings.learningRate && !(*settings.learningRate > 0))
        m_root.fail(rateKey, "must be above 0, as in 3.0e-4");
    const auto weight = m_root.text(weightKey);
    if (weight && *weight != "samples" && *weight != "tokens")
        m_root.fail(weightKey, "is \"" + *weight + "\", which is none of samples and tokens");
    if (weight)
        settings.weighsTokens = *weight == "tokens";
    return settings;
}

SplicedText OwnFormat::splice(const ChosenSize& chosen) const
{
    const BatchKeys keys = keysOf(m_root, chosen.phase);
    const std::int64_t batch = chosen.globalBatchSize.value_or(readGlobalBatch(chosen.phase));
    checkMicroBatchSize(chosen.microBatchSize, batch, m_root.positionOf(keys.batchSize));
    std::vector<EntryChange> changes{{.key = std::string(settingKeyOf(chosen.phase)),
                                      .value = std::to_string(chosen.microBatchSize),
                                      .below = std::string(keys.batchSize)}};
    if (chosen.globalBatchSize)
        changes.push_back({.key = std::string(keys.batchSize), .value = std::to_string(batch)});
    return withEntries(*m_document, m_root.dialect(), changes);
}

} // namespace batchpeak::config
