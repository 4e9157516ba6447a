// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_setup.h"

#include "accumulation/micro_batches.h"
#include "checkpoint_folder.h"
#include "engine/exploration_error.h"
#include "engine/located_error.h"
#include "growth_function.h"
#include "training_fingerprint.h"

#include <QCoreApplication>

#include <utility>

namespace batchpeak::training {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::training::TrainingSetup)
};

/// Without words every GPU, else the CPU is meant; the first of them trains.
engine::RunDevices oneDevice(const TrainingPlan& plan, const TrainingOptions& options,
                             const engine::ExplorationParts& parts)
{
    engine::RunDevices devices(plan.load, options.run, parts);
    if (devices.setups().size() > 1 && !options.run.devices.isEmpty())
        throw engine::ExplorationError(
            Translated::tr("A training runs on one device, and %1 are named; name one "
                           "with --device, as %2.")
                .arg(devices.setups().size())
                .arg(devices.setups().front().id));
    return devices;
}

[[noreturn]] void refuse(const QString& path, const QString& sentence)
{
    throw config::ConfigError(engine::located(path, {}, sentence).toStdString());
}

void refuseUnlike(const CheckpointFolder::Found& found, const TrainingSetup& setup)
{
    const QStringList differences = fingerprintDifferences(found.state.fingerprint, setup.fingerprint);
    if (!differences.isEmpty())
        refuse(found.path,
               Translated::tr("This checkpoint is of another training (%1). Give what it was begun "
                              "with, or start afresh without --resume.")
                   .arg(differences.join(QLatin1String("; "))));
    const auto steps = setup.plan.length.steps;
    if (steps && found.state.step >= *steps)
        refuse(found.path,
               Translated::tr("This checkpoint is of step %1 already, and %2 are asked for in all; give "
                              "a higher --steps.")
                   .arg(found.state.step)
                   .arg(*steps));
}

/// A size that a person fixes may be another one than before, as when the old one did not fit.
std::int64_t sizeToGoOnWith(const CheckpointState& state, const TrainingPlan& plan)
{
    if (plan.sizes.halves || plan.description.maximum)
        return state.microBatchSize;
    return accumulation::evenSpread(state.batchSize, plan.sizes.training).largest();
}

void goOn(TrainingSetup& setup, const CheckpointFolder::Found& found)
{
    refuseUnlike(found, setup);
    const CheckpointState& state = found.state;
    TrainingPlan& plan = setup.plan;
    setup.resumedFrom = found.path;
    setup.position = {.step = state.step, .epoch = state.epoch, .samplesDone = state.samplesDone};
    setup.batchSize = state.batchSize;
    plan.request.checkpoint = found.tensors.toStdString();
    plan.sizes.training = sizeToGoOnWith(state, plan);
    plan.sizes.thrashingInARow = state.thrashingInARow;
    plan.sizes.evaluation = state.evaluationMicroBatchSize;
    plan.description.firstStep = state.step;
    plan.description.batchSize = state.batchSize;
    if (plan.description.steps > 0)
        plan.description.steps =
            BatchSequence(plan.request.data.samples, plan.length, setup.position).stepsInAll(state.batchSize);
    // What it found is known; one that grows needs its bound again.
    if (!plan.grows() && plan.description.maximum) {
        plan.description.maximum.reset();
        plan.sizes.halves = true;
    }
}

} // namespace

TrainingSetup setUpTraining(const QString& filePath, const config::ConfigContents& contents,
                            const TrainingOptions& options, const engine::ExplorationParts& parts)
{
    TrainingSetup setup{.filePath = filePath,
                        .contents = contents,
                        .options = options,
                        .parts = parts,
                        .plan = planTraining(filePath, contents, options)};
    setup.devices = oneDevice(setup.plan, options, parts);
    setup.batchSize = setup.plan.description.batchSize;
    setup.fingerprint = fingerprintOf(setup.plan);
    // What cannot be read is said before anything runs.
    if (setup.plan.grows())
        makeGrowthFunction(setup.plan.description.growth);
    if (!options.resumeFolder.isEmpty())
        goOn(setup, CheckpointFolder(options.resumeFolder).newest());
    return setup;
}

} // namespace batchpeak::training
