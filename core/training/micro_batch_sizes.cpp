// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro_batch_sizes.h"

#include "config/batch_plan.h"
#include "model/model_spec.h"
#include "text/translated.h"

#include <algorithm>
#include <variant>

namespace batchpeak::training {

using engine::Translated;

namespace {

bool normalizesOverBatch(const config::ConfigContents& contents)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    return spec && model::normalizesOverBatch(*spec);
}

/// Returns why the batch may not be split; empty if it may be.
QString reasonAgainstAccumulation(const config::ConfigContents& contents)
{
    // Cerebras, Gradient Accumulation: it is disabled for batch normalization, whatever the config's keys
    // say.
    if (contents.rules.refusesBatchNormalization && normalizesOverBatch(contents))
        return Translated::tr("Gradient accumulation is switched off, since Cerebras does not support it for "
                              "a network with batch "
                              "normalization: the batch runs whole.");
    if (!contents.training.accumulates.value_or(true))
        return Translated::tr(
            "Gradient accumulation is switched off in the config (use_cs_grad_accum): the batch runs whole.");
    return {};
}

/// Returns the fixed size, if the options or the config set a number or null.
std::optional<std::int64_t> fixedSize(const config::BatchPlan& plan, const TrainingOptions& options)
{
    const config::Setting setting = options.run.setting.value_or(plan.setting);
    if (const auto* fixed = std::get_if<config::Fixed>(&setting))
        return fixed->microBatchSize;
    if (std::holds_alternative<config::Whole>(setting))
        return plan.perDeviceBatch();
    return options.run.setting ? std::nullopt : plan.presentSize;
}

SizeChoice halving(const config::ConfigContents& contents, const config::BatchPlan& plan,
                   const TrainingOptions& options)
{
    SizeChoice choice{.size = plan.perDeviceBatch(), .asked = plan.perDeviceBatch(), .halves = true};
    const bool isAsked = options.halvesAutomatically || contents.training.halvesAutomatically;
    if (!isAsked && !options.maximum && !contents.training.usesMaximumBatchSize)
        choice.notes.append(
            Translated::tr(
                "No micro-batch size is given; training starts with the whole batch, %1, and halves it "
                "when memory runs out. Give one with --setting.")
                .arg(choice.size));
    return choice;
}

SizeChoice freeChoice(const config::ConfigContents& contents, const config::BatchPlan& plan,
                      const TrainingOptions& options)
{
    const bool wantsHalving =
        options.halvesAutomatically || (!options.run.setting && contents.training.halvesAutomatically);
    const auto size = wantsHalving ? std::nullopt : fixedSize(plan, options);
    if (!size)
        return halving(contents, plan, options);
    SizeChoice choice{.size = plan.evenMicroBatch(*size), .asked = *size};
    if (const auto text = config::evenSpreadText(plan, *size))
        choice.notes.append(QString::fromStdString(*text));
    return choice;
}

} // namespace

std::int64_t MicroBatchSizes::of(model::Phase phase) const
{
    return phase == model::Phase::Train ? m_training.size() : m_evaluation.size();
}

MicroBatchSizes::Verdict MicroBatchSizes::recordOutOfMemory(model::Phase phase)
{
    if (phase == model::Phase::Eval)
        return m_evaluation.recordOutOfMemory();
    return m_halves ? m_training.recordOutOfMemory() : Verdict::NothingFits;
}

MicroBatchSizes::Verdict MicroBatchSizes::recordDone(model::Phase phase, std::int64_t allocationRetries)
{
    if (phase == model::Phase::Eval)
        return m_evaluation.recordStep(allocationRetries);
    return m_halves ? m_training.recordStep(allocationRetries) : Verdict::Continue;
}

void MicroBatchSizes::setTraining(std::int64_t size)
{
    m_training = accumulation::AutoHalving(size);
    m_halves = true;
}

SizeChoice chooseSize(const config::ConfigContents& contents, const config::BatchPlan& plan,
                      const TrainingOptions& options)
{
    if (const QString reason = reasonAgainstAccumulation(contents); !reason.isEmpty())
        return {.size = plan.perDeviceBatch(),
                .asked = plan.perDeviceBatch(),
                .accumulates = false,
                .notes = {reason}};
    SizeChoice choice = freeChoice(contents, plan, options);
    if (normalizesOverBatch(contents) && (choice.halves || choice.size < plan.perDeviceBatch()))
        choice.notes.append(Translated::tr(
            "This network has batch normalization, which computes over the samples of a "
            "micro-batch: the result depends on the micro-batch size. Give --setting null to run "
            "the batch whole."));
    return choice;
}

std::int64_t evaluationSize(const config::ConfigContents& contents, std::int64_t batchSize,
                            std::int64_t trainingSize)
{
    const auto written = contents.eval ? contents.eval->writtenSize() : std::nullopt;
    return std::min(written.value_or(trainingSize), batchSize);
}

} // namespace batchpeak::training
