// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "torchtune_format.h"

#include "networks/torchtune_model.h"
#include "torchtune_run.h"

#include <string>

namespace batchpeak::config {

namespace {

constexpr std::string_view sizeKey = "batch_size";
constexpr std::string_view stepsKey = "gradient_accumulation_steps";
constexpr std::string_view evalKey = "batch_size_val";
constexpr std::string_view inBackwardKey = "optimizer_in_bwd";
constexpr const char* batchKeys = "batch_size * gradient_accumulation_steps";

bool namesAComponent(const ConfigSection& root, std::string_view key)
{
    const auto section = root.hasSection(key) ? root.section(key) : std::nullopt;
    const auto component = section ? section->find("_component_") : std::nullopt;
    return component && component->resolvedValue().kind == NodeKind::Scalar;
}

/// A number of samples or steps.
std::int64_t readCount(const ConfigSection& root, std::string_view key, std::int64_t otherwise)
{
    constexpr std::int64_t most = std::int64_t{1} << 31;
    const std::int64_t count = root.integer(key).value_or(otherwise);
    if (count < 1 || count > most)
        root.fail(key, "is " + std::to_string(count) + ", but must be 1 to " + std::to_string(most));
    return count;
}

} // namespace

TorchtuneFormat::TorchtuneFormat(std::shared_ptr<const YamlDocument> document)
    : m_document(std::move(document)), m_root(*m_document, m_document->root(), {}, Dialect::OmegaConf)
{}

FormatEntry TorchtuneFormat::entry()
{
    return {.name = "torchtune",
            .mark = "model._component_ with dataset or optimizer._component_",
            .usualKeys = {"model._component_", "tokenizer._component_", "dataset", "optimizer._component_",
                          "loss._component_", stepsKey},
            .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
                const auto root = text->root(Dialect::OmegaConf);
                const bool fits = root && namesAComponent(*root, "model") &&
                                  (root->find("dataset") || namesAComponent(*root, "optimizer"));
                return fits ? std::unique_ptr<ConfigFormat>(new TorchtuneFormat(text->document())) : nullptr;
            }};
}

ConfigContents TorchtuneFormat::read() const
{
    ConfigContents contents{.formatName = std::string(name())};
    contents.train = readTrainPlan();
    contents.eval = readEvalPlan(*contents.train->presentSize);
    const auto unsupported = unsupportedTorchtuneRun(m_root);
    if (unsupported)
        contents.model = *unsupported;
    else
        contents.model = readTorchtuneModel(*m_root.section("model"), contents.warnings);
    readTorchtuneRun(m_root, contents);
    return contents;
}

BatchPlan TorchtuneFormat::readTrainPlan() const
{
    if (!m_root.has(sizeKey)) {
        throw ConfigError("batch_size is missing; write how many samples one GPU takes at a time.",
                          m_root.positionOf(sizeKey));
    }
    const std::int64_t size = readCount(m_root, sizeKey, 1);
    const std::int64_t steps = readCount(m_root, stepsKey, 1);
    if (steps > 1 && m_root.boolean(inBackwardKey).value_or(false)) {
        // __init__ of recipes/full_finetune_single_device.py in torchtune 0.7.
        m_root.fail(stepsKey, "is " + std::to_string(steps) + ", but torchtune takes only 1 where " +
                                  std::string(inBackwardKey) + " is True; set one of the two otherwise");
    }
    return {.globalBatchSize = size * steps,
            .setting = Explore{},
            .presentSize = size,
            .knowsDevices = false,
            .microBatchKey = std::string(sizeKey),
            .globalBatchKey = batchKeys};
}

std::optional<BatchPlan> TorchtuneFormat::readEvalPlan(std::int64_t trainSize) const
{
    if (!m_root.has("dataset_val"))
        return std::nullopt;
    // That of training where nothing is said: setup() of recipes/full_finetune_distributed.py in torchtune
    // 0.7.
    const std::int64_t size = readCount(m_root, evalKey, trainSize);
    return BatchPlan{.globalBatchSize = size,
                     .setting = Explore{},
                     .presentSize = size,
                     .knowsDevices = false,
                     .microBatchKey = std::string(evalKey),
                     .globalBatchKey = std::string(evalKey)};
}

SplicedText TorchtuneFormat::splice(const ChosenSize& chosen) const
{
    return chosen.phase == model::Phase::Train ? spliceTrain(chosen) : spliceEval(chosen);
}

void TorchtuneFormat::refuseAccumulationInBackward(const ChosenSize& chosen, std::int64_t batch) const
{
    if (!m_root.boolean(inBackwardKey).value_or(false) || chosen.microBatchSize >= batch)
        return;
    throw ConfigError("A batch of " + std::to_string(batch) + " samples in micro-batches of " +
                          std::to_string(chosen.microBatchSize) +
                          " has to be accumulated, which torchtune refuses where " +
                          std::string(inBackwardKey) + " is True; set that to False, or choose a batch of " +
                          std::to_string(chosen.microBatchSize) + ".",
                      m_root.positionOf(inBackwardKey));
}

SplicedText TorchtuneFormat::spliceTrain(const ChosenSize& chosen) const
{
    const BatchPlan plan = readTrainPlan();
    refuseAccumulationInBackward(chosen, chosen.globalBatchSize.value_or(plan.globalBatchSize));
    const WholeBatch batch = wholeBatch(plan, chosen, batchKeys, m_root.positionOf(sizeKey));
    std::vector<EntryChange> changes{
        {.key = std::string(sizeKey), .value = std::to_string(chosen.microBatchSize)}};
    if (m_root.has(stepsKey) || batch.accumulationSteps > 1) {
        changes.push_back({.key = std::string(stepsKey),
                           .value = std::to_string(batch.accumulationSteps),
                           .below = std::string(sizeKey)});
    }
    SplicedText spliced = withEntries(*m_document, m_root.dialect(), changes);
    if (m_root.has("dataset_val") && !m_root.has(evalKey)) {
        spliced.notes.push_back("Validation takes this size too, because " + std::string(evalKey) +
                                " is not set.");
    }
    return spliced;
}

SplicedText TorchtuneFormat::spliceEval(const ChosenSize& chosen) const
{
    if (!m_root.has("dataset_val")) {
        throw ConfigError(
            "The config has no dataset_val, so there is no evaluation to choose a size for; choose "
            "the other phase.");
    }
    if (chosen.microBatchSize < 1)
        throw ConfigError("The size is " + std::to_string(chosen.microBatchSize) +
                          ", but a batch has at least 1 sample; choose another.");
    return withEntries(*m_document, m_root.dialect(),
                       {{.key = std::string(evalKey),
                         .value = std::to_string(chosen.microBatchSize),
                         .below = std::string(sizeKey)}});
}

} // namespace batchpeak::config
