// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_params_format.h"

#include "batch_plan_reader.h"
#include "cerebras_lengths.h"
#include "cerebras_model.h"
#include "cerebras_run.h"
#include "trainers/learning_rate.h"

namespace batchpeak::config {

namespace {

constexpr std::string_view settingKey = "micro_batch_size";
constexpr std::string_view accumulationKey = "use_cs_grad_accum";

std::string inputKey(model::Phase phase)
{
    return phase == model::Phase::Train ? "train_input" : "eval_input";
}

bool isExplore(const BatchPlan& plan)
{
    return std::holds_alternative<Explore>(plan.setting);
}

/// The size that a setting fixes; nothing where a program chooses it.
std::optional<std::int64_t> fixedSize(const BatchPlan& plan)
{
    if (const auto* fixed = std::get_if<Fixed>(&plan.setting))
        return fixed->microBatchSize;
    if (std::holds_alternative<Whole>(plan.setting))
        return plan.globalBatchSize;
    return std::nullopt;
}

/// The rules for runs that train and evaluate in turn: validate_train_and_eval_micro_batch_size in
/// ModelZoo 2.3.1, common/train_and_eval.py. Each phase alone may break them.
void warnOfPhaseRules(const BatchPlan& train, const BatchPlan& eval, TextPosition position,
                      std::vector<Warning>& warnings)
{
    if (isExplore(train) != isExplore(eval)) {
        warnings.push_back(
            {"One of train_input and eval_input has micro_batch_size explore and the other has not; "
             "Cerebras refuses that in a run of both phases.",
             position});
    }
    const auto trainSize = fixedSize(train);
    const auto evalSize = fixedSize(eval);
    if (trainSize && evalSize && *evalSize > *trainSize) {
        warnings.push_back({"The micro_batch_size of eval_input, " + std::to_string(*evalSize) +
                                ", is above that of train_input, " + std::to_string(*trainSize) +
                                "; Cerebras refuses that in a run of both phases.",
                            position});
    }
}

} // namespace

CerebrasParamsFormat::CerebrasParamsFormat(std::shared_ptr<const YamlDocument> document)
    : m_document(std::move(document)), m_root(*m_document, m_document->root(), {})
{}

FormatEntry CerebrasParamsFormat::entry()
{
    return {
        .name = "Cerebras params",
        .mark = "train_input or eval_input",
        .usualKeys = {"train_input", "eval_input", "model", "optimizer", "runconfig"},
        .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
            const auto root = text->root();
            const bool fits = root && (root->hasSection("train_input") || root->hasSection("eval_input") ||
                                       (root->hasSection("runconfig") && root->hasSection("model")));
            return fits ? std::unique_ptr<ConfigFormat>(new CerebrasParamsFormat(text->document())) : nullptr;
        }};
}

ConfigContents CerebrasParamsFormat::read() const
{
    ConfigContents contents{.formatName = std::string(name())};
    contents.train = readPlan(model::Phase::Train, contents.warnings);
    contents.eval = readPlan(model::Phase::Eval, contents.warnings);
    if (!contents.train && !contents.eval) {
        throw ConfigError(
            "The config has neither train_input nor eval_input; add the one that is to run, with its "
            "batch_size.");
    }
    if (contents.train && contents.eval) {
        warnOfPhaseRules(*contents.train, *contents.eval, input(model::Phase::Eval)->positionOf(settingKey),
                         contents.warnings);
    }

    const auto modelSection = m_root.section("model");
    if (modelSection) {
        contents.model = readCerebrasModel(*modelSection, contents.warnings);
        // False where nothing is said: run_cstorch_flow.py in ModelZoo 2.1.1, common/pytorch.
        contents.precision = readPrecision(*modelSection, "mixed_precision", false, contents.warnings);
    } else {
        contents.model = UnsupportedModel{
            .sentence =
                "The config has no model section, so there is no network to run; give one with --model.",
            .position = {},
            .isElsewhere = true};
    }
    std::vector<ConfigSection> inputs;
    for (model::Phase phase : {model::Phase::Train, model::Phase::Eval}) {
        if (const auto section = input(phase))
            inputs.push_back(*section);
    }
    readLengths(inputs, contents);

    const auto optimizer = m_root.section("optimizer");
    if (optimizer)
        contents.step.maxGradientNorm = readMaxGradientNorm(*optimizer);
    contents.training = {.accumulates = writtenAccumulation(),
                         .learningRate = readLearningRate(m_root, "optimizer.learning_rate")};
    if (const auto type = optimizer ? optimizer->text("optimizer_type") : std::nullopt)
        contents.optimizer = readOptimizer(*type, optimizer->positionOf("optimizer_type"), contents.warnings);
    if (m_root.has("sparsity")) {
        contents.warnings.push_back({"Trials run the network dense, without the sparsity of this config.",
                                     m_root.positionOf("sparsity")});
    }
    return contents;
}

SplicedText CerebrasParamsFormat::splice(const ChosenSize& chosen) const
{
    const auto section = input(chosen.phase);
    if (!section) {
        throw ConfigError("The config has no " + inputKey(chosen.phase) +
                          ", so there is no place for a size of this phase; choose the other phase.");
    }
    const std::int64_t devices = readDevices(m_root.section("runconfig"));
    const std::int64_t batch = chosen.globalBatchSize.value_or(readGlobalBatchSize(*section, devices));
    checkMicroBatchSize(chosen.microBatchSize, batch, section->positionOf(BatchKeys().batchSize));

    const std::string batchKey(BatchKeys().batchSize);
    std::vector<EntryChange> changes{{.section = {inputKey(chosen.phase)},
                                      .key = std::string(settingKey),
                                      .value = std::to_string(chosen.microBatchSize),
                                      .below = batchKey}};
    if (chosen.globalBatchSize)
        changes.push_back(
            {.section = changes.front().section, .key = batchKey, .value = std::to_string(batch)});
    SplicedText spliced = withEntries(*m_document, m_root.dialect(), changes);
    noteStrictRule({.globalBatchSize = batch, .devices = devices}, chosen.microBatchSize, spliced.notes);
    if (isAccumulationOff()) {
        spliced.notes.push_back("Cerebras ignores the size while runconfig." + std::string(accumulationKey) +
                                " is False; set it to True.");
    }
    return spliced;
}

std::optional<ConfigSection> CerebrasParamsFormat::input(model::Phase phase) const
{
    return m_root.section(inputKey(phase));
}

std::optional<BatchPlan> CerebrasParamsFormat::readPlan(model::Phase phase,
                                                        std::vector<Warning>& warnings) const
{
    const auto section = input(phase);
    if (!section)
        return std::nullopt;
    BatchPlan plan{.devices = readDevices(m_root.section("runconfig"))};
    plan.globalBatchSize = readGlobalBatchSize(*section, plan.devices);
    plan.setting = readSetting(*section, settingKey, plan.globalBatchSize, warnings);
    if (isAccumulationOff() && plan.setting != Setting(Whole{})) {
        // As the converter to 2.2 reads it: _remove_deprecated_runconfig_params_2_2 in ModelZoo 2.10.0,
        // tools/checkpoint_converters/base_converter.py.
        plan.presentSize = plan.writtenSize();
        plan.setting = Whole{};
        warnings.push_back({"Micro-batches are off because runconfig." + std::string(accumulationKey) +
                                " is False, so " + section->pathOf(settingKey) + " is taken for null.",
                            m_root.section("runconfig")->positionOf(accumulationKey)});
    }
    warnOfUnevenDivision(plan, section->positionOf(settingKey), warnings);
    return plan;
}

std::optional<bool> CerebrasParamsFormat::writtenAccumulation() const
{
    const auto runconfig = m_root.section("runconfig");
    return runconfig ? runconfig->boolean(accumulationKey) : std::nullopt;
}

bool CerebrasParamsFormat::isAccumulationOff() const
{
    return !writtenAccumulation().value_or(true);
}

} // namespace batchpeak::config
