// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_setup.h"

#include "exploration_error.h"

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
    return setup;
}

} // namespace batchpeak::training
