// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_plan.h"

#include "located_error.h"
#include "model/parameter_table.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <variant>

namespace batchpeak::engine {

namespace {

using config::ConfigError;

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::NetworkPlan)
};

[[noreturn]] void refuse(const QString& sentence)
{
    throw ConfigError(sentence.toStdString());
}

model::ModelSpec runnableModel(const QString& filePath, const config::ConfigContents& contents)
{
    if (const auto* unsupported = std::get_if<config::UnsupportedModel>(&contents.model))
        throw located(filePath, ConfigError(unsupported->sentence, unsupported->position));
    return std::get<model::ModelSpec>(contents.model);
}

/// Where neither the config nor a person says how long sequences are.
std::int64_t assumedSequenceLength(const model::ModelSpec& spec, QStringList& notes)
{
    const std::int64_t length = model::usualSequenceLength(spec);
    if (length > 0 && model::takesSequences(spec))
        notes.append(Translated::tr(
                         "The config holds no sequence length; %1 tokens are taken, which is usual for this "
                         "network. Give another with --sequence-length.")
                         .arg(length));
    return length;
}

std::int64_t sequenceLengthOf(const config::ConfigContents& contents, const model::ModelSpec& spec,
                              const ExplorationOptions& options, QStringList& notes)
{
    if (options.sequenceLength && !model::takesSequences(spec))
        refuse(Translated::tr("This network takes no sequences; leave out --sequence-length."));
    std::int64_t length = options.sequenceLength.value_or(contents.sequenceLength);
    if (length < 1)
        length = assumedSequenceLength(spec, notes);
    if (length < 1)
        refuse(Translated::tr("The config holds no sequence length; give one with --sequence-length."));
    const auto longest = model::longestSequence(spec);
    if (longest && length > *longest)
        refuse(Translated::tr(
                   "A sequence length of %1 is more than the %2 positions that this network has learned; "
                   "give --sequence-length %2 or less.")
                   .arg(length)
                   .arg(*longest));
    return length;
}

std::vector<std::int64_t> sampleLengths(const model::ModelSpec& spec, const ExplorationOptions& options)
{
    if (!options.sampleLengths.empty() && !model::takesSequences(spec))
        refuse(Translated::tr("The samples of this network are no sequences of tokens, so they have no "
                              "lengths; leave out --sample-lengths."));
    return options.sampleLengths;
}

model::StepOptions stepOptions(model::StepOptions step, const ExplorationOptions& options)
{
    step.activationCheckpointing = options.activationCheckpointing.value_or(step.activationCheckpointing);
    step.lossChunkRows = options.lossChunkRows.value_or(step.lossChunkRows);
    step.maxGradientNorm = options.maxGradientNorm.value_or(step.maxGradientNorm);
    return step;
}

// A decoder's sequence is as much shorter as the encoder's: T5's targets tell what was masked in its input.
std::optional<std::int64_t> targetLengthOf(const config::ConfigContents& contents,
                                           const model::ModelSpec& spec, std::int64_t length)
{
    if (!contents.targetLength || contents.sequenceLength < 1)
        return contents.targetLength ? contents.targetLength : model::usualTargetLength(spec);
    const double share = static_cast<double>(length) / static_cast<double>(contents.sequenceLength);
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(*contents.targetLength) * share));
}

} // namespace

NetworkPlan planNetwork(const QString& filePath, const config::ConfigContents& contents,
                        const ExplorationOptions& options)
{
    const model::ModelSpec spec = runnableModel(filePath, contents);
    NetworkPlan plan;
    plan.load = {.model = spec,
                 .phase = options.phase,
                 .sequenceLength = sequenceLengthOf(contents, spec, options, plan.notes),
                 .sampleLengths = sampleLengths(spec, options),
                 .precision = options.precision.value_or(contents.precision),
                 .optimizer = options.optimizer.value_or(contents.optimizer),
                 .step = stepOptions(contents.step, options),
                 .seed = options.seed};
    plan.load.targetLength = targetLengthOf(contents, spec, plan.load.sequenceLength);
    plan.run = {.filePath = filePath,
                .formatName = QString::fromStdString(contents.formatName),
                .family = QString::fromStdString(spec.family),
                .modelSource = QString::fromStdString(contents.modelSource),
                .parameters = model::parameterCount(spec),
                .phase = options.phase,
                .precision = plan.load.precision,
                .optimizer = plan.load.optimizer,
                .sequenceLength = plan.load.sequenceLength,
                .strategy = options.strategy,
                .tolerance = options.tolerance,
                .targetConfidence = options.targetConfidence,
                .headroom = options.headroom};
    return plan;
}

} // namespace batchpeak::engine
