// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_plan.h"

#include "config/approximations.h"
#include "config/batch_plan.h"
#include "growth/growth_function.h"
#include "micro_batch_sizes.h"
#include "plan/exploration_plan.h"
#include "text/batch_text.h"
#include "text/translated.h"
#include "training_text.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <variant>

namespace batchpeak::training {

using engine::Translated;

namespace {

// Enough for a loss curve, and few enough to finish soon.
constexpr std::int64_t batchesOfSyntheticData = 16;

[[noreturn]] void refuse(const QString& sentence)
{
    throw config::ConfigError(sentence.toStdString());
}

/// A config with only a network has no batch, so the requested size is the batch, as for an exploration.
config::BatchPlan batchOfNetworkAlone(const TrainingOptions& options)
{
    const auto* fixed = options.run.setting ? std::get_if<config::Fixed>(&*options.run.setting) : nullptr;
    if (!fixed)
        refuse(Translated::tr("The config describes only a network, without a batch to train it with; give "
                              "the samples of one optimizer step with --setting N, or a trainer's config."));
    return {.globalBatchSize = fixed->microBatchSize, .setting = *fixed};
}

config::BatchPlan batchOf(const config::ConfigContents& contents, const TrainingOptions& options)
{
    if (options.run.phase != model::Phase::Train)
        refuse(Translated::tr("A training run has no other phase than train; leave out --phase."));
    if (contents.isNetworkAlone())
        return batchOfNetworkAlone(options);
    if (!contents.train)
        refuse(Translated::tr("The config holds no training batch; take one that trains, or explore its "
                              "evaluation with batchpeak explore --phase eval."));
    return *contents.train;
}

void refuseNothing(const std::optional<std::int64_t>& number, const char* option)
{
    if (number && *number < 1)
        refuse(Translated::tr("%1 is %2; it must be at least 1. Correct or remove it.")
                   .arg(QLatin1String(option))
                   .arg(*number));
}

RunLength lengthOf(const TrainingOptions& options)
{
    refuseNothing(options.steps, "--steps");
    refuseNothing(options.epochs, "--epochs");
    if (!options.steps && !options.epochs)
        return {.epochs = 1};
    return {.steps = options.steps, .epochs = options.epochs};
}

QStringList notesOnDevices(const config::BatchPlan& plan)
{
    if (plan.devices == 1)
        return {};
    return QStringList{
               Translated::tr("The config has %1 devices; the share of one of them is trained: %2 of %3 "
                              "samples in a batch.")
                   .arg(plan.devices)
                   .arg(plan.perDeviceBatch())
                   .arg(plan.globalBatchSize)} +
           engine::spreadOverDevices(plan);
}

/// A config names its files relative to its own folder.
QString growthOf(const QString& filePath, const config::ConfigContents& contents,
                 const TrainingOptions& options)
{
    const bool isAsked = !options.growth.isEmpty();
    QString written =
        isAsked ? options.growth : QString::fromStdString(contents.training.batchIncreaseFunction);
    // Trimmed only here, since a check of the ending would fail to recognize a Python file with trailing
    // blanks in some places but not in others.
    const QString text = written.trimmed();
    if (text.isEmpty())
        return written;
    return isAsked || !isPythonFile(text) ? text : QFileInfo(filePath).dir().filePath(text);
}

std::optional<MaximumWay> maximumOf(const config::ConfigContents& contents, const TrainingOptions& options,
                                    const SizeChoice& size, const QString& growth)
{
    const bool isAsked = options.maximum || contents.training.usesMaximumBatchSize;
    // If the batch runs whole, there is no size to choose; but a growing batch needs a bound.
    if (growth.isEmpty() && !(isAsked && size.accumulates))
        return std::nullopt;
    return options.maximum.value_or(MaximumWay::Binary);
}

trial::LossWeighting weightingOf(const config::ConfigContents& contents, const TrainingOptions& options)
{
    const bool weighsTokens = contents.training.weighsTokens.value_or(false);
    return options.weighting.value_or(weighsTokens ? trial::LossWeighting::Tokens
                                                   : trial::LossWeighting::Samples);
}

trial::DataChoice dataOf(const TrainingOptions& options, std::int64_t batchSize)
{
    trial::DataChoice data = options.data;
    // Other kinds of data have their own number of samples, but no message may contain 0.
    if (data.samples < 1)
        data.samples = batchesOfSyntheticData * batchSize;
    return data;
}

TrainingDescription descriptionOf(const TrainingPlan& plan, const config::BatchPlan& batch,
                                  const engine::RunDescription& run)
{
    TrainingDescription description{.run = run,
                                    .dataChoice = plan.request.data,
                                    .learningRate = plan.request.learningRate,
                                    .weighting = plan.request.weighting,
                                    .batchSize = batch.perDeviceBatch()};
    description.run.plan = batch;
    const trial::DataChoice& data = plan.request.data;
    const trial::TrainingReady counted = countedSamples(data);
    description.data = dataText(data, counted);
    description.heldOutSamples = counted.heldOutSamples;
    description.steps = counted.samples > 0
                            ? BatchSequence(counted.samples, plan.length).stepsInAll(description.batchSize)
                            : plan.length.steps.value_or(0);
    return description;
}

} // namespace

trial::TrainingReady countedSamples(const trial::DataChoice& data)
{
    if (data.kind != trial::DataKind::Synthetic)
        return {};
    const std::int64_t heldOut = std::min(data.heldOut.of(data.samples), data.samples);
    return {.samples = data.samples - heldOut, .heldOutSamples = heldOut};
}

config::ConfigContents trainedContents(config::ConfigContents contents)
{
    // Without a number of devices in the config, the state is sharded across the devices that run it, which
    // is one here.
    if (contents.train && !contents.train->knowsDevices) {
        contents.step.sharding = model::Sharding::None;
        std::erase_if(contents.warnings, [](const config::Warning& warning) {
            return warning.approximation == config::approximation::sharding;
        });
    }
    if (contents.step.packedTextLength > 0) {
        contents.step.packedTextLength = 0;
        contents.textLengthIsOpen = false;
        contents.warnings.push_back({.sentence = "Training packs no texts into a sample.",
                                     .position = {},
                                     .approximation = std::string(config::approximation::packedTexts)});
    }
    if (contents.step.updatesInBackward) {
        contents.step.updatesInBackward = false;
        contents.warnings.push_back({.sentence = "Training keeps all gradients until the optimizer steps.",
                                     .position = {},
                                     .approximation = std::string(config::approximation::updatesInBackward)});
    }
    return contents;
}

TrainingPlan planTraining(const QString& filePath, const config::ConfigContents& contents,
                          const TrainingOptions& options)
{
    config::BatchPlan batch = batchOf(contents, options);
    const engine::NetworkPlan network = engine::planNetwork(filePath, trainedContents(contents), options.run);
    const SizeChoice size = chooseSize(contents, batch, options);
    if (options.run.setting)
        batch.setting = *options.run.setting;
    if (const auto problem = options.strict ? config::strictRuleProblem(batch, size.asked) : std::nullopt)
        throw config::ConfigError(*problem);

    TrainingPlan plan;
    const std::int64_t batchSize = batch.perDeviceBatch();
    plan.load = network.load;
    // One device trains here with the whole state; the other devices that would hold shards do not exist.
    plan.load.step.sharding = model::Sharding::None;
    plan.load.step.shards = 1;
    plan.length = lengthOf(options);
    plan.accumulates = size.accumulates;
    plan.request = {.data = dataOf(options, batchSize),
                    .learningRate = options.learningRate.value_or(
                        contents.training.learningRate.value_or(TrainingDescription().learningRate)),
                    .weighting = weightingOf(contents, options)};
    plan.evaluationBatchSize = contents.eval ? contents.eval->perDeviceBatch() : batchSize;
    plan.sizes = {.training = size.size,
                  .halves = size.halves,
                  .evaluation = evaluationSize(contents, plan.evaluationBatchSize, size.size)};
    if (const auto counted = countedSamples(plan.request.data);
        counted.heldOutSamples > 0 && counted.samples < batchSize)
        refuse(tooLittleDataText(counted, batchSize));
    plan.description = descriptionOf(plan, batch, network.run);
    plan.description.growth = growthOf(filePath, contents, options);
    plan.description.maximum = maximumOf(contents, options, size, plan.description.growth);
    plan.description.halvesAutomatically = size.halves && (!plan.description.maximum || plan.grows());
    plan.notes = notesOnDevices(batch) + size.notes + network.notes;
    return plan;
}

} // namespace batchpeak::training
