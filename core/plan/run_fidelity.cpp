// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_fidelity.h"

#include "config/approximations.h"
#include "model/model_spec.h"
#include "model/parameter_shares.h"
#include "step_overrides.h"

#include <string>
#include <variant>
#include <vector>

namespace batchpeak::engine {

namespace {

using config::ConfigContents;
using config::Fidelity;

void addReplacedSteps(Fidelity& fidelity, const ConfigContents& contents, const trial::LoadRequest& load)
{
    const bool trains = load.phase == model::Phase::Train;
    if (load.precision != contents.precision)
        fidelity.addReplaced("another precision");
    if (trains && load.optimizer != contents.optimizer)
        fidelity.addReplaced("another optimizer");
    visitStepOverrides([&](const auto& row) {
        const bool isReplaced = contents.step.*row.step != load.step.*row.step;
        if (isReplaced && (trains || !row.isOfTrainingAlone) && *row.replaced != '\0')
            fidelity.addReplaced(row.replaced);
    });
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

/// Adds the lengths of samples. If the config leaves the length open, one given by a person is part of the
/// run, and the default is an assumption.
void addLengths(Fidelity& fidelity, const ConfigContents& contents, const trial::LoadRequest& load)
{
    if (!model::takesSequences(load.model))
        return;
    const bool isOpen = contents.lengthIsOpen || contents.sequenceLength < 1;
    const std::int64_t own =
        contents.sequenceLength > 0 ? contents.sequenceLength : model::defaultSequenceLength(load.model);
    if (isOpen && load.sequenceLength == own)
        fidelity.addAssumed("samples of " + std::to_string(own) + " tokens");
    if (!isOpen && load.sequenceLength != own)
        fidelity.addReplaced("another sequence length");
    if (!load.sampleLengths.empty())
        fidelity.addReplaced("other lengths of samples");
}

/// Adds the lengths of packed texts by the same rule. Only decoders are run with the masks of packed texts.
void addPackedTexts(Fidelity& fidelity, const ConfigContents& contents, const trial::LoadRequest& load)
{
    const std::int64_t own = contents.step.packedTextLength;
    const std::int64_t asked = load.step.packedTextLength;
    if (asked > 0 && !std::holds_alternative<model::DecoderSpec>(load.model.architecture))
        fidelity.addReason(config::approximation::packedTexts);
    if (own == 0 || asked == 0) {
        if (own != asked)
            fidelity.addReplaced(asked > 0 ? "packed texts" : "one text in each sample");
        return;
    }
    if (!contents.textLengthIsOpen && asked != own)
        fidelity.addReplaced("other lengths of packed texts");
    if (contents.textLengthIsOpen && asked == own && own < load.sequenceLength)
        fidelity.addAssumed("packed texts of " + std::to_string(own) + " tokens");
}

/// Drops the approximations of the optimizer step for small adapters. An optimizer whose state is not stored
/// as plain numbers, or whose operations differ from those of trials, has another step than the run. With
/// adapters, this step is short compared to the passes through the frozen network, which is many times as
/// large.
void judgeOptimizer(Fidelity& fidelity, const trial::LoadRequest& load, const model::ParameterCounts& counts)
{
    // With 2 % of the parameters trained, 8-bit AdamW takes 0.4 % of a step, plain AdamW a tenth of that
    // (docs/measurements.md).
    constexpr double negligibleShare = 0.05;
    if (!model::hasAdapters(load.tuning) ||
        static_cast<double>(counts.trained) > negligibleShare * static_cast<double>(counts.all()))
        return;
    fidelity.dropReason(config::approximation::step8bit);
    fidelity.dropReason(config::approximation::torchaoStep8bit);
    fidelity.dropReason(config::approximation::lionByOperations);
    fidelity.dropReason(config::approximation::step4bit);
    fidelity.dropReason(config::approximation::unfusedStep);
    fidelity.dropReason(config::approximation::pagedOptimizer);
}

void judgeUnfusedStep(Fidelity& fidelity, const trial::LoadRequest& load)
{
    if (load.phase == model::Phase::Train && load.optimizer == model::Optimizer::AdamW &&
        load.step.adamWStep != model::AdamWStep::Fused &&
        !model::stepsByOperations(load.optimizer, load.precision, load.step))
        fidelity.addReason(config::approximation::unfusedStep);
}

void judgeUpdates(Fidelity& fidelity, const trial::LoadRequest& load)
{
    if (load.phase == model::Phase::Train && load.step.updatesInBackward &&
        !model::updatesInBackward(load.phase, load.step))
        fidelity.addReason(config::approximation::updatesInBackward);
}

void dropReasonsOfOtherPhase(Fidelity& fidelity, model::Phase phase)
{
    for (const std::string& reason : std::vector(fidelity.reasons)) {
        const auto traits = config::approximation::traitsOf(reason);
        if (phase == model::Phase::Train ? traits.isOfEvaluationAlone : traits.isOfTrainingAlone)
            fidelity.dropReason(reason);
    }
}

/// Judges sharding. Each device runs its trials by itself, whatever the others hold. If the config says that
/// there is one device, nothing is sharded, whatever warning the reader gave. In evaluation, only parameters
/// are sharded.
void judgeSharding(Fidelity& fidelity, const ConfigContents& contents, const trial::LoadRequest& load,
                   std::int64_t processes)
{
    if (contents.step.sharding == model::Sharding::None)
        return;
    const bool shares = load.phase == model::Phase::Train ? load.step.sharding != model::Sharding::None
                                                          : load.step.sharding == model::Sharding::Parameters;
    // The processes of a step share the network as those of the run do.
    const bool isMeasured = processes > 1 && processes >= load.step.shards;
    if (shares && !isMeasured)
        fidelity.addReason(config::approximation::sharding);
    else
        fidelity.dropReason(config::approximation::sharding);
}

} // namespace

Fidelity fidelityOfRun(const ConfigContents& contents, const ExplorationOptions& options,
                       const trial::LoadRequest& load, const model::ParameterCounts& counts)
{
    Fidelity fidelity = config::fidelityOf(contents);
    dropReasonsOfOtherPhase(fidelity, load.phase);
    addReplacedTuning(fidelity, contents.tuning, load.tuning);
    addReplacedSteps(fidelity, contents, load);
    addLengths(fidelity, contents, load);
    addPackedTexts(fidelity, contents, load);
    judgeSharding(fidelity, contents, load, options.processes());
    judgeUpdates(fidelity, load);
    // The user's Python runs torch's own step in every precision.
    if (options.python.isEmpty())
        judgeUnfusedStep(fidelity, load);
    judgeOptimizer(fidelity, load, counts);
    if (!options.workerCommand.isEmpty())
        fidelity.addReplaced("another worker program");
    return fidelity;
}

} // namespace batchpeak::engine
