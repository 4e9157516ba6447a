// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_fidelity.h"

#include "config/approximations.h"
#include "model/model_spec.h"

namespace batchpeak::engine {

namespace {

using config::ConfigContents;
using config::Fidelity;

void addReplacedSteps(Fidelity& fidelity, const ConfigContents& contents, const trial::LoadRequest& load)
{
    const bool trains = load.phase == model::Phase::Train;
    const model::StepOptions& own = contents.step;
    const model::StepOptions& asked = load.step;
    if (load.precision != contents.precision)
        fidelity.addReplaced("another precision");
    if (trains && load.optimizer != contents.optimizer)
        fidelity.addReplaced("another optimizer");
    if (trains && asked.activationCheckpointing != own.activationCheckpointing)
        fidelity.addReplaced("another activation checkpointing");
    if (trains && asked.maxGradientNorm != own.maxGradientNorm)
        fidelity.addReplaced("another gradient clipping");
    if (asked.lossChunkRows != own.lossChunkRows)
        fidelity.addReplaced("other chunks of the loss");
    if (asked.attention != own.attention)
        fidelity.addReplaced("another attention kernel");
    if (asked.channelsLast != own.channelsLast)
        fidelity.addReplaced("another layout of images");
    if (asked.timesConvolutions != own.timesConvolutions)
        fidelity.addReplaced("another choice of convolutions");
}

void addReplacedTuning(Fidelity& fidelity, const model::Tuning& own, const model::Tuning& asked)
{
    if (asked.adapter != own.adapter)
        fidelity.addReplaced("another adapter");
    else if (asked.rank != own.rank)
        fidelity.addReplaced("another adapter rank");
    if (!model::trainsAll(asked) && asked.frozenWeights != own.frozenWeights)
        fidelity.addReplaced("other frozen weights");
    if (asked.fakeQuantization != own.fakeQuantization)
        fidelity.addReplaced("another rounding of weights and activations");
}

/// A length that the config leaves open is brought to it by a person, and assumed without one.
void addLengths(Fidelity& fidelity, const ConfigContents& contents, const ExplorationOptions& options,
                const trial::LoadRequest& load)
{
    if (!model::takesSequences(load.model))
        return;
    if (contents.sequenceLength > 0 && load.sequenceLength != contents.sequenceLength)
        fidelity.addReplaced("another sequence length");
    if (contents.sequenceLength < 1 && !options.sequenceLength)
        fidelity.addReason(config::approximation::lengthOfData);
    if (!load.sampleLengths.empty())
        fidelity.addReplaced("other lengths of samples");
}

/// Each device runs its trials by itself, whatever the others hold; where the config says that there is one,
/// none does, whatever reading it has warned of. In evaluation only parameters are shared.
void judgeSharding(Fidelity& fidelity, const ConfigContents& contents, const trial::LoadRequest& load)
{
    if (contents.step.sharding == model::Sharding::None)
        return;
    const bool shares = load.phase == model::Phase::Train ? load.step.sharding != model::Sharding::None
                                                          : load.step.sharding == model::Sharding::Parameters;
    if (shares)
        fidelity.addReason(config::approximation::sharding);
    else
        fidelity.dropReason(config::approximation::sharding);
}

} // namespace

Fidelity fidelityOfRun(const ConfigContents& contents, const ExplorationOptions& options,
                       const trial::LoadRequest& load)
{
    Fidelity fidelity = config::fidelityOf(contents);
    addReplacedTuning(fidelity, contents.tuning, load.tuning);
    addReplacedSteps(fidelity, contents, load);
    addLengths(fidelity, contents, options, load);
    judgeSharding(fidelity, contents, load);
    if (!options.workerCommand.isEmpty())
        fidelity.addReplaced("another worker program");
    return fidelity;
}

} // namespace batchpeak::engine
