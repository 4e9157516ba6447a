// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "axolotl_batch.h"

#include "accumulated_batch.h"
#include "cerebras/cerebras_keys.h"

namespace batchpeak::config {

namespace {

constexpr std::string_view microKey = "micro_batch_size";
constexpr std::string_view stepsKey = "gradient_accumulation_steps";
constexpr std::string_view batchKey = "batch_size";
constexpr std::string_view evalKey = "eval_batch_size";

AccumulationKeys accumulationKeys()
{
    return {.microBatchSize = std::string(microKey), .accumulationSteps = std::string(stepsKey)};
}

} // namespace

AxolotlBatch::AxolotlBatch(const ConfigSection& root) : m_root(root)
{
    check();
}

void AxolotlBatch::check() const
{
    if (m_root.has(stepsKey) && m_root.has(batchKey)) {
        m_root.fail(batchKey, "stands beside gradient_accumulation_steps, of which axolotl takes one; "
                              "remove batch_size");
    }
    for (std::string_view key : {microKey, m_root.has(batchKey) ? batchKey : stepsKey}) {
        if (!m_root.has(key)) {
            throw ConfigError(std::string(key) +
                                  " is missing; axolotl takes micro_batch_size with "
                                  "gradient_accumulation_steps or with batch_size, so write it.",
                              m_root.positionOf(key));
        }
    }
    const std::int64_t size = countOr(m_root, microKey, 1);
    const std::int64_t batch = countOr(m_root, batchKey, size);
    if (batch < size) {
        m_root.fail(batchKey, "is " + std::to_string(batch) + ", less than micro_batch_size, which is " +
                                  std::to_string(size) + "; write a multiple of it");
    }
}

BatchPlan AxolotlBatch::train() const
{
    BatchPlan plan = readAccumulatedBatch(m_root, accumulationKeys());
    if (!m_root.has(batchKey))
        return plan;
    // normalize_config: there are batch_size // micro_batch_size of them.
    plan.globalBatchSize = countOr(m_root, batchKey, 1) / *plan.presentSize * *plan.presentSize;
    plan.globalBatchKey = batchKey;
    return plan;
}

std::optional<BatchPlan> AxolotlBatch::eval() const
{
    const bool setsAside = isSwitchedOn(m_root, "val_set_size") || isSwitchedOn(m_root, "test_datasets");
    if (!setsAside && !m_root.has(evalKey))
        return std::nullopt;
    // normalize_config: the size of training where it has none of its own.
    return readPlainBatch(m_root, evalKey, countOr(m_root, microKey, 1));
}

/// check_context_parallel_size in axolotl 0.12, utils/schemas/validation.py: ring attention takes packed
/// samples one by one. sequence_parallel_degree is the older name.
bool AxolotlBatch::packsOverDevices() const
{
    return isSwitchedOn(m_root, "sample_packing") && (countOr(m_root, "context_parallel_size", 1) > 1 ||
                                                      countOr(m_root, "sequence_parallel_degree", 1) > 1);
}

void AxolotlBatch::warn(std::vector<Warning>& warnings) const
{
    const BatchPlan plan = train();
    if (m_root.has(batchKey)) {
        const bool isWhole = countOr(m_root, batchKey, 1) == plan.globalBatchSize;
        warnings.push_back({"axolotl takes batch_size for deprecated; it is that of one device" +
                                (isWhole ? std::string(".")
                                         : ", and no multiple of micro_batch_size, so that a step takes " +
                                               std::to_string(plan.globalBatchSize) + " samples."),
                            m_root.positionOf(batchKey)});
    }
    // hint_eval_train_mbsz of TrainingValidationMixin.
    if (m_root.has(evalKey) && eval()->presentSize != plan.presentSize) {
        warnings.push_back({"eval_batch_size differs from micro_batch_size, of which axolotl warns that "
                            "memory may become unstable.",
                            m_root.positionOf(evalKey)});
    }
    if (packsOverDevices() && plan.presentSize != 1) {
        warnings.push_back(
            {"axolotl refuses a micro_batch_size other than 1 with sample_packing where a text "
             "is cut over devices.",
             m_root.positionOf(microKey)});
    }
}

std::vector<EntryChange> AxolotlBatch::changes(const ChosenSize& chosen,
                                               std::vector<std::string>& notes) const
{
    if (chosen.phase == model::Phase::Train) {
        std::vector<EntryChange> changes = trainChanges(chosen);
        switchOffBatchFinder(m_root, changes, notes);
        noteEvaluation(chosen.microBatchSize, notes);
        return changes;
    }
    if (!eval()) {
        throw ConfigError("The config sets nothing aside to evaluate on, so there is no place for its size; "
                          "choose the other phase, or write val_set_size.");
    }
    return {plainBatchChange(evalKey, microKey, chosen)};
}

std::vector<EntryChange> AxolotlBatch::trainChanges(const ChosenSize& chosen) const
{
    if (packsOverDevices() && chosen.microBatchSize != 1) {
        throw ConfigError("axolotl takes a micro_batch_size of 1 alone with sample_packing where a text is "
                          "cut over devices (context_parallel_size); write 1, or switch either off.",
                          m_root.positionOf(microKey));
    }
    if (!m_root.has(batchKey))
        return accumulatedBatchChanges(m_root, accumulationKeys(), chosen);
    const WholeBatch batch = wholeBatch(train(), chosen, std::string(batchKey), m_root.positionOf(batchKey));
    return {{.key = std::string(microKey), .value = std::to_string(chosen.microBatchSize)},
            {.key = std::string(batchKey), .value = std::to_string(batch.globalBatchSize)}};
}

void AxolotlBatch::noteEvaluation(std::int64_t microBatchSize, std::vector<std::string>& notes) const
{
    const auto plan = eval();
    if (plan && !m_root.has(evalKey)) {
        notes.emplace_back("Evaluation takes the same size, since there is no eval_batch_size.");
    } else if (plan && plan->presentSize != microBatchSize) {
        notes.push_back("eval_batch_size stays " + std::to_string(*plan->presentSize) +
                        "; axolotl warns of a size other than micro_batch_size.");
    }
}

} // namespace batchpeak::config
