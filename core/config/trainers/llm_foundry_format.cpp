// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm_foundry_format.h"

#include "llm_foundry_run.h"
#include "networks/llm_foundry_model.h"

#include <algorithm>
#include <string>

namespace batchpeak::config {

namespace {

constexpr std::string_view globalKey = "global_train_batch_size";
constexpr std::string_view microKey = "device_train_microbatch_size";
constexpr std::string_view evalKey = "device_eval_batch_size";

/// Samples at a time; nothing where it is a part of one, as 0.5 is, which a warning says.
std::optional<std::int64_t> readSize(const ConfigSection& root, std::string_view key,
                                     std::vector<Warning>& warnings)
{
    const YamlNode& value = root.find(key)->resolvedValue();
    const auto number = asNumber(value);
    const bool isInteger = asInteger(value).problem != IntegerProblem::NotInteger;
    if (!number && !isInteger && !isNull(value)) {
        root.fail(key, std::string("must be a whole number") + (key == microKey ? " or auto" : "") +
                           ", but is " + described(value));
    }
    if (number && *number > 0 && !isInteger) {
        warnings.push_back(
            {std::string(key) + " is " + value.value +
                 ", in parts of samples; trials take whole ones, and a whole number is written "
                 "in its place.",
             root.positionOf(key)});
        return std::nullopt;
    }
    const auto size = root.integer(key);
    if (!size)
        root.fail(key, "is empty; write a whole number, or remove the key");
    if (*size < 1)
        root.fail(key, "is " + std::to_string(*size) + ", but a micro-batch has at least 1 sample");
    return size;
}

bool isAuto(const ConfigSection& root)
{
    const auto entry = root.find(microKey);
    // 'auto' where nothing is said: TrainConfig in llmfoundry/utils/config_utils.py of LLM-Foundry 0.22.
    return !entry ||
           (entry->resolvedValue().kind == NodeKind::Scalar && entry->resolvedValue().value == "auto");
}

bool hasEvaluation(const ConfigSection& root)
{
    return root.has("eval_loader") || root.has("icl_tasks") || root.has(evalKey);
}

void refuseSizeBelowOne(const ChosenSize& chosen)
{
    if (chosen.microBatchSize < 1)
        throw ConfigError("The micro-batch size is " + std::to_string(chosen.microBatchSize) +
                          ", but a micro-batch has at least 1 sample; choose another.");
}

/// Composer splits the batch of a device into as many micro-batches of that size as there are, and one of the
/// rest: _split_tensor in composer/core/data_spec.py.
void noteRest(std::int64_t batch, std::int64_t size, std::vector<std::string>& notes)
{
    const std::int64_t rest = batch % size;
    if (rest == 0)
        return;
    notes.push_back("On one GPU, the " + std::to_string(batch) + " samples of " + std::string(globalKey) +
                    " run as " + std::to_string(batch / size) + " micro-batches of " + std::to_string(size) +
                    " and one of " + std::to_string(rest) + "; on several, each GPU splits its share so.");
}

} // namespace

LlmFoundryFormat::LlmFoundryFormat(std::shared_ptr<const YamlDocument> document)
    : m_document(std::move(document)), m_root(*m_document, m_document->root(), {}, Dialect::OmegaConf)
{}

FormatEntry LlmFoundryFormat::entry()
{
    return {.name = "LLM-Foundry",
            .mark = "global_train_batch_size with train_loader or device_train_microbatch_size",
            .usualKeys = {globalKey, microKey, evalKey, "train_loader", "max_seq_len", "max_duration"},
            .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
                const auto root = text->root(Dialect::OmegaConf);
                const bool fits = root && root->find(globalKey) &&
                                  (root->find(microKey) || root->hasSection("train_loader"));
                return fits ? std::unique_ptr<ConfigFormat>(new LlmFoundryFormat(text->document())) : nullptr;
            }};
}

ConfigContents LlmFoundryFormat::read() const
{
    ConfigContents contents{.formatName = std::string(name())};
    contents.train = readTrainPlan(contents.warnings);
    contents.eval = readEvalPlan(*contents.train, contents.warnings);
    readNetwork(contents);
    readLlmFoundryLength(m_root, contents);
    readLlmFoundryRun(m_root, contents);
    contents.training.halvesAutomatically = isAuto(m_root);
    return contents;
}

void LlmFoundryFormat::readNetwork(ConfigContents& contents) const
{
    const auto section = m_root.section("model");
    if (!section) {
        contents.model =
            UnsupportedModel{.sentence = "The config has no model; give a network (--model FILE).",
                             .position = m_document->positionOf(m_root.mapping()),
                             .isElsewhere = true};
        return;
    }
    contents.model = readLlmFoundryModel(*section, contents.warnings);
    if (m_root.has("tp_config")) {
        contents.model = UnsupportedModel{
            "The run cuts each layer over several GPUs (tp_config), which trials on one GPU do not, so that "
            "they would measure another run. Its batch sizes can be read and written all the same.",
            m_root.positionOf("tp_config")};
    }
}

std::int64_t LlmFoundryFormat::readGlobalBatch() const
{
    const auto batch = m_root.integer(globalKey);
    if (!batch)
        m_root.fail(globalKey, "is empty; write how many samples one optimizer step takes over all GPUs");
    if (*batch < 1)
        m_root.fail(globalKey, "is " + std::to_string(*batch) + ", but a batch has at least 1 sample");
    return *batch;
}

BatchPlan LlmFoundryFormat::readTrainPlan(std::vector<Warning>& warnings) const
{
    BatchPlan plan{.globalBatchSize = readGlobalBatch(),
                   .setting = Auto{},
                   .knowsDevices = false,
                   .microBatchKey = std::string(microKey),
                   .globalBatchKey = std::string(globalKey)};
    warnings.push_back({"The launcher decides on how many GPUs the " + std::to_string(plan.globalBatchSize) +
                            " samples of " + std::string(globalKey) +
                            " are spread; each takes them divided by the number of GPUs, and no micro-batch "
                            "is larger than that. The figures here are those of one GPU.",
                        m_root.positionOf(globalKey)});
    if (isAuto(m_root))
        return plan;
    plan.setting = Explore{};
    plan.presentSize = readSize(m_root, microKey, warnings);
    if (plan.presentSize && *plan.presentSize > plan.globalBatchSize) {
        warnings.push_back({std::string(microKey) + " is " + std::to_string(*plan.presentSize) +
                                ", more than a batch has; LLM-Foundry lowers it to the batch of one GPU.",
                            m_root.positionOf(microKey)});
        plan.presentSize = plan.globalBatchSize;
    }
    return plan;
}

std::optional<BatchPlan> LlmFoundryFormat::readEvalPlan(const BatchPlan& train,
                                                        std::vector<Warning>& warnings) const
{
    if (!hasEvaluation(m_root))
        return std::nullopt;
    BatchPlan plan{.setting = Explore{},
                   .knowsDevices = false,
                   .microBatchKey = std::string(evalKey),
                   .globalBatchKey = std::string(evalKey)};
    // 1 beside an 'auto' of training, else the size of training: update_config_with_batch_size_info in
    // llmfoundry/utils/config_utils.py of LLM-Foundry 0.22.
    plan.presentSize = m_root.find(evalKey) ? readSize(m_root, evalKey, warnings)
                       : isAuto(m_root)     ? std::optional<std::int64_t>(1)
                                            : train.presentSize;
    plan.globalBatchSize = plan.presentSize.value_or(1);
    return plan;
}

SplicedText LlmFoundryFormat::splice(const ChosenSize& chosen) const
{
    refuseSizeBelowOne(chosen);
    return chosen.phase == model::Phase::Train ? spliceTrain(chosen) : spliceEval(chosen);
}

SplicedText LlmFoundryFormat::spliceTrain(const ChosenSize& chosen) const
{
    const std::int64_t batch = chosen.globalBatchSize.value_or(readGlobalBatch());
    if (chosen.microBatchSize > batch) {
        throw ConfigError("The micro-batch size " + std::to_string(chosen.microBatchSize) + " is above the " +
                              std::to_string(batch) + " samples of " + std::string(globalKey) +
                              ", to which LLM-Foundry would lower it; choose a smaller size, or raise the "
                              "batch.",
                          m_root.positionOf(globalKey));
    }
    std::vector<EntryChange> changes{{.key = std::string(microKey),
                                      .value = std::to_string(chosen.microBatchSize),
                                      .below = std::string(globalKey)}};
    if (chosen.globalBatchSize)
        changes.push_back({.key = std::string(globalKey), .value = std::to_string(batch)});
    SplicedText spliced = withEntries(*m_document, m_root.dialect(), changes);
    noteRest(batch, chosen.microBatchSize, spliced.notes);
    if (hasEvaluation(m_root) && !m_root.find(evalKey)) {
        spliced.notes.push_back("Evaluation takes this size too, because " + std::string(evalKey) +
                                " is not set.");
    }
    return spliced;
}

SplicedText LlmFoundryFormat::spliceEval(const ChosenSize& chosen) const
{
    if (!hasEvaluation(m_root)) {
        throw ConfigError(
            "The config has no eval_loader and no icl_tasks, so there is no evaluation to choose "
            "a size for; choose the other phase.");
    }
    return withEntries(*m_document, m_root.dialect(),
                       {{.key = std::string(evalKey),
                         .value = std::to_string(chosen.microBatchSize),
                         .below = std::string(m_root.find(microKey) ? microKey : globalKey)}});
}

} // namespace batchpeak::config
