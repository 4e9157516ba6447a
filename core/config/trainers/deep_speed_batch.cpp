// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "deep_speed_batch.h"

#include "accumulated_batch.h"

namespace batchpeak::config {

namespace {

constexpr std::string_view batchKey = "train_batch_size";
constexpr std::string_view microKey = "train_micro_batch_size_per_gpu";
constexpr std::string_view stepsKey = "gradient_accumulation_steps";
constexpr std::string_view autoWord = "auto";

EntryChange change(std::string_view key, const std::string& value, std::string_view below)
{
    return {.key = std::string(key), .value = value, .below = std::string(below)};
}

EntryChange change(std::string_view key, std::int64_t value, std::string_view below)
{
    return change(key, std::to_string(value), below);
}

} // namespace

DeepSpeedBatch::DeepSpeedBatch(const ConfigSection& root)
    : m_root(root), m_batch(read(batchKey)), m_micro(read(microKey)), m_steps(read(stepsKey))
{
    check();
}

DeepSpeedBatch::Number DeepSpeedBatch::read(std::string_view key) const
{
    if (!m_root.has(key))
        return {};
    const YamlNode& value = m_root.find(key)->resolvedValue();
    if (value.kind == NodeKind::Scalar && value.value == autoWord)
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
    changes.push_back(change(stepsKey, "\"" + std::string(autoWord) + "\"", microKey));
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
    std::vector<EntryChange> changes{change(microKey, chosen.microBatchSize, batchKey)};
    if (needsSteps(batch.accumulationSteps))
        changes.push_back(change(stepsKey, batch.accumulationSteps, microKey));
    if (m_batch.value)
        changes.push_back(change(batchKey, batch.globalBatchSize, {}));
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

} // namespace batchpeak::config
